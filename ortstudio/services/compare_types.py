"""Values of two models that compute in floats of different widths, brought to one type.

The narrower of two types is what both can say: a value that it lacks is no difference of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.errors import RefusedError
from ortstudio.model.types import DataType, TensorType, ValueType, data_type_text
from ortstudio.services.exchange import TensorValue, Value
from ortstudio.services.inputs import as_tensor

_BY_PRECISION = (
    DataType.DOUBLE,
    DataType.FLOAT,
    DataType.FLOAT16,
    DataType.BFLOAT16,
    DataType.FLOAT8E4M3FN,
    DataType.FLOAT8E4M3FNUZ,
    DataType.FLOAT8E5M2,
    DataType.FLOAT8E5M2FNUZ,
)
"""Floats, the most precise first."""


def narrower(a: int, b: int) -> int | None:
    """The less precise of two float types; None where one is no float."""
    if a not in _BY_PRECISION or b not in _BY_PRECISION:
        return None
    return max(a, b, key=lambda kind: _BY_PRECISION.index(DataType(kind)))


def for_both(
    values: Mapping[str, Value], types: Mapping[str, ValueType | None]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The same inputs for A, and for B, which states its types; of numbers that both types have.

    Raises RefusedError where the types of an input differ in more than precision.
    """
    ours, theirs = dict(values), dict(values)
    for name, value in values.items():
        of = types.get(name)
        if isinstance(value, TensorValue) and isinstance(of, TensorType):
            if value.data_type == of.elem_type:
                continue
            common = narrower(value.data_type, of.elem_type)
            if common is None:
                raise RefusedError(
                    f"B takes other inputs than A: {name} is {data_type_text(of.elem_type)} in B,"
                    f" and {data_type_text(value.data_type)} in A"
                )
            numbers = as_tensor(common, value.numbers)
            ours[name] = as_tensor(value.data_type, numbers.numbers)
            theirs[name] = as_tensor(of.elem_type, numbers.numbers)
    return ours, theirs


def in_one_type(
    a: Mapping[str, Value], b: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Value], list[str]]:
    """Values of both in types that can be compared, and a note on each where that took a change.

    What differs in more than precision stays as it is.
    """
    notes: list[str] = []
    ours, theirs = dict(a), dict(b)
    for name, x in a.items():
        y = b.get(name)
        if not isinstance(x, TensorValue) or not isinstance(y, TensorValue):
            continue
        common = narrower(x.data_type, y.data_type)
        if common is not None and x.data_type != y.data_type:
            ours[name], theirs[name] = as_tensor(common, x.numbers), as_tensor(common, y.numbers)
            notes.append(
                f"{name} is compared as {data_type_text(common)}:"
                f" A gives {data_type_text(x.data_type)}, B {data_type_text(y.data_type)}"
            )
    return ours, theirs, notes
