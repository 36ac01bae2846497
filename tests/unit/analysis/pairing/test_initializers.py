"""Every way in which an initializer lives on, and both ways in which it does not."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.initializers import NOT_KNOWN, SAME_RECORD
from ortstudio.analysis.pairing.rows import Change, NamedRow, NodeRow
from tests.builders.onnx_files import onnx_model, value, weight
from tests.unit.analysis.pairing.weights import (
    KERNEL,
    RANDOM,
    WEIGHTS,
    Array,
    model,
    of,
    one,
    only,
    rows,
)


def test_the_same_is_kept() -> None:
    assert one(WEIGHTS, WEIGHTS, "w") == NamedRow("kept", of("w"), of("w"), "The same elements")


def test_a_new_name_is_a_renaming() -> None:
    row = one(WEIGHTS, WEIGHTS)
    assert row == NamedRow(
        "kept", of("w"), of("v"), "Renamed: the same elements", (Change("name", "w", "v"),)
    )


def test_bytes_decide_not_the_field_that_holds_them() -> None:
    typed = helper.make_tensor("w", TensorProto.FLOAT, [8, 6], WEIGHTS.ravel().tolist())
    assert not typed.HasField("raw_data")
    assert only(model(typed), model(weight("w", WEIGHTS))).reason == "The same elements"


@pytest.mark.parametrize("data_type", [TensorProto.BFLOAT16, TensorProto.FLOAT8E5M2])
def test_types_that_numpy_lacks_are_the_same_in_either_field(data_type: int) -> None:
    typed = helper.make_tensor("w", data_type, [4], [1.0, -2.0, float("nan"), 0.5])
    raw = TensorProto(name="w", data_type=data_type, dims=[4])
    raw.raw_data = onnx.numpy_helper.to_array(typed).tobytes()
    assert only(model(typed), model(raw)).kind == "kept"


def test_what_follows_the_last_of_a_half_byte_does_not_count() -> None:
    ours = TensorProto(name="w", data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\x03")
    theirs = TensorProto(name="w", data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\xf3")
    assert only(model(ours), model(theirs)).kind == "kept"


def test_strings_differ_where_they_are_cut_otherwise() -> None:
    ours, theirs = weight("w", np.array(["ab", "c"])), weight("w", np.array(["a", "bc"]))
    row = only(model(ours), model(theirs))
    assert row.kind == "changed"
    assert row.reason == "2 of 2 elements differ, first at [0]"
    assert row.changes == (Change("element [0]", "ab", "a"),)


def test_a_single_flipped_bit_is_found() -> None:
    flipped = WEIGHTS.copy()
    flipped.view(np.uint32)[5, 2] ^= 1
    row = one(WEIGHTS, flipped, "w")
    apart = abs(float(flipped[5, 2]) - float(WEIGHTS[5, 2]))
    assert row.kind == "changed"
    assert row.reason == f"1 of 48 elements differs, at most by {apart:.3g} at [5, 2]"
    assert row.changes == (Change("element [5, 2]", str(WEIGHTS[5, 2]), str(flipped[5, 2])),)


def test_the_sign_of_a_zero_is_found() -> None:
    zeros = np.zeros(4, np.float32)
    row = one(zeros, np.array([0, 0, -0.0, 0], np.float32), "w")
    assert row.reason == "1 of 4 elements differs in bits but not in value, first at [2]"


def test_the_largest_difference_is_told_wherever_it_is() -> None:
    changed = WEIGHTS.copy()
    changed[1, 1] += 1
    changed[6, 3] -= 3
    row = one(WEIGHTS, changed, "w")
    assert row.reason == "2 of 48 elements differ, at most by 3 at [6, 3]"


def test_a_not_a_number_on_one_side_is_a_difference_without_size() -> None:
    row = one(np.array([1, 2], np.float32), np.array([1, np.nan], np.float32), "w")
    assert row.reason == "1 of 2 elements differs, first at [1]"
    assert row.changes == (Change("element [1]", "2.0", "nan"),)


def test_a_difference_beyond_the_first_part_is_found_at_its_place() -> None:
    long = np.zeros((3, 200_000), np.int8)
    changed = long.copy()
    changed[2, 100_000] = 5
    row = one(long, changed, "w")
    assert row.reason == "1 of 600,000 elements differs, at most by 5 at [2, 100000]"


def test_a_transposed_weight_is_recognised_under_another_name() -> None:
    row = one(WEIGHTS, np.ascontiguousarray(WEIGHTS.T))
    assert row.kind == "changed"
    assert row.reason == "Re-laid out: the same elements, transposed by [1, 0]"
    assert row.changes == (Change("name", "w", "v"), Change("shape", "[8, 6]", "[6, 8]"))


def test_a_square_weight_is_transposed_too() -> None:
    square = WEIGHTS[:6]
    row = one(square, np.ascontiguousarray(square.T), "w")
    assert row.reason == "Re-laid out: the same elements, transposed by [1, 0]"


def test_a_new_shape_alone_is_a_reshape() -> None:
    row = one(WEIGHTS, WEIGHTS.reshape(4, 12), "w")
    assert row.reason == "Reshaped: the same elements in the same order"


def test_an_unknown_order_is_said_to_be_one() -> None:
    order = RANDOM.permutation(48)
    row = one(WEIGHTS, WEIGHTS.ravel()[order].reshape(8, 6))
    assert row.reason == "Re-laid out: the same elements, in another order"


def blocked(kernel: Array, block: int) -> Array:
    """Weights as MLAS reorders them, a block of outputs at a time, element by element."""
    outputs, inputs, height, width = kernel.shape
    places = np.zeros((-(-outputs // block) * block, inputs, height, width), kernel.dtype)
    flat = places.reshape(-1)
    at = 0
    for first in range(0, outputs, block):
        for i in range(inputs):
            for y in range(height):
                for x in range(width):
                    for o in range(first, first + block):
                        flat[at] = kernel[o, i, y, x] if o < outputs else 0
                        at += 1
    return places


def test_blocked_convolution_weights_are_recognised() -> None:
    row = one(KERNEL, blocked(KERNEL, 8))
    assert row.reason == "Re-laid out: the same elements, in blocks, OIHW8o"


def test_padding_to_a_block_is_told_with_the_layout() -> None:
    row = one(KERNEL, blocked(KERNEL, 16))
    assert row.reason == "Padded with 480 zeros, in blocks, OIHW16o"
    assert row.changes[1] == Change("shape", "[8, 3, 5, 4]", "[16, 3, 5, 4]")


def test_a_padded_bias_is_recognised() -> None:
    bias = np.arange(1, 9, dtype=np.float32)
    row = one(bias, np.concatenate([bias, np.zeros(8, np.float32)]))
    assert row.reason == "Padded with 8 zeros"


def test_conversion_to_half_precision_says_what_rounding_cost() -> None:
    half = WEIGHTS.astype(np.float16)
    worst = np.abs(half.astype(np.float64) - WEIGHTS).max()
    row = one(WEIGHTS, half)
    assert row.kind == "changed"
    assert row.reason == f"Converted from float to float16, rounded by at most {worst:.3g}"
    assert row.changes == (Change("name", "w", "v"), Change("type", "float", "float16"))


def test_conversion_without_loss_says_so() -> None:
    row = one(np.arange(9, dtype=np.int64), np.arange(9, dtype=np.int32))
    assert row.reason == "Converted from int64 to int32, every value the same"


def test_conversion_to_bfloat16_is_recognised() -> None:
    row = one(WEIGHTS, WEIGHTS.astype(ml_dtypes.bfloat16))
    assert row.reason.startswith("Converted from float to bfloat16, rounded by at most 0.0")


def test_signed_weights_may_become_unsigned() -> None:
    signed = RANDOM.integers(-128, 128, (5, 7)).astype(np.int8)
    unsigned = (signed.astype(np.int16) + 128).astype(np.uint8)
    assert one(signed, unsigned).reason == "From int8 to uint8: every element is 128 more"
    assert one(unsigned, signed).reason == "From uint8 to int8: every element is 128 less"


def test_a_zero_point_that_became_unsigned_is_no_copy_of_another() -> None:
    zero, other = weight("z", np.array(0, np.int8)), weight("wz", np.array(0, np.int8))

    def quantized(zero_point: TensorProto) -> ModelProto:
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "s", zero_point.name], ["q"], "q"),
            helper.make_node("Custom", ["q", "wz"], ["y"], "c", domain="my.ops"),
        ]
        return model(weight("s", np.array(0.5, np.float32)), other, zero_point, nodes=nodes)

    pairs = [NodeRow("changed", (NodeRef("/", i),), (NodeRef("/", i),), "") for i in (0, 1)]
    found = rows(quantized(zero), quantized(weight("u", np.array(128, np.uint8))), pairs)
    assert found[2].reason == "From int8 to uint8: every element is 128 more"


def test_single_elements_are_not_tied_by_their_values_alone() -> None:
    ours = model(weight("p", np.array(1, np.int64)), weight("w", WEIGHTS))
    theirs = model(weight("w", WEIGHTS), weight("q", np.array(1, np.float32)))
    assert [row.kind for row in rows(ours, theirs)] == ["removed", "kept", "added"]


def test_quantization_is_recognised_by_one_scale() -> None:
    codes = np.clip(np.round(WEIGHTS / 0.02) + 3, -128, 127).astype(np.int8)
    assert one(WEIGHTS, codes).reason == "Quantized from float to int8, one scale of about 0.02"


def test_quantization_is_recognised_by_a_scale_for_each_channel() -> None:
    scales = np.array([0.01, 0.3, 0.02, 0.05, 0.5, 0.04], np.float32)
    codes = np.round(WEIGHTS / scales).clip(-128, 127).astype(np.int8)
    row = one(WEIGHTS, codes)
    assert row.reason == "Quantized from float to int8, a scale for each place along axis 1"


def test_integers_that_fit_no_scale_are_no_quantization() -> None:
    codes = RANDOM.integers(-128, 128, (8, 6)).astype(np.int8)
    row = one(WEIGHTS, codes)
    assert row.reason.startswith("48 of 48 elements differ")
    assert Change("type", "float", "int8") in row.changes


def test_the_same_name_ties_what_nothing_else_does() -> None:
    row = one(WEIGHTS, np.zeros((2, 2), np.float32), "w")
    assert (row.kind, row.reason) == ("changed", "Other elements under the same name")


def sparse(places: Array, dims: Sequence[int]) -> ModelProto:
    values = weight("s", np.array([1.5, 2.5], np.float32))
    made = helper.make_sparse_tensor(values, weight("", places), dims)
    use = helper.make_node("Add", ["x", "s"], ["y"])
    return onnx_model([use], [value("x")], [value("y")], sparse=[made])


def test_sparse_constants_are_the_same_by_places_not_by_the_form_of_indices() -> None:
    linear = sparse(np.array([1, 5], np.int64), [2, 3])
    by_rows = sparse(np.array([[0, 1], [1, 2]], np.int64), [2, 3])
    elsewhere = sparse(np.array([1, 4], np.int64), [2, 3])
    assert only(linear, by_rows).kind == "kept"
    assert only(linear, elsewhere).reason == "Other elements under the same name"


def external(location: str) -> TensorProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


def test_elements_that_cannot_be_read_are_not_said_to_be_the_same() -> None:
    here = weight("w", np.zeros(4, np.float32))
    for other in (here, external("elsewhere.bin")):
        row = only(model(external("gone.bin")), model(other))
        assert row == NamedRow("kept", of("w"), of("w"), NOT_KNOWN)


def test_the_same_part_of_the_same_missing_file_is_the_same() -> None:
    row = only(model(external("gone.bin")), model(external("gone.bin")))
    assert (row.kind, row.reason) == ("kept", SAME_RECORD)


def test_damaged_elements_are_the_same_only_in_the_same_place() -> None:
    cut = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], raw_data=bytes(12))
    other = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], raw_data=bytes(8))
    before = model(weight("longer name", WEIGHTS), cut)
    assert only(model(cut), model(cut)).reason == SAME_RECORD
    assert rows(before, model(other))[1].reason == NOT_KNOWN
