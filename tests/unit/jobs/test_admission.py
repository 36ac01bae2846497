from __future__ import annotations

import random
import threading

import pytest

from ortstudio.jobs.admission import Admission, Share


def nothing() -> None:
    pass


def taken(admission: Admission) -> Share:
    share = admission.take(nothing)
    assert share is not None
    return share


def test_pieces_come_in_their_order_with_a_fair_share_each() -> None:
    admission = Admission({7: 1, 3: 1, 5: 1}, 100, jobs=2)
    first, second = taken(admission), taken(admission)
    assert [first, second] == [Share(7, 50, False), Share(3, 50, False)]
    admission.give_back(first)
    assert taken(admission) == Share(5, 50, False)
    assert admission.take(nothing) is None


def test_a_piece_that_needs_more_than_its_fair_share_gets_it_and_leaves_the_rest() -> None:
    admission = Admission({0: 80, 1: 10}, 100, jobs=2)
    assert taken(admission) == Share(0, 80, False)
    assert taken(admission) == Share(1, 20, False)


def test_a_smaller_piece_overtakes_one_that_there_is_no_room_for() -> None:
    admission = Admission({0: 60, 1: 60, 2: 40}, 100, jobs=2)
    first = taken(admission)
    assert taken(admission).key == 2
    admission.give_back(first)
    assert taken(admission).key == 1


def test_a_piece_larger_than_the_budget_waits_for_all_and_gets_all() -> None:
    admission = Admission({0: 10, 1: 900}, 100, jobs=2)
    first = taken(admission)
    waited: list[int] = []

    def wait() -> None:
        if not waited:
            admission.give_back(first)
        waited.append(1)

    assert admission.take(wait) == Share(1, 100, True)
    assert waited, "it had to wait"


def test_a_single_piece_has_all_where_nothing_runs_beside_it() -> None:
    assert taken(Admission({0: 10}, 100, jobs=1)) == Share(0, 100, True)


def test_what_outgrew_its_share_comes_again_with_all() -> None:
    admission = Admission({0: 10, 1: 10}, 100, jobs=2)
    first, second = taken(admission), taken(admission)
    admission.give_back(first, outgrown=True)
    admission.give_back(second)
    assert taken(admission) == Share(0, 100, True)


def test_a_piece_can_be_withdrawn_until_it_begins() -> None:
    admission = Admission({0: 10, 1: 10}, 100, jobs=2)
    taken(admission)
    assert [admission.withdraw(key) for key in (0, 1, 1)] == [False, True, False]
    assert admission.take(nothing) is None


def test_closed_nothing_more_begins() -> None:
    admission = Admission({0: 10, 1: 10}, 100, jobs=2)
    taken(admission)
    admission.close()
    assert admission.take(nothing) is None


def test_closed_nothing_comes_again_either() -> None:
    admission = Admission({0: 10, 1: 10}, 100, jobs=2)
    share = taken(admission)
    admission.close()
    admission.give_back(share, outgrown=True)
    assert admission.take(nothing) is None


def test_closing_wakes_who_waits() -> None:
    admission = Admission({0: 100, 1: 100}, 100, jobs=2)
    taken(admission)
    assert admission.take(admission.close) is None


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_many_threads_never_pass_the_budget_and_every_piece_gets_its_turn(
    seed: int,
) -> None:
    chance = random.Random(seed)
    needs = {key: chance.randrange(1, 150) for key in range(300)}
    admission, lock = Admission(needs, 100, jobs=4), threading.Lock()
    running: dict[int, int] = {}
    done: list[int] = []
    most: list[int] = []

    def serve() -> None:
        while share := admission.take(nothing):
            with lock:
                running[share.key] = share.memory_bytes
                most.append(sum(running.values()))
            with lock:
                del running[share.key]
                done.append(share.key)
            admission.give_back(share)

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted(needs)
    assert max(most) <= 100
