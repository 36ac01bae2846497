from __future__ import annotations

import random
import threading
from collections.abc import Mapping

import pytest

from ortstudio.jobs.admission import Admission, Share


def nothing() -> None:
    pass


def admission_of(needs: Mapping[int, int], *, jobs: int, largest_first: bool = False) -> Admission:
    """All pieces are there, and 100 bytes for them."""
    admission = Admission(100, jobs, largest_first=largest_first)
    for key, need in needs.items():
        admission.add(key, need)
    admission.finish()
    return admission


def taken(admission: Admission) -> Share:
    share = admission.take(nothing)
    assert share is not None
    return share


def test_pieces_come_in_their_order_with_a_fair_share_each() -> None:
    admission = admission_of({7: 1, 3: 1, 5: 1}, jobs=2)
    first, second = taken(admission), taken(admission)
    assert [first, second] == [Share(7, 50, False), Share(3, 50, False)]
    admission.give_back(first)
    assert taken(admission) == Share(5, 50, False)
    assert admission.take(nothing) is None


def test_a_piece_that_needs_more_than_its_fair_share_gets_it_and_leaves_the_rest() -> None:
    admission = admission_of({0: 80, 1: 10}, jobs=2)
    assert taken(admission) == Share(0, 80, False)
    assert taken(admission) == Share(1, 20, False)


def test_a_smaller_piece_overtakes_one_that_there_is_no_room_for() -> None:
    admission = admission_of({0: 60, 1: 60, 2: 40}, jobs=2)
    first = taken(admission)
    assert taken(admission).key == 2
    admission.give_back(first)
    assert taken(admission).key == 1


def test_a_piece_larger_than_the_budget_waits_for_all_and_gets_all() -> None:
    admission = admission_of({0: 10, 1: 900}, jobs=2)
    first = taken(admission)
    waited: list[int] = []

    def wait() -> None:
        if not waited:
            admission.give_back(first)
        waited.append(1)

    assert admission.take(wait) == Share(1, 100, True)
    assert waited, "it had to wait"


def test_the_largest_come_first_where_that_is_wanted() -> None:
    admission = admission_of({0: 5, 1: 50, 2: 20}, jobs=3, largest_first=True)
    assert [taken(admission).key for _ in range(3)] == [1, 2, 0]


def test_pieces_may_come_while_others_are_under_way() -> None:
    admission = Admission(100, 2)
    found: list[Share | None] = []
    thread = threading.Thread(target=lambda: found.append(admission.take(nothing)))
    thread.start()
    admission.add(7, 10)
    thread.join()
    assert found == [Share(7, 50, False)]
    admission.finish()
    assert admission.take(nothing) is None


def test_who_waits_for_pieces_need_not_let_go_of_anything() -> None:
    admission = Admission(100, 2)
    let_go: list[int] = []
    thread = threading.Thread(target=lambda: admission.take(lambda: let_go.append(1)))
    thread.start()
    thread.join(0.05)
    admission.finish()
    thread.join()
    assert let_go == []


def test_a_single_piece_has_all_where_nothing_runs_beside_it() -> None:
    assert taken(admission_of({0: 10}, jobs=1)) == Share(0, 100, True)


def test_what_outgrew_its_share_comes_again_with_all() -> None:
    admission = admission_of({0: 10, 1: 10}, jobs=2)
    first, second = taken(admission), taken(admission)
    admission.give_back(first, outgrown=True)
    admission.give_back(second)
    assert taken(admission) == Share(0, 100, True)


def test_a_piece_can_be_withdrawn_until_it_begins() -> None:
    admission = admission_of({0: 10, 1: 10}, jobs=2)
    taken(admission)
    assert [admission.withdraw(key) for key in (0, 1, 1)] == [False, True, False]
    assert admission.take(nothing) is None


def test_closed_nothing_more_begins() -> None:
    admission = admission_of({0: 10, 1: 10}, jobs=2)
    taken(admission)
    admission.close()
    assert admission.take(nothing) is None


def test_closed_nothing_comes_again_either() -> None:
    admission = admission_of({0: 10, 1: 10}, jobs=2)
    share = taken(admission)
    admission.close()
    admission.give_back(share, outgrown=True)
    assert admission.take(nothing) is None


def test_closing_wakes_who_waits() -> None:
    admission = admission_of({0: 100, 1: 100}, jobs=2)
    taken(admission)
    assert admission.take(admission.close) is None


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_many_threads_never_pass_the_budget_and_every_piece_gets_its_turn(
    seed: int,
) -> None:
    chance = random.Random(seed)
    needs = {key: chance.randrange(1, 150) for key in range(300)}
    admission, lock = admission_of(needs, jobs=4), threading.Lock()
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
