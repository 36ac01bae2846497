"""Whether integers are numbers divided by a scale and rounded. The scale is found from both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ortstudio.model.bits import SMALL_FLOATS
from ortstudio.model.elements import Elements
from ortstudio.model.types import DataType, bit_width

FEWEST = 4
"""So many elements must share a scale; with fewer, anything fits."""
_SLACK = 0.6
"""How far a number may be from its step, in steps: half of one, and what the fit is off."""

_INTEGERS = frozenset(
    {
        *(DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16),
        *(DataType.INT4, DataType.UINT4, DataType.INT2, DataType.UINT2, DataType.INT32),
    }
)
_FLOATS = frozenset({DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE}) | SMALL_FLOATS


def quantization_text(a: Elements, b: Elements) -> str:
    """`one scale of 0.0125`, `a scale for each place along axis 0`; empty where no scale fits."""
    if a.tensor.data_type not in _FLOATS or b.tensor.data_type not in _INTEGERS:
        return ""
    if a.tensor.dims != b.tensor.dims or not a.count:
        return ""
    numbers, codes = a.array().astype(np.float64), b.array().astype(np.float64)
    if not np.isfinite(numbers).all():
        return ""
    limits = _limits(b.tensor.data_type)
    scales = _fit(numbers.reshape(1, -1), codes.reshape(1, -1), limits)
    if scales is not None:
        return f"one scale of about {scales[0]:.3g}"
    for axis in range(numbers.ndim):
        rows = [np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1) for x in (numbers, codes)]
        if _fit(rows[0], rows[1], limits) is not None:
            return f"a scale for each place along axis {axis}"
    return ""


def _limits(data_type: int) -> tuple[int, int]:
    bits = bit_width(data_type) or 8
    signed = data_type in (DataType.INT8, DataType.INT16, DataType.INT4, DataType.INT2)
    half = 1 << (bits - 1)
    return (-half, half - 1) if signed or data_type == DataType.INT32 else (0, 2 * half - 1)


def _fit(
    numbers: NDArray[np.float64], codes: NDArray[np.float64], limits: tuple[int, int]
) -> NDArray[np.float64] | None:
    """The scale of each row, by least squares, where every number is within its step of it.

    Codes at the ends of the type say only that a number is at least so far out.
    """
    whole = (codes > limits[0]) & (codes < limits[1])
    each = whole.sum(axis=1)
    if (each < FEWEST).any():
        return None
    x = codes - _mean(codes, whole, each)
    y = numbers - _mean(numbers, whole, each)
    spread = (x * x * whole).sum(axis=1)
    if not spread.any():
        return None
    covered = (x * y * whole).sum(axis=1)
    scales = np.divide(covered, spread, out=np.zeros_like(spread), where=spread > 0)
    off = np.abs(y - scales[:, None] * x)
    fits = (off <= _SLACK * scales[:, None]) | ~whole | (spread == 0)[:, None]
    return scales if bool(fits.all()) and bool((scales >= 0).all()) else None


def _mean(
    values: NDArray[np.float64], whole: NDArray[np.bool_], each: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Of each row's elements that are not cut off at the ends of the type."""
    found: NDArray[np.float64] = ((values * whole).sum(axis=1) / each)[:, None]
    return found
