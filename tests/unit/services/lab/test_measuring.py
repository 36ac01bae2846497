"""Rounds with children that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ortstudio.jobs.protocol import Failure
from ortstudio.jobs.runner import Child, Ending, OnMessage, Outcome, Question
from ortstudio.services.lab.measuring import LabSettings, Measuring
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.subject import Subject
from tests.unit.services.lab.made import MS, measured

QUICK = LabSettings(budget_s=100, most_rounds=9)
Answer = Callable[[], Outcome]


class Scripted(Child):
    """Answers at once, from no process."""

    def __init__(self, answer: Answer) -> None:
        super().__init__([])
        self._answer = answer
        self.asked: list[Mapping[str, object]] = []

    def ask(
        self,
        verb: str,
        arguments: Mapping[str, object],
        *,
        on_message: OnMessage | None = None,
        cancelled: Question | None = None,
        timeout_s: float | None = None,
    ) -> Outcome:
        del verb, on_message, cancelled, timeout_s
        self.asked.append(arguments)
        return self._answer()


def loads_in(ms: float) -> Answer:
    value = {"load_ns": round(ms * MS), "rss_after_load_bytes": 1000, "peak_rss_bytes": 2000}
    return lambda: Outcome(Ending.DONE, "", value)


def ends(ending: Ending, words: str, failure: Failure | None = None) -> Answer:
    return lambda: Outcome(ending, words, failure=failure)


def run(answers: list[Answer], tmp_path: Path, settings: LabSettings = QUICK) -> Result:
    subjects = [measured(f"{number}.onnx").subject for number in range(len(answers))]

    def make_child(subject: Subject) -> Child:
        return Scripted(answers[int(subject.path.stem)])

    return Measuring(subjects, settings, {}, tmp_path, make_child).run()


@pytest.mark.parametrize(
    ("answer", "status", "why"),
    [
        (ends(Ending.CRASHED, "crashed (SIGSEGV)"), "crashed", "crashed (SIGSEGV)"),
        (ends(Ending.EXITED, "exited with status 127"), "crashed", "exited with status 127"),
        (ends(Ending.TIMED_OUT, "took longer than 30 s"), "timed out", "longer than 30 s"),
        (ends(Ending.CRASHED, "crashed (SIGKILL)"), "crashed", "too little memory"),
        (
            ends(Ending.FAILED, "", Failure(1, "memory", "MemoryError", "")),
            "crashed",
            "too little memory",
        ),
        (
            ends(Ending.FAILED, "", Failure(1, "unsupported", "It cannot do that", "")),
            "not measured",
            "It cannot do that",
        ),
    ],
)
def test_a_child_that_ends_badly_is_a_row_and_the_others_go_on(
    tmp_path: Path, answer: Answer, status: str, why: str
) -> None:
    found = run([loads_in(10), answer, loads_in(5)], tmp_path)
    assert found.subjects[1].status == status
    assert why in found.subjects[1].why
    assert found.subjects[1].rounds == []
    assert [len(found.subjects[place].rounds) for place in (0, 2)] == [9, 9]


def test_of_many_subjects_only_the_best_get_all_rounds(tmp_path: Path) -> None:
    found = run([loads_in(ms) for ms in (100, 90, 80, 1, 70, 60)], tmp_path)
    assert [len(one.rounds) for one in found.subjects] == [9, 1, 1, 9, 1, 1]
    assert any("Of 4 subjects one round was taken" in note for note in found.notes)
    against = found.line(3, "load_ns").against_first
    assert against is not None
    assert against.ratio == pytest.approx(0.01)


def test_the_first_round_is_thrown_away(tmp_path: Path) -> None:
    found = run([loads_in(10)], tmp_path)
    assert [one.number for one in found.subjects[0].rounds] == list(range(1, 10))


def test_where_all_agree_it_ends_by_itself(tmp_path: Path) -> None:
    found = run([loads_in(10), loads_in(20)], tmp_path, LabSettings(budget_s=100))
    assert found.stopped == "narrow enough"
    assert found.rounds == 10


@pytest.mark.parametrize(("budget", "patience"), [(10, 30), (600, 150), (90_000, 600)])
def test_a_child_that_hangs_may_take_a_quarter_of_the_budget(
    budget: float, patience: float
) -> None:
    assert LabSettings(budget_s=budget).patience_s == patience
    assert LabSettings(budget_s=budget, timeout_s=7).patience_s == 7


def test_children_kept_to_some_processors_have_a_thread_for_each(tmp_path: Path) -> None:
    """Told no number, the runtime would put threads on others."""
    children = [Scripted(loads_in(1)), Scripted(loads_in(1))]
    subjects = [measured("a.onnx").subject, measured("b.onnx", threads=1).subject]
    settings = LabSettings(budget_s=100, most_rounds=1, cpus=(0, 3))
    by_name = {"a.onnx": children[0], "b.onnx": children[1]}
    Measuring(subjects, settings, {}, tmp_path, lambda one: by_name[one.path.name]).run()
    for child, threads in zip(children, (2, 1), strict=True):
        session = child.asked[-1]["session"]
        assert isinstance(session, dict)
        assert session["threads"] == threads
        assert child.asked[-1]["cpus"] == [0, 3]


def test_a_file_cache_that_stays_as_it_is_is_told(tmp_path: Path) -> None:
    def told(cache: str) -> Answer:
        return lambda: Outcome(Ending.DONE, "", {"load_ns": MS, "cache": cache})

    dropped = LabSettings(budget_s=100, most_rounds=1, cache="dropped")
    (note,) = [n for n in run([told("as-is")], tmp_path, dropped).notes if "file cache" in n]
    assert note.startswith("Under own nobody could bring the file cache into the state asked for")
    assert not [n for n in run([told("dropped")], tmp_path, dropped).notes if "file cache" in n]
