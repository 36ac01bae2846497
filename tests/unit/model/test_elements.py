"""Elements of tensors against `onnx.numpy_helper` and numpy, whatever holds them."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes  # noqa: F401  (makes numpy know the types that onnx answers with)
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from ortstudio.errors import FormatError
from ortstudio.format.arrays import Numbers
from ortstudio.format.source import WHOLE_FILE_BYTES, Source
from ortstudio.model.elements import Elements, open_elements
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.statistics import histogram, statistics
from ortstudio.model.tensor import Span, Storage, StringData, Tensor, TypedData
from ortstudio.model.types import DataType, packed_size

NUMERIC = [kind for kind in DataType if kind not in (DataType.UNDEFINED, DataType.STRING)]
RNG = np.random.default_rng(5)


def model_of(tensor: TensorProto) -> bytes:
    graph = helper.make_graph([], "g", [], [], [tensor])
    return bytes(helper.make_model(graph).SerializeToString())


def elements_of(tensor: TensorProto) -> Elements:
    model = read_onnx(Source.of_bytes(model_of(tensor)))
    assert model.error is None
    return open_elements(model.source, model.main.initializers[0])


def expected_of(tensor: TensorProto) -> Numbers:
    """What onnx makes of it, widened as we widen."""
    array = numpy_helper.to_array(tensor)
    kind = tensor.data_type
    if kind in (DataType.INT4, DataType.INT2):
        return array.astype(np.int8)
    if kind in (DataType.UINT4, DataType.UINT2):
        return array.astype(np.uint8)
    small_floats = ("bfloat", "float4", "float6_", "float8")
    if array.dtype.kind == "V" or array.dtype.name.startswith(small_floats):
        return array.astype(np.float32)
    return array


def raw_tensor(kind: DataType, dims: tuple[int, ...]) -> TensorProto:
    """Random bits; sub-byte padding is random too, and bools are 0 or 1."""
    size = packed_size(kind, dims)
    assert size is not None
    bits = RNG.integers(0, 2 if kind == DataType.BOOL else 256, size, np.uint8)
    return TensorProto(name="t", data_type=kind, dims=dims, raw_data=bits.tobytes())


def typed_tensor(kind: DataType, dims: tuple[int, ...]) -> TensorProto:
    """The same numbers in the typed field that the specification gives them."""
    raw = raw_tensor(kind, dims)
    tensor = TensorProto(name="t", data_type=kind, dims=dims)
    bits = np.frombuffer(raw.raw_data, np.uint8)
    if kind in (DataType.FLOAT6E2M3, DataType.FLOAT6E3M2):
        tensor.int32_data.extend(numpy_helper.to_array(raw).view(np.uint8).ravel().tolist())
    elif kind in (DataType.FLOAT, DataType.COMPLEX64):
        tensor.float_data.extend(bits.view("<f4").tolist())
    elif kind in (DataType.DOUBLE, DataType.COMPLEX128):
        tensor.double_data.extend(bits.view("<f8").tolist())
    elif kind == DataType.INT64:
        tensor.int64_data.extend(bits.view("<i8").tolist())
    elif kind in (DataType.UINT64, DataType.UINT32):
        tensor.uint64_data.extend(bits.view("<u8" if kind == DataType.UINT64 else "<u4").tolist())
    else:
        widths = {
            DataType.INT32: "<i4",
            DataType.INT16: "<i2",
            DataType.UINT16: "<u2",
            DataType.FLOAT16: "<u2",
            DataType.BFLOAT16: "<u2",
            DataType.INT8: "<i1",
        }
        tensor.int32_data.extend(bits.view(widths.get(kind, "<u1")).tolist())
    return tensor


@pytest.mark.parametrize("kind", NUMERIC)
@pytest.mark.parametrize("make", [raw_tensor, typed_tensor])
@pytest.mark.parametrize("dims", [(7, 3), (), (0,), (2, 0, 3)])
def test_elements_equal_those_that_onnx_reads(
    kind: DataType, make: object, dims: tuple[int, ...]
) -> None:
    assert callable(make)
    tensor = make(kind, dims)
    found = elements_of(tensor).array()
    expected = expected_of(tensor)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", NUMERIC)
@pytest.mark.parametrize("make", [raw_tensor, typed_tensor])
def test_a_window_equals_the_same_slice_of_all(kind: DataType, make: object) -> None:
    assert callable(make)
    elements = elements_of(make(kind, (37,)))
    whole = elements.array()
    for first, end in [(0, 1), (1, 2), (3, 10), (5, 37), (36, 37), (7, 7), (30, 99), (9, 3)]:
        np.testing.assert_array_equal(elements.window(first, end), whole[first:end])
    np.testing.assert_array_equal(np.concatenate(list(elements.chunks(5))), whole)


def test_strings_are_text_and_bytes_that_are_not_stay_visible() -> None:
    tensor = TensorProto(name="t", data_type=DataType.STRING, dims=[2, 2])
    tensor.string_data.extend([b"a", "ä".encode(), b"", b"\xff!"])
    assert elements_of(tensor).array().tolist() == [["a", "ä"], ["", "\\xff!"]]


def test_a_long_run_of_varints_is_read_piece_by_piece() -> None:
    values = RNG.integers(-(1 << 62), 1 << 62, 200_000)
    tensor = helper.make_tensor("t", TensorProto.INT64, [len(values)], values.tolist())
    elements = elements_of(tensor)
    np.testing.assert_array_equal(elements.array(), values)
    np.testing.assert_array_equal(elements.window(123_456, 123_500), values[123_456:123_500])


@pytest.mark.parametrize(
    "kind",
    [DataType.FLOAT, DataType.INT64, DataType.DOUBLE, DataType.INT4, DataType.FLOAT6E2M3],
)
def test_numbers_that_are_not_packed_read_the_same(kind: DataType) -> None:
    """The fields are declared packed, but a parser takes both forms, and so do we."""
    tensor = typed_tensor(kind, (9,))
    elements = elements_of(tensor)
    data = elements.tensor.data
    assert isinstance(data, TypedData)
    assert data.packed == (True,)
    loose = TensorProto()
    loose.CopyFrom(tensor)
    field, numbers = next(
        (field, value) for field, value in tensor.ListFields() if field.name.endswith("_data")
    )
    loose.ClearField(field.name)
    content = loose.SerializeToString() + b"".join(
        unpacked(field.number, kind, number) for number in numbers
    )
    model = read_onnx(Source.of_bytes(wrapped(content)))
    again = open_elements(model.source, model.main.initializers[0])
    assert isinstance(again.tensor.data, TypedData)
    assert not any(again.tensor.data.packed)
    np.testing.assert_array_equal(again.array(), elements.array())
    np.testing.assert_array_equal(again.window(2, 5), elements.window(2, 5))


def unpacked(number: int, kind: DataType, value: float) -> bytes:
    if kind == DataType.FLOAT:
        return bytes([number << 3 | 5]) + np.float32(value).tobytes()
    if kind == DataType.DOUBLE:
        return bytes([number << 3 | 1]) + np.float64(value).tobytes()
    return bytes([number << 3]) + varint(int(value) & (1 << 64) - 1)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def wrapped(tensor: bytes) -> bytes:
    """A model whose graph has one initializer, given in bytes."""
    graph = b"\x2a" + varint(len(tensor)) + tensor
    return b"\x08\x0a\x3a" + varint(len(graph)) + graph


def test_bytes_that_do_not_fit_the_shape_are_told_with_both_numbers() -> None:
    tensor = TensorProto(name="w", data_type=1, dims=[3], raw_data=bytes(11))
    with pytest.raises(FormatError, match=r"'w' has 11 bytes .* need 12"):
        elements_of(tensor)


@pytest.mark.parametrize("count", [2, 4])
def test_typed_numbers_that_do_not_fit_the_shape_are_told_with_both_numbers(count: int) -> None:
    fields = [(1, "float_data"), (7, "int64_data"), (3, "int32_data"), (27, "int32_data")]
    for kind, field in fields:
        tensor = TensorProto(name="w", data_type=kind, dims=[3])
        getattr(tensor, field).extend([1] * count)
        with pytest.raises(FormatError, match=f"'w' has {count} numbers .* need 3"):
            elements_of(tensor).array()


def test_strings_that_do_not_fit_the_shape_are_told_with_both_numbers() -> None:
    tensor = TensorProto(name="w", data_type=8, dims=[3], string_data=[b"a"])
    with pytest.raises(FormatError, match=r"'w' has 1 strings .* needs 3"):
        elements_of(tensor)


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (TensorProto(name="w", data_type=1, dims=[3]), "leaves them out"),
        (TensorProto(name="w", data_type=99, dims=[3], raw_data=b"abc"), r"unknown\(99\)"),
        (TensorProto(name="w", data_type=8, dims=[3], raw_data=b"abc"), "string"),
        (TensorProto(name="w", data_type=1, dims=[-3, -1], raw_data=bytes(12)), "negative size"),
    ],
)
def test_what_cannot_be_read_says_why(tensor: TensorProto, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        elements_of(tensor)


def test_a_window_of_a_large_file_reads_only_what_it_needs(tmp_path: Path) -> None:
    count = WHOLE_FILE_BYTES
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(4 * count)
        file.seek(4 * 1_000_000)
        file.write(np.arange(10, dtype="<f4").tobytes())
    source = Source.open(path)
    tensor = Tensor("w", 1, (count,), Storage.RAW, Span(0, 4 * count), 0)
    elements = open_elements(source, tensor)
    np.testing.assert_array_equal(elements.window(1_000_000, 1_000_010), np.arange(10))
    assert source.bytes_read == 0


def flat(values: Numbers) -> Elements:
    kind = {"f4": 1, "f8": 11, "i8": 7, "u8": 13, "b1": 9, "c8": 14, "f2": 10}[values.dtype.str[1:]]
    source = Source.of_bytes(values.tobytes())
    size = len(source.u8) and values.nbytes
    return open_elements(source, Tensor("t", kind, values.shape, Storage.RAW, Span(0, size), 0))


@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<i8", "<f2"])
def test_statistics_equal_those_of_numpy_over_many_chunks(dtype: str) -> None:
    values = (RNG.normal(1e4, 3, 700_001)).astype(dtype)
    values[::7] = 0
    found = statistics(flat(values))
    wide = values.astype(np.float64)
    assert found.count == len(values)
    assert (found.min, found.max) == (values.min(), values.max())
    assert found.mean == pytest.approx(wide.mean(), rel=1e-12)
    assert found.std == pytest.approx(wide.std(), rel=1e-9)
    assert (found.zeros, found.nan, found.inf) == (int((values == 0).sum()), 0, 0)


def test_a_small_spread_far_from_zero_is_not_lost() -> None:
    values = 1e9 + np.tile([0.0, 1.0], 400_000)
    assert statistics(flat(values)).std == pytest.approx(0.5, rel=1e-9)


def test_what_is_not_finite_is_counted_and_left_out() -> None:
    values = np.array([np.nan, -np.inf, np.inf, np.inf, 2, -0.0, 4], "<f4")
    found = statistics(flat(values))
    assert (found.nan, found.inf, found.zeros) == (1, 3, 1)
    assert (found.min, found.max, found.mean) == (0, 4, 2)


def test_integers_keep_every_digit() -> None:
    found = statistics(flat(np.array([-(1 << 63), (1 << 63) - 1], "<i8")))
    assert (found.min, found.max) == (-(1 << 63), (1 << 63) - 1)


def test_where_there_are_no_numbers_there_is_no_mean() -> None:
    for values in (np.zeros(0, "<f4"), np.full(3, np.nan, "<f4"), np.ones(2, "<c8")):
        found = statistics(flat(values))
        assert (found.min, found.max, found.mean, found.std) == (None,) * 4
        assert histogram(flat(values), found) is None


def test_few_whole_numbers_have_a_bin_each() -> None:
    elements = flat(np.array([3, 5, 5, -1]))
    found = histogram(elements, statistics(elements))
    assert found is not None
    assert found.edges.tolist() == [-1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert found.counts.tolist() == [1, 0, 0, 0, 1, 0, 2]


def test_numbers_beyond_float64_give_no_mean_and_no_warning() -> None:
    found = statistics(flat(np.array([1.7e308, -1.7e308, 1.7e308], "<f8")))
    assert (found.min, found.max, found.std) == (-1.7e308, 1.7e308, None)


def test_bools_count_as_zero_and_one_whatever_their_byte() -> None:
    source = Source.of_bytes(bytes([0, 1, 2, 255]))
    elements = open_elements(source, Tensor("t", 9, (4,), Storage.RAW, Span(0, 4), 0))
    assert elements.array().tolist() == [False, True, True, True]
    found = statistics(elements)
    assert (found.min, found.max, found.mean, found.zeros) == (0, 1, 0.75, 1)


def test_strings_have_a_count_and_no_numbers() -> None:
    source = Source.of_bytes(b"ab")
    data = StringData((Span(0, 1), Span(1, 1)))
    found = statistics(open_elements(source, Tensor("t", 8, (2,), Storage.STRINGS, data, 0)))
    assert (found.count, found.min, found.zeros) == (2, None, 0)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30),
    st.integers(1, 20),
)
def test_every_finite_number_falls_into_the_histogram(values: list[float], bins: int) -> None:
    elements = flat(np.array(values, "<f8"))
    found = histogram(elements, statistics(elements), bins)
    assert found is not None
    assert len(found.counts) == bins
    assert int(found.counts.sum()) == len(values)
    assert found.edges[0] <= min(values)
    assert found.edges[-1] >= max(values)


def test_a_histogram_equals_that_of_numpy() -> None:
    values = RNG.normal(size=600_000).astype("<f4")
    elements = flat(values)
    found = histogram(elements, statistics(elements), 50)
    assert found is not None
    counts, edges = np.histogram(values.astype(np.float64), 50)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.edges, edges)


def test_every_initializer_of_the_corpus_has_the_numbers_that_onnx_reads(corpus: Path) -> None:
    compared = 0
    for path in sorted((corpus / "sources").glob("*.onnx")):
        model = read_onnx(Source.open(path))
        proto = onnx.load(path)
        for tensor, expected in zip(model.main.initializers, proto.graph.initializer, strict=True):
            found = open_elements(model.source, tensor).array()
            if tensor.data_type == DataType.STRING:
                assert found.ravel().tolist() == [text.decode() for text in expected.string_data]
            else:
                np.testing.assert_array_equal(found, expected_of(expected))
            compared += 1
    assert compared > 100
