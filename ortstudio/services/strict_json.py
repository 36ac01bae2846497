"""Numbers and arrays in strict JSON, which has no word for what is no finite number."""

from __future__ import annotations

import numpy as np

from ortstudio.format.arrays import Numbers


def json_float(number: float) -> float | str:
    """The number; `NaN`, `Infinity` and `-Infinity` as strings."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def json_array(array: Numbers) -> object:
    """Nested lists by dimension, one value for a scalar; a complex number is `[re, im]`."""
    if array.dtype.kind == "c":
        return json_array(np.stack([array.real, array.imag], axis=-1))
    values: object = array.tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return _strict(values)
    return values


def _strict(values: object) -> object:
    if isinstance(values, list):
        return [_strict(value) for value in values]
    return json_float(values) if isinstance(values, float) else values
