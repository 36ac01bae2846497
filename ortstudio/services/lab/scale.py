"""The axis that samples stand on: round ticks, and powers of ten where values lie far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FAR_APART = 12
"""From this ratio of the largest to the least value on, the axis goes by powers of ten."""
ROOM = 0.05
"""Of the axis, left free at each end."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Positive values between two ends, `low` < `high`."""

    low: float
    high: float
    logarithmic: bool

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1; what lies outside is put at the end."""
        if self.logarithmic:
            place = math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def ticks(self, most: int) -> list[float]:
        """Round values within the ends, about `most` of them."""
        return self._decades(most) if self.logarithmic else self._steps(most)

    def _decades(self, most: int) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        finest = [f * 10.0**e for e in range(first, last + 1) for f in (1, 2, 5)]
        values = [value for value in finest if self.low <= value <= self.high]
        if len(values) <= most:
            return values
        step = max(1, math.ceil((last - first) / most))
        decades = [10.0**e for e in range(first, last + 1, step)]
        return [value for value in decades if self.low <= value <= self.high]

    def _steps(self, most: int) -> list[float]:
        least = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(least))
        step = next(f * power for f in (1, 2, 5, 10) if f * power >= least * (1 - 1e-9))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [number * step for number in range(first, last + 1)]


def scale(values: Sequence[float]) -> Scale:
    """One that has all values on it."""
    known = [value for value in values if value > 0]
    if not known:
        return Scale(0.0, 1.0, False)
    low, high = min(known), max(known)
    if high / low >= FAR_APART:
        room = (high / low) ** ROOM
        return Scale(low / room, high * room, True)
    room = ROOM * (high - low) or 0.1 * high
    return Scale(max(0.0, low - room), high + room, False)
