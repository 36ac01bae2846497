from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from ortstudio.model.bits import encode
from ortstudio.model.types import DataType
from ortstudio.services import agreement as module
from ortstudio.services.agreement import BIGGEST, OutputAgreement, Tolerance, agreement
from ortstudio.services.exchange import MapValue, SequenceValue, TensorValue, Value

TYPES = {
    np.dtype("f4"): DataType.FLOAT,
    np.dtype("f8"): DataType.DOUBLE,
    np.dtype("i8"): DataType.INT64,
    np.dtype("u1"): DataType.UINT8,
    np.dtype("?"): DataType.BOOL,
    np.dtype("c8"): DataType.COMPLEX64,
    np.dtype("O"): DataType.STRING,
}


def tensor(values: object, dtype: str = "f4") -> TensorValue:
    array = np.array(values, dtype)
    return TensorValue(TYPES[array.dtype], array.shape, array)


def bits(data_type: DataType, numbers: Sequence[float]) -> TensorValue:
    return TensorValue(data_type, (len(numbers),), encode(data_type, np.array(numbers)))


def one(a: Value, b: Value, step: float = 0.0) -> OutputAgreement:
    (found,) = agreement({"y": a}, {"y": b}, Tolerance(), {"y": step})
    return found


def test_equal_outputs_are_equal() -> None:
    assert one(tensor([1, 2]), tensor([1, 2])) == OutputAgreement("y")


def test_a_difference_within_tolerance_agrees_and_is_told() -> None:
    found = one(tensor([1, 2], "f8"), tensor([1, 2.001], "f8"))
    assert (found.agrees, found.equal, found.where) == (True, False, (1,))
    assert found.max_abs == pytest.approx(0.001)
    assert found.max_rel == pytest.approx(0.0005)


@pytest.mark.parametrize(
    ("a", "b", "agrees"),
    [
        # atol alone: 1e-4 · max(1, max|a|)
        ([0.0, 0.5], [1e-4, 0.5], True),
        ([0.0, 0.5], [1.1e-4, 0.5], False),
        ([0.0, 100.0], [1e-2, 100.0], True),
        ([0.0, 100.0], [1.1e-2, 100.0], False),
        # and rtol: 1e-3 · |a| beside it
        ([1000.0], [1001.09], True),
        ([1000.0], [1001.2], False),
    ],
)
def test_the_tolerance_is_that_of_the_contract(
    a: list[float], b: list[float], agrees: bool
) -> None:
    assert one(tensor(a, "f8"), tensor(b, "f8")).agrees is agrees


def test_the_worst_difference_is_found_in_its_place() -> None:
    a = np.zeros((2, 3, 4))
    b = a.copy()
    b[0, 1, 2], b[1, 2, 3] = 0.5, -2.0
    found = one(tensor(a, "f8"), tensor(b, "f8"))
    assert (found.agrees, found.where, found.max_abs) == (False, (1, 2, 3), 2.0)


def test_the_place_is_one_that_disagrees_where_there_is_one() -> None:
    """A large number may differ by more than a small one, and agree."""
    found = one(tensor([1e4, 0.0], "f8"), tensor([1e4 + 5, 4.0], "f8"))
    assert (found.where, found.max_abs) == ((1,), 5.0)


def test_a_scalar_has_a_place_too() -> None:
    assert one(tensor(1.0), tensor(2.0)).where == ()


def test_nothing_agrees_with_nothing() -> None:
    assert one(tensor(np.zeros((0, 3))), tensor(np.zeros((0, 3)))) == OutputAgreement("y")


def test_nan_equals_nan_and_both_are_counted() -> None:
    found = one(tensor([np.nan, 1, np.nan]), tensor([np.nan, 1, np.nan]))
    assert (found.equal, found.nan_both, found.nan_one) == (True, 2, 0)


def test_nan_against_a_number_is_a_difference() -> None:
    found = one(tensor([1, np.nan, 3]), tensor([1, 2, 3]))
    assert (found.agrees, found.nan_both, found.nan_one, found.where) == (False, 0, 1, (1,))
    assert found.max_abs == 0.0


def test_infinities_are_equal_only_to_themselves() -> None:
    assert one(tensor([np.inf, -np.inf]), tensor([np.inf, -np.inf])).equal
    for other in (1.0, -np.inf):
        found = one(tensor([np.inf]), tensor([other]))
        assert (found.agrees, found.max_abs) == (False, BIGGEST)
    json.dumps(one(tensor([1.0]), tensor([np.inf])).to_json(), allow_nan=False)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    a = random.normal(size=(7, 11))
    b = a + random.normal(size=(7, 11)) * 1e-3
    a[3, 3] = b[3, 3] = np.nan
    whole = one(tensor(a, "f8"), tensor(b, "f8"))
    monkeypatch.setattr(module, "BLOCK", 5)
    assert one(tensor(a, "f8"), tensor(b, "f8")) == whole
    assert whole.where is not None


def test_integers_must_be_equal() -> None:
    found = one(tensor([1, 5], "i8"), tensor([1, 6], "i8"))
    assert (found.agrees, found.max_abs, found.where) == (False, 1.0, (1,))


def test_large_neighbours_are_told_apart() -> None:
    found = one(tensor([2**62], "i8"), tensor([2**62 + 1], "i8"))
    assert (found.agrees, found.equal, found.max_abs) == (False, False, 1.0)


@pytest.mark.parametrize(("other", "agrees"), [(6, True), (4, True), (7, False)])
def test_a_quantized_output_may_be_one_step_off(other: int, agrees: bool) -> None:
    found = one(tensor([5], "u1"), tensor([other], "u1"), step=1)
    assert (found.agrees, found.equal) == (agrees, False)


@pytest.mark.parametrize(("other", "agrees"), [(1.5, True), (0.5, True), (2.0, False)])
def test_a_float_out_of_a_quantizer_may_be_one_step_off(other: float, agrees: bool) -> None:
    assert one(tensor([1.0]), tensor([other]), step=0.5).agrees is agrees


def test_booleans_and_strings_must_be_equal() -> None:
    assert one(tensor([True], "?"), tensor([True], "?")).equal
    assert one(tensor([True, False], "?"), tensor([True, True], "?"), step=1).where == (1,)
    assert one(tensor(["a", "é"], "O"), tensor(["a", "é"], "O")).equal
    found = one(tensor(["a", "b"], "O"), tensor(["a", "c"], "O"))
    assert (found.agrees, found.max_abs, found.where) == (False, 0.0, (1,))


def test_complex_numbers_are_compared_as_such() -> None:
    assert one(tensor([1 + 1j], "c8"), tensor([1 + 1.0001j], "c8")).agrees
    assert not one(tensor([1 + 1j], "c8"), tensor([1 - 1j], "c8")).agrees


def test_types_that_numpy_lacks_are_compared_as_numbers() -> None:
    a = bits(DataType.BFLOAT16, [1.0, 2.0])
    assert one(a, a).equal
    neighbour = bits(DataType.BFLOAT16, [1.0, 2.0 + 2.0**-6])
    assert one(a, neighbour).agrees
    assert one(a, neighbour).max_abs == 2.0**-6
    assert not one(a, bits(DataType.BFLOAT16, [1.0, 2.25])).agrees
    assert not one(bits(DataType.INT4, [1, -8]), bits(DataType.INT4, [1, 7])).agrees


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        (tensor([1]), tensor([[1]]), "shapes [1] and [1, 1]"),
        (tensor([1]), tensor([1], "f8"), "element types float and double"),
        (tensor([1]), None, "values of different kinds"),
        (SequenceValue((tensor([1]),)), SequenceValue(()), "1 elements against 0"),
        (
            MapValue(tensor([1], "i8"), tensor([1])),
            MapValue(tensor([2], "i8"), tensor([1])),
            "different keys",
        ),
    ],
)
def test_what_cannot_be_compared_differs(a: Value, b: Value, note: str) -> None:
    found = one(a, b)
    assert (found.agrees, found.equal, found.note) == (False, False, note)


def test_an_output_of_one_side_only_differs() -> None:
    found = agreement({"a": tensor([1])}, {"b": tensor([1])}, Tolerance())
    assert [(output.name, output.agrees) for output in found] == [("a", False), ("b", False)]


def test_a_sequence_is_as_good_as_its_worst_element() -> None:
    a = SequenceValue((tensor([1, 1]), tensor([1, 1]), tensor([np.nan])))
    b = SequenceValue((tensor([1, 1.00001]), tensor([1, 3]), tensor([np.nan])))
    found = one(a, b)
    assert (found.agrees, found.where, found.max_abs, found.nan_both) == (False, (1, 1), 2.0, 1)
    assert one(a, a).equal
    assert one(SequenceValue(()), SequenceValue(())) == OutputAgreement("y")


def test_maps_have_no_order_and_name_the_key() -> None:
    a = MapValue(tensor(["x", "y"], "O"), tensor([1, 2]))
    assert one(a, MapValue(tensor(["y", "x"], "O"), tensor([2, 1]))).equal
    found = one(a, MapValue(tensor(["y", "x"], "O"), tensor([4, 1])))
    assert (found.agrees, found.where) == (False, ("y",))


def test_an_absent_optional_equals_itself() -> None:
    assert one(None, None).equal
