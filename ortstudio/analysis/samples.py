"""Timed samples: a centre with its interval, and whether two subjects really differ.

Samples of two subjects are compared by round, since what disturbs a machine lasts longer than one
measurement: the ratio of each round is taken, and the median of those. Its interval holds whatever
the distribution is: it is the wider one of the bootstrap's and of the sign test's, so that a few
rounds that happen to agree prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf, nan
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["faster", "slower", "less", "more", "no clear difference"]
Kind = Literal["time", "memory"]

CONFIDENCE = 0.95
FAMILY_ERROR = 0.02
"""The chance at most that any of the verdicts of one comparison is wrong, if nothing differs."""
LEAST_DIFFERENCE = 0.02
"""Nearer to 1 than that a ratio is no difference that anybody would notice."""
RESAMPLES = 2000

_NO_VERDICT: Verdict = "no clear difference"
_VERDICTS: dict[Kind, tuple[Verdict, Verdict]] = {
    "time": ("faster", "slower"),
    "memory": ("less", "more"),
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median and its 95 % interval; NaN where there are no samples."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The median ratio of one subject to another, with the interval that the verdict rests on."""

    ratio: float
    low: float
    high: float
    verdict: Verdict


def estimate(samples: Sequence[float]) -> Estimate:
    """The median with its bootstrap interval."""
    if not samples:
        return Estimate(nan, nan, nan)
    low, high = _bootstrap(np.asarray(samples, np.float64), 1 - CONFIDENCE)
    return Estimate(median(samples), low, high)


def compare(
    reference: Sequence[float], other: Sequence[float], kind: Kind, verdicts: int = 1
) -> Comparison:
    """`other` against `reference`, one value of each per round, in the same order.

    `verdicts` is how many are given at a time: the more, the wider the interval of each. Raises
    ValueError where the rounds do not pair.
    """
    if len(reference) != len(other):
        raise ValueError(f"{len(reference)} rounds against {len(other)}")
    pairs = [(a, b) for a, b in zip(reference, other, strict=True) if a > 0 and b > 0]
    if not pairs:
        return Comparison(nan, nan, nan, _NO_VERDICT)
    logs = np.log([b / a for a, b in pairs])
    low, high = _interval(logs, FAMILY_ERROR / max(1, verdicts))
    ratio = float(np.exp(np.median(logs)))
    return Comparison(
        ratio, float(np.exp(low)), float(np.exp(high)), _verdict(ratio, low, high, kind)
    )


def apart(earlier: Sequence[float], later: Sequence[float]) -> Comparison:
    """Samples that were taken at different times: the ratio of medians, and never a verdict.

    Nothing pairs them, and whatever changed on the machine in between is in the ratio.
    """
    if not earlier or not later or median(earlier) <= 0:
        return Comparison(nan, nan, nan, _NO_VERDICT)
    random = np.random.default_rng(0)
    before, after = (
        np.median(values[random.integers(0, len(values), (RESAMPLES, len(values)))], axis=1)
        for values in (np.asarray(earlier, np.float64), np.asarray(later, np.float64))
    )
    error = 1 - CONFIDENCE
    low, high = np.quantile(after / np.maximum(before, 1e-300), [error / 2, 1 - error / 2])
    ratio = median(later) / median(earlier)
    return Comparison(ratio, float(low), float(high), _NO_VERDICT)


def rounds_needed(verdicts: int) -> int:
    """Fewer rounds than these can give no verdict, however clear they are."""
    rounds = 1
    while 2 * 0.5**rounds > FAMILY_ERROR / max(1, verdicts):
        rounds += 1
    return rounds


def _verdict(ratio: float, low: float, high: float, kind: Kind) -> Verdict:
    if abs(ratio - 1) < LEAST_DIFFERENCE or low <= 0 <= high:
        return _NO_VERDICT
    return _VERDICTS[kind][0 if ratio < 1 else 1]


def _interval(values: NDArray[np.float64], error: float) -> tuple[float, float]:
    """An interval for the median that misses it with at most this chance."""
    low, high = _bootstrap(values, error)
    sign_low, sign_high = _sign_interval(values, error)
    return min(low, sign_low), max(high, sign_high)


def _bootstrap(values: NDArray[np.float64], error: float) -> tuple[float, float]:
    """The percentile interval of resampled medians, the same for the same samples."""
    picks = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    medians = np.median(values[picks], axis=1)
    low, high = np.quantile(medians, [error / 2, 1 - error / 2])
    return float(low), float(high)


def _sign_interval(values: NDArray[np.float64], error: float) -> tuple[float, float]:
    """From one ordered value to another, as far in as binomial odds allow; unbounded for a few."""
    count = len(values)
    cut, tail = 0, 0.5**count
    while 2 * tail <= error and cut < (count + 1) // 2:
        cut += 1
        tail += comb(count, cut) * 0.5**count
    if cut == 0:
        return -inf, inf
    ordered = np.sort(values)
    return float(ordered[cut - 1]), float(ordered[count - cut])
