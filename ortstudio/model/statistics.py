"""What the elements of a tensor are like, in one or two passes over chunks of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, Numbers
from ortstudio.model.elements import Elements

Number = int | float


@dataclass(frozen=True, slots=True)
class Statistics:
    """A summary. `min`, `max`, `mean` and `std` are those of the finite elements.

    They are None where there are none, and for strings and complex numbers. `min` and `max` are
    exact; mean and population standard deviation are computed in float64, and are None where its
    range does not reach, which takes doubles beyond 1e150.
    """

    count: int
    min: Number | None
    max: Number | None
    mean: float | None
    std: float | None
    zeros: int
    nan: int
    inf: int


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many finite elements lie between each edge and the next; the last edge counts in."""

    edges: NDArray[np.float64]
    counts: Ints


def statistics(elements: Elements) -> Statistics:
    """Summarize a tensor. Reads all of it."""
    total = _Total()
    for chunk in elements.chunks():
        total.add(chunk)
    return total.statistics(elements.count)


def histogram(elements: Elements, known: Statistics, bins: int = 64) -> Histogram | None:
    """Count by value, between the least and the greatest; None where these are None.

    Few whole numbers have a bin each, around them.
    """
    if known.min is None or known.max is None:
        return None
    low, high = known.min, known.max
    if isinstance(low, int) and isinstance(high, int) and high - low < bins:
        bins = high - low + 1
        low, high = low - 0.5, high + 0.5
    # The ends may be further apart than float64 reaches; a quarter of everything always fits.
    scale = 1.0 if float(high) - float(low) < 1e308 else 0.25
    edges = np.linspace(low * scale, high * scale, bins + 1)
    counts = np.zeros(bins, np.int64)
    for chunk in elements.chunks():
        values = _finite(chunk).astype(np.float64) * scale
        places = np.searchsorted(edges, values, side="right") - 1
        counts += np.bincount(np.clip(places, 0, bins - 1), minlength=bins)
    return Histogram(edges / scale, counts)


class _Total:
    """Counts and moments of everything added, merged as Chan, Golub and LeVeque do."""

    def __init__(self) -> None:
        self.zeros = self.nan = self.inf = self.count = 0
        self.low: Number | None = None
        self.high: Number | None = None
        self.mean = self.squares = 0.0

    def add(self, chunk: Numbers) -> None:
        """Take in more elements."""
        if chunk.dtype.kind == "O":
            return
        self.zeros += chunk.size - int(np.count_nonzero(chunk))
        if chunk.dtype.kind in "fc":
            self.nan += int(np.count_nonzero(np.isnan(chunk)))
            self.inf += int(np.count_nonzero(np.isinf(chunk)))
        finite = _finite(chunk)
        if chunk.dtype.kind != "c" and len(finite):
            self._merge(finite)

    def _merge(self, finite: Numbers) -> None:
        low, high = finite.min().item(), finite.max().item()
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        values = finite.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(values.mean())
            squares = float(np.square(values - mean).sum())
        total = self.count + len(values)
        step = mean - self.mean
        self.mean += step * len(values) / total
        self.squares += squares + step * step * self.count * len(values) / total
        self.count = total

    def statistics(self, count: int) -> Statistics:
        """The summary of what was added; `count` includes what is not finite."""
        std = math.sqrt(self.squares / self.count) if self.count else None
        return Statistics(
            count=count,
            min=None if self.low is None else self.low + 0,
            max=None if self.high is None else self.high + 0,
            mean=self.mean if self.count and math.isfinite(self.mean) else None,
            std=std if std is not None and math.isfinite(std) else None,
            zeros=self.zeros,
            nan=self.nan,
            inf=self.inf,
        )


def _finite(chunk: Numbers) -> Numbers:
    return chunk[np.isfinite(chunk)] if chunk.dtype.kind in "fc" else chunk
