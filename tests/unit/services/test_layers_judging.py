from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from ortstudio.model.types import DataType
from ortstudio.services.agreement import Tolerance
from ortstudio.services.exchange import SequenceValue, TensorValue
from ortstudio.services.inputs import as_tensor
from ortstudio.services.layers_judging import (
    Form,
    Means,
    as_given,
    form_to_give,
    is_in_other_layout,
    judged,
)
from ortstudio.services.layers_scales import Quantizer, Scale

NARROW = Scale(0.5, 0)
SHIFTED = Scale(0.5, 128)


def of(data_type: int, values: ArrayLike) -> TensorValue:
    return as_tensor(data_type, np.asarray(values))


def floats(*values: float) -> TensorValue:
    return of(DataType.FLOAT, values)


def agrees(a: TensorValue, b: TensorValue, means: Means = Means(), **how: object) -> bool:  # noqa: B008
    return judged("v", a, b, means, Tolerance(), **how)[0].agrees  # type: ignore[arg-type]


def test_quantized_values_may_be_one_step_apart() -> None:
    a, b, c = (of(DataType.INT8, [1, n]) for n in (5, 6, 7))
    means = Means((NARROW, NARROW))
    assert agrees(a, b, means)
    assert not agrees(a, c, means)
    assert not agrees(a, b)


def test_values_that_are_quantized_otherwise_are_compared_as_what_they_stand_for() -> None:
    signed, unsigned = of(DataType.INT8, [-3, 4]), of(DataType.UINT8, [125, 132])
    found, allowed = judged("v", signed, unsigned, Means((NARROW, SHIFTED)), Tolerance())
    assert (found.equal, allowed) == (True, 0.5)
    assert agrees(floats(-1.5, 2.0), unsigned, Means((None, SHIFTED)))
    assert not agrees(floats(-1.5, 3.0), unsigned, Means((None, SHIFTED)))


def test_only_what_the_quantizer_behind_lets_through_counts() -> None:
    a, b = floats(0.0, 1.0, 3.0), floats(-7.0, 1.1, 900.0)
    assert not agrees(a, b)
    reader = Quantizer(Scale(0.01, 0), DataType.UINT8)
    clipped = agrees(floats(0.0, 1.0, 2.55), floats(-7.0, 1.0, 900.0), Means(reader=reader))
    assert clipped
    assert not agrees(floats(0.0, 1.0), floats(0.0, 1.1), Means(reader=reader))


def test_coarse_types_allow_for_roundings_against_the_largest_number_or_in_numbers() -> None:
    a, b = floats(0.0, 8.0), floats(0.05, 8.0)
    assert not agrees(a, b)
    assert agrees(a, b, coarse=(2.0**-8, 0.0))
    assert agrees(a, b, coarse=(0.0, 0.01))


def test_another_grouping_of_dimensions_is_no_difference() -> None:
    rows = np.arange(6.0)
    a, b = of(DataType.FLOAT, rows.reshape(1, 2, 3)), of(DataType.FLOAT, rows.reshape(2, 3))
    assert judged("v", a, b, Means(), Tolerance())[0].equal
    assert not is_in_other_layout(a, b)
    assert is_in_other_layout(b, of(DataType.FLOAT, rows.reshape(3, 2)))
    assert not is_in_other_layout(b, SequenceValue(()))


@pytest.mark.parametrize(
    ("a", "b", "scales", "given"),
    [
        (floats(1.0), of(DataType.FLOAT16, [2.0]), (None, None), [1.0]),
        (floats(-1.5, 70.0), of(DataType.UINT8, [0, 0]), (None, SHIFTED), [125, 255]),
        (of(DataType.INT8, [-3]), of(DataType.UINT8, [0]), (NARROW, SHIFTED), [125]),
        (of(DataType.INT8, [-3]), floats(0.0), (NARROW, None), [-1.5]),
        (of(DataType.INT64, [7]), of(DataType.INT64, [0]), (None, None), [7]),
    ],
)
def test_a_value_of_a_is_given_as_b_holds_it(
    a: TensorValue,
    b: TensorValue,
    scales: tuple[Scale | None, Scale | None],
    given: list[float],
) -> None:
    form = form_to_give(a, b, scales)
    assert form == Form(b.data_type, b.dims)
    made = as_given(a, form, scales)
    assert (made.data_type, made.numbers.tolist()) == (b.data_type, given)


def test_a_value_is_given_in_the_shape_that_b_has() -> None:
    a, b = of(DataType.FLOAT, np.ones((1, 2, 3))), of(DataType.FLOAT, np.ones((2, 3)))
    form = form_to_give(a, b, (None, None))
    assert form is not None
    assert as_given(a, form, (None, None)).dims == (2, 3)


@pytest.mark.parametrize(
    "b", [of(DataType.INT64, [1]), floats(1.0, 2.0), SequenceValue((floats(1.0),))]
)
def test_what_b_cannot_take_is_not_given(b: TensorValue | SequenceValue) -> None:
    assert form_to_give(floats(1.0), b, (None, None)) is None
