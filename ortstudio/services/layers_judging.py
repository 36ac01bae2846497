"""Whether two values from inside agree, whatever they are held in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.layers import is_regrouped
from ortstudio.model.types import DataType, element_count
from ortstudio.services.agreement import OutputAgreement, Tolerance, agreement
from ortstudio.services.compare_types import in_one_type, narrower
from ortstudio.services.exchange import TensorValue, Value
from ortstudio.services.inputs import as_tensor
from ortstudio.services.layers_scales import Quantizer, Scale, is_quantized

ROUNDINGS = 8
"""How many roundings of a coarse type may come together in one value."""


@dataclass(frozen=True, slots=True)
class Means:
    """What the elements of a pair of values mean, and how far apart they may be for it.

    `scales` are of the quantized ones. `step` is that of a dequantized value. `reader` is the
    quantizer that alone reads the value in B and not in A: only what it lets through counts.
    """

    scales: tuple[Scale | None, Scale | None] = (None, None)
    step: float = 0.0
    reader: Quantizer | None = None


def judged(
    name: str,
    a: Value,
    b: Value,
    means: Means,
    tolerance: Tolerance,
    coarse: tuple[float, float] = (0.0, 0.0),
) -> tuple[OutputAgreement, float]:
    """How two values differ, and what was allowed beyond the tolerance.

    Quantized values may be one of their steps apart. Where the two are quantized otherwise, or one
    is not, they are compared as the numbers that they stand for. `coarse` is what some roundings of
    the types on the way make: against the largest number, and in numbers.
    """
    step = means.step
    if isinstance(a, TensorValue) and isinstance(b, TensorValue):
        same = a.data_type == b.data_type and means.scales[0] == means.scales[1]
        if same and is_quantized(a) and means.scales[0] is not None:
            step = 1.0
        elif not same:
            a, b = _as_real(a, means.scales[0]), _as_real(b, means.scales[1])
            step = max([step, *(scale.step for scale in means.scales if scale is not None)])
        elif means.reader is not None and a.numbers.dtype.kind == b.numbers.dtype.kind == "f":
            a, b, step = means.reader.passed(a), means.reader.passed(b), means.reader.scale.step
        step += ROUNDINGS * max(coarse[0] * _size(a) if coarse[0] else 0.0, coarse[1])
        if a.dims != b.dims and is_regrouped(a.dims, b.dims):
            b = reshaped(b, a.dims)
    ours, theirs, _ = in_one_type({name: a}, {name: b})
    return agreement(ours, theirs, tolerance, {name: step})[0], step


def is_in_other_layout(a: Value, b: Value) -> bool:
    """Whether the elements of the two stand in another order, so that they cannot be compared."""
    if not isinstance(a, TensorValue) or not isinstance(b, TensorValue) or a.dims == b.dims:
        return False
    return element_count(a.dims) == element_count(b.dims) and not is_regrouped(a.dims, b.dims)


def reshaped(value: TensorValue, dims: tuple[int, ...]) -> TensorValue:
    """The same elements under another shape."""
    plain = value.array.shape == value.dims
    return TensorValue(value.data_type, dims, value.array.reshape(dims) if plain else value.array)


@dataclass(frozen=True, slots=True)
class Form:
    """How B holds a value."""

    data_type: int
    dims: tuple[int, ...]


def form_to_give(a: Value, b: Value, scales: tuple[Scale | None, Scale | None]) -> Form | None:
    """How B holds a value, where it can take A's in its place, else None."""
    if not isinstance(a, TensorValue) or not isinstance(b, TensorValue):
        return None
    kinds = (
        DataType.FLOAT if scale is not None else value.data_type
        for value, scale in zip((a, b), scales, strict=True)
    )
    same = a.data_type == b.data_type and scales[0] == scales[1]
    fits = a.dims == b.dims or is_regrouped(a.dims, b.dims)
    return Form(b.data_type, b.dims) if fits and (same or narrower(*kinds) is not None) else None


def as_given(
    value: TensorValue, form: Form, scales: tuple[Scale | None, Scale | None]
) -> TensorValue:
    """A value of A as B would hold it."""
    if value.data_type != form.data_type or scales[0] != scales[1]:
        real = _as_real(value, scales[0])
        if scales[1] is not None:
            value = scales[1].quantized(real.numbers, form.data_type)
        else:
            value = as_tensor(form.data_type, real.numbers)
    return reshaped(value, form.dims)


def _as_real(value: TensorValue, scale: Scale | None) -> TensorValue:
    return scale.real(value) if scale is not None and is_quantized(value) else value


def _size(value: TensorValue) -> float:
    """The largest number."""
    numbers = value.numbers
    if numbers.dtype.kind not in "fiu" or not numbers.size:
        return 0.0
    sizes = np.abs(numbers.astype(np.float64))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
