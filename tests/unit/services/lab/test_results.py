"""What is said of samples."""

from __future__ import annotations

import pytest

from ortstudio.services.lab.modes import mode
from ortstudio.services.lab.results import ITEM
from tests.unit.services.lab.made import MS, measured, result

MAPPED = mode("mapped-in-place-no-prepacking")


def test_a_clear_ratio_is_a_verdict() -> None:
    found = result(measured(), measured("a.ort", load_ms=1, mode=MAPPED, memory=50_000))
    load = found.line(1, "load_ns").against_first
    memory = found.line(1, "peak_rss_bytes").against_first
    assert load is not None
    assert memory is not None
    assert (load.verdict, memory.verdict) == ("faster", "less")
    assert load.ratio == pytest.approx(0.01)


def test_no_verdict_rests_on_the_rounds_in_which_the_best_were_chosen() -> None:
    first, other = measured(rounds=9), measured("a.ort", load_ms=50, rounds=9)
    whole = result(first, other).line(1, "load_ns").against_first
    screened = result(first, other, screened=1).line(1, "load_ns").against_first
    assert whole is not None
    assert screened is not None
    assert (whole.verdict, screened.verdict) == ("faster", "no clear difference")


def test_only_those_that_are_best_in_a_respect_are_taken_further() -> None:
    found = result(
        measured(),
        measured("a.ort", load_ms=1),
        measured("a.ort", run_ms=5),
        measured("a.ort", memory=10),
        measured("a.ort", load_ms=120),
    )
    found.pursue_the_best()
    assert [one.pursued for one in found.subjects] == [True, True, True, True, False]
    assert found.screened == 12


def test_who_was_not_taken_further_is_best_in_nothing_and_widens_no_interval() -> None:
    found = result(
        measured(), measured("a.ort", load_ms=50), measured("a.ort", load_ms=1, rounds=1)
    )
    assert found.best()["load_ns"] == 2
    before = found.verdicts()
    found.subjects[2].pursued = False
    assert found.best()["load_ns"] == 1
    assert found.verdicts() < before


def test_runs_of_one_child_count_as_one() -> None:
    """Else thousands of runs that all share a round's bad luck would look like certainty."""
    found = result(measured(rounds=3)).line(0, "run_ns").estimate
    assert (found.low, found.high) == (10.01 * MS, 10.03 * MS)


def test_batches_are_compared_by_the_time_for_each_item() -> None:
    found = result(measured(batch=1), measured(run_ms=40, batch=8))
    assert found.line(1, "run_ns").against_first is None
    item = found.line(1, ITEM).against_first
    assert item is not None
    assert item.verdict == "faster"
    assert item.ratio == pytest.approx(0.5, rel=1e-3)
    assert "run_ns" not in found.best()
    assert set(found.to_json()["summary"][0]) >= {ITEM}  # type: ignore[index]


def test_what_goes_by_outside_the_runtime_is_told_without_imports() -> None:
    outside, share = result(measured(rounds=2)).overhead()
    assert outside == pytest.approx(2 * 2 * MS, rel=0.02)
    assert share == pytest.approx(2 / 172, rel=0.05)
