from __future__ import annotations

import math

import numpy as np
import pytest

from ortstudio.analysis.samples import compare, estimate, rounds_needed


def drawn(rng: np.random.Generator, rounds: int, noise: float) -> tuple[list[float], list[float]]:
    """Two subjects that do not differ, on a machine that drifts and hiccups."""
    drift = np.exp(rng.normal(0, 0.08, rounds))
    own = np.exp(rng.normal(0, noise, (2, rounds)))
    hiccups = 1 + (rng.random((2, rounds)) < 0.1) * rng.exponential(0.5, (2, rounds))
    a, b = drift * own * hiccups
    return a.tolist(), b.tolist()


def test_a_subject_against_itself_seldom_differs() -> None:
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        verdicts = [compare(*drawn(rng, 20, 0.03), "time", 5).verdict for _ in range(5)]
        wrong += any(verdict != "no clear difference" for verdict in verdicts)
    assert wrong <= 8


def test_one_that_is_ten_percent_slower_is_nearly_always_found() -> None:
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(200):
        a, b = drawn(rng, 30, 0.03)
        found += compare(a, [1.1 * value for value in b], "time", 5).verdict == "slower"
    assert found >= 190


def test_a_difference_below_two_percent_is_none_however_sure() -> None:
    a = [1.0] * 40
    assert compare(a, [1.015] * 40, "time").verdict == "no clear difference"
    assert compare(a, [1.03] * 40, "time").verdict == "slower"
    assert compare(a, [0.9] * 40, "memory").verdict == "less"


@pytest.mark.parametrize("verdicts", [1, 5, 40])
def test_fewer_rounds_than_needed_prove_nothing(verdicts: int) -> None:
    needed = rounds_needed(verdicts)
    assert compare([1.0] * needed, [2.0] * needed, "time", verdicts).verdict == "slower"
    few = compare([1.0] * (needed - 1), [2.0] * (needed - 1), "time", verdicts)
    assert few.verdict == "no clear difference"
    assert few.ratio == pytest.approx(2.0)


def test_drift_that_both_share_does_not_hide_a_difference() -> None:
    drift = [1.0 + 0.2 * k for k in range(20)]
    assert compare(drift, [1.05 * value for value in drift], "time").verdict == "slower"


def test_the_estimate_is_the_median_within_its_interval() -> None:
    found = estimate([3.0, 1.0, 2.0, 100.0, 2.5])
    assert found.median == 2.5
    assert found.low <= found.median <= found.high


def test_without_samples_there_is_no_number() -> None:
    assert math.isnan(estimate([]).median)
    assert compare([], [], "time").verdict == "no clear difference"


def test_rounds_must_pair() -> None:
    with pytest.raises(ValueError, match="2 rounds against 1"):
        compare([1.0, 2.0], [1.0], "time")
