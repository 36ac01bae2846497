"""Where an axis has its ticks, and what stands at them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

_LEAST_EXPONENT = -307
"""Below it, floats no longer hold every multiple of a power of ten."""
_WRITTEN_OUT = range(-4, 7)
"""Powers of ten of the first digit; texts of other sizes take an exponent."""


@dataclass(frozen=True, slots=True)
class Ticks:
    """Round numbers: each of `multiples` times ten to the power of `exponent`."""

    multiples: range
    exponent: int

    def values(self) -> list[float]:
        """The places of the ticks."""
        return [float(number) for number in self._numbers()]

    def texts(self) -> list[str]:
        """What stands at the ticks: just the digits that tell them apart."""
        digits = max((len(str(abs(number))) for number in self.multiples), default=1) - 1
        if digits + self.exponent in _WRITTEN_OUT:
            texts = [f"{number:,.{max(0, -self.exponent)}f}" for number in self._numbers()]
        else:
            texts = [f"{number:.{digits}e}" if number else "0" for number in self._numbers()]
        return [text.replace("e+", "e").replace("-", "\N{MINUS SIGN}") for text in texts]

    def _numbers(self) -> list[Decimal]:
        return [Decimal(f"{number}e{self.exponent}") for number in self.multiples]


def ticks(low: float, high: float, most: int) -> Ticks:
    """About `most` ticks, never more than one above, in a finite range with `low` < `high`."""
    # Decimals hold what floats do not: the width of the widest range, and the step above it.
    lowest, highest = (Decimal(repr(float(end))) for end in (low, high))
    least_step = max((highest - lowest) / most, Decimal(f"1e{_LEAST_EXPONENT}"))
    place = least_step.adjusted()
    round_steps = [(factor, place + more) for more in (0, 1) for factor in (1, 2, 5)]
    factor, exponent = next(
        step for step in round_steps if Decimal(f"{step[0]}e{step[1]}") >= least_step
    )
    step = Decimal(f"{factor}e{exponent}")
    first, last = math.ceil(lowest / step), math.floor(highest / step)
    return Ticks(range(first * factor, last * factor + 1, factor), exponent)
