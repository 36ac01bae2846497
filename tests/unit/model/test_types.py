"""Numbers, names and widths of types against the `onnx` package."""

from __future__ import annotations

import pytest
from onnx import AttributeProto, TensorProto, helper

from ortstudio.model.types import (
    MOST_ELEMENTS,
    AttributeType,
    DataType,
    bit_width,
    data_type_text,
    element_count,
)


def test_element_types_are_those_of_onnx() -> None:
    assert {kind.name: kind.value for kind in DataType} == dict(TensorProto.DataType.items())


def test_attribute_types_are_those_of_onnx() -> None:
    ours = {kind.name: kind.value for kind in AttributeType}
    assert ours == dict(AttributeProto.AttributeType.items())


@pytest.mark.parametrize("kind", [kind for kind in DataType if kind])
def test_eight_elements_take_as_many_bytes_as_one_has_bits(kind: DataType) -> None:
    width = bit_width(kind)
    if kind == DataType.STRING:
        assert width is None
    else:
        assert width is not None
        # Refuses what is not as long as the type asks for.
        helper.make_tensor("t", kind, [8], bytes(width), raw=True)


def test_a_number_that_onnx_does_not_define_is_shown() -> None:
    unknown = len(DataType)
    assert data_type_text(unknown) == f"unknown({unknown})"
    assert bit_width(unknown) is None


@pytest.mark.parametrize(
    ("dims", "count"),
    [
        ((), 1),
        ((2, 3, 4), 24),
        ((5, 0, 2**62), 0),
        ((-1, 7), -7),
        ((2**40, 2**40), MOST_ELEMENTS),
        ((-(2**40), 2**40), -MOST_ELEMENTS),
        ((2**62,) * 100_000, MOST_ELEMENTS),
    ],
)
def test_a_count_of_elements_stays_within_what_a_file_can_state(
    dims: tuple[int, ...], count: int
) -> None:
    assert element_count(dims) == count
