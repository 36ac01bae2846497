from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, ValueInfoProto, helper

from ortstudio.errors import FormatError, MissingError, RefusedError, UsageError
from ortstudio.model.types import DataType, bit_width
from ortstudio.services import inputs as module
from ortstudio.services.exchange import MapValue, SequenceValue, TensorValue, Value
from ortstudio.services.inputs import SIZES, Attempt, Inputs, InputSettings
from tests.builders.onnx_files import FLOAT, identity, onnx_model, read, value, weight

ONCE = Attempt({})


def inputs_of(*values: ValueInfoProto, settings: InputSettings | None = None) -> Inputs:
    return Inputs(read(identity(*values)), settings or InputSettings())


def sizes_of(*values: ValueInfoProto, settings: InputSettings | None = None) -> list[object]:
    return [dict(attempt.sizes) for attempt in inputs_of(*values, settings=settings).attempts()]


def made(data_type: int, shape: Sequence[int] = (1000,), *, small: bool = False) -> TensorValue:
    found = inputs_of(value("x", data_type, shape)).make(Attempt({}, small))["x"]
    assert isinstance(found, TensorValue)
    return found


def array(found: Value) -> list[object]:
    assert isinstance(found, TensorValue)
    listed = found.numbers.tolist()
    assert isinstance(listed, list)
    return listed


def test_a_model_without_open_sizes_has_one_attempt() -> None:
    assert sizes_of(value("x", FLOAT, [2, 3])) == [{}]


def test_every_symbol_has_one_value_and_sizes_grow() -> None:
    found = sizes_of(value("x", FLOAT, [1, "n"]), value("y", FLOAT, ["m", "n"]))
    assert found == [{"n": size, "m": size} for size in SIZES]


def test_sizes_in_what_reads_an_input_are_tried_last() -> None:
    """The rows of a matrix and the numbers of a scaler; batches stay 1 then."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Scaler", ["x"], ["b"], domain="ai.onnx.ml", scale=[1.0] * 17),
        helper.make_node("MatMul", ["a", "v"], ["y"]),
    ]
    weights = [
        weight("w", np.zeros((37, 5), np.float32)),
        weight("v", np.zeros((5, 41), np.float32)),
    ]
    x, outputs = value("x", FLOAT, ["n", "m"]), [value("y"), value("b")]
    model = onnx_model(nodes, [x], outputs, weights, domains=["ai.onnx.ml"])
    found = [dict(one.sizes) for one in Inputs(read(model), InputSettings()).attempts()]
    assert found[: len(SIZES)] == [{"n": size, "m": size} for size in SIZES]
    assert found[len(SIZES) :] == [{"n": 1, "m": size} for size in (37, 5, 17)]
    chosen = Inputs(read(model), InputSettings(dims={"m": 9})).attempts()
    assert {one.sizes["m"] for one in chosen} == {9}


def test_a_size_without_a_name_is_named_by_its_axis() -> None:
    assert sizes_of(value("x", FLOAT, [None, 2]))[0] == {"x[0]": 1}


def test_a_size_that_the_user_gave_stays() -> None:
    settings = InputSettings(dims={"n": 3})
    found = sizes_of(value("x", FLOAT, ["n", "m"]), settings=settings)
    assert found == [{"n": 3, "m": size} for size in SIZES]
    assert sizes_of(value("x", FLOAT, ["n"]), settings=settings) == [{"n": 3}]


def test_a_batch_does_not_grow_where_everything_would_be_too_much() -> None:
    found = sizes_of(value("x", FLOAT, ["N", 3, "H", "W"]))
    assert found[:3] == [dict.fromkeys("NHW", size) for size in (1, 8, 64)]
    assert found[3:] == [{"N": 1, "H": size, "W": size} for size in (224, 320, 640)]


def test_the_shape_follows_the_sizes() -> None:
    inputs = inputs_of(value("x", FLOAT, ["n", 2, None]))
    found = inputs.make(Attempt({"n": 3, "x[2]": 4}))["x"]
    assert isinstance(found, TensorValue)
    assert (found.dims, found.array.shape) == ((3, 2, 4), (3, 2, 4))


def test_the_same_seed_gives_the_same_inputs_whatever_stands_beside() -> None:
    alone = inputs_of(value("x")).make(ONCE)["x"]
    beside = inputs_of(value("a"), value("x"), value("y")).make(ONCE)
    assert array(alone) == array(beside["x"])
    assert array(beside["x"]) != array(beside["y"])
    other = inputs_of(value("x"), settings=InputSettings(seed=1)).make(ONCE)["x"]
    assert array(alone) != array(other)


@pytest.mark.parametrize(
    "data_type", [t for t in DataType if t not in (DataType.UNDEFINED, DataType.STRING)]
)
def test_every_element_type_with_bits_can_be_made(data_type: DataType) -> None:
    found = made(data_type)
    assert (found.data_type, found.dims) == (data_type, (1000,))
    numbers = found.numbers
    assert numbers.shape == (1000,)
    assert len(np.unique(numbers)) > 1
    assert np.isfinite(numbers.astype(np.complex128)).all()


@pytest.mark.parametrize(
    ("data_type", "low", "high"),
    [
        (DataType.UINT8, 0, 255),
        (DataType.INT8, -128, 127),
        (DataType.INT4, -8, 7),
        (DataType.UINT2, 0, 3),
        (DataType.INT32, 0, 9),
        (DataType.INT64, 0, 9),
    ],
)
def test_narrow_integers_use_all_of_their_range_and_wide_ones_little(
    data_type: DataType, low: int, high: int
) -> None:
    numbers = made(data_type, (20_000,)).numbers
    assert (numbers.min(), numbers.max()) == (low, high)


def test_integers_can_be_kept_within_0_and_1() -> None:
    for data_type in (DataType.INT64, DataType.UINT8, DataType.INT4):
        assert set(made(data_type, small=True).numbers.tolist()) == {0, 1}
    assert len(set(made(DataType.FLOAT, small=True).numbers.tolist())) > 2


def test_a_range_holds_for_its_input_alone() -> None:
    settings = InputSettings(ranges={"x": (3, 4), "i": (7, 8)})
    inputs = inputs_of(
        value("x", FLOAT, [100]),
        value("i", TensorProto.INT64, [100]),
        value("j", TensorProto.INT64, [100]),
        settings=settings,
    )
    found = inputs.make(Attempt({}, small_integers=True))
    assert all(isinstance(x, float) and 3 <= x <= 4 for x in array(found["x"]))
    assert set(array(found["i"])) == {7, 8}
    assert set(array(found["j"])) == {0, 1}


def test_strings_read_as_numbers() -> None:
    found = array(made(DataType.STRING))
    assert len(set(found)) > 1
    assert all(isinstance(text, str) and 0 <= int(text) <= 9 for text in found)


def test_sequences_and_optionals_are_made() -> None:
    tensor = helper.make_tensor_type_proto(FLOAT, ["n", 2])
    inputs = inputs_of(
        helper.make_value_info("s", helper.make_sequence_type_proto(tensor)),
        helper.make_value_info("o", helper.make_optional_type_proto(tensor)),
    )
    found = inputs.make(next(inputs.attempts()))
    assert isinstance(found["s"], SequenceValue)
    first, second = found["s"].elements
    assert array(first) != array(second)
    assert isinstance(found["o"], TensorValue)
    assert found["o"].dims == (1, 2)


@pytest.mark.parametrize(
    ("key_type", "attribute", "vocabulary"),
    [
        (TensorProto.STRING, "string_vocabulary", ["red", "green"]),
        (TensorProto.INT64, "int64_vocabulary", [10, 20]),
    ],
)
def test_maps_have_the_keys_that_the_model_knows(
    key_type: int, attribute: str, vocabulary: list[object]
) -> None:
    of = helper.make_map_type_proto(key_type, helper.make_tensor_type_proto(FLOAT, None))
    node = helper.make_node("DictVectorizer", ["m"], ["y"], domain="ai.onnx.ml")
    node.attribute.append(helper.make_attribute(attribute, vocabulary))
    model = onnx_model(
        [node], [helper.make_value_info("m", of)], [value("y")], domains=["ai.onnx.ml"]
    )
    found = Inputs(read(model), InputSettings()).make(ONCE)["m"]
    assert isinstance(found, MapValue)
    assert (array(found.keys), found.values.dims) == (vocabulary, (2,))


def test_a_type_that_cannot_be_made_is_refused() -> None:
    sparse = helper.make_value_info("x", helper.make_sparse_tensor_type_proto(FLOAT, [2]))
    with pytest.raises(RefusedError, match="x"):
        inputs_of(sparse).make(ONCE)


def test_an_element_type_that_nobody_knows_is_refused() -> None:
    model = identity(value("x"))
    model.graph.input[0].type.tensor_type.elem_type = 99
    with pytest.raises(RefusedError, match="99"):
        Inputs(read(model), InputSettings()).make(ONCE)


def test_an_input_with_a_default_is_left_alone() -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = onnx_model(
        [node], [value("x"), value("w")], [value("y")], [weight("w", np.ones(2, np.float32))]
    )
    assert list(Inputs(read(model), InputSettings()).types) == ["x"]


def test_an_input_with_a_sparse_default_is_left_alone() -> None:
    sparse = helper.make_sparse_tensor(
        weight("w", np.ones(1, np.float32)), weight("", np.zeros(1, np.int64)), [2]
    )
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = onnx_model([node], [value("x"), value("w")], [value("y")], sparse=[sparse])
    assert list(Inputs(read(model), InputSettings()).types) == ["x"]


@pytest.mark.parametrize(
    "settings", [InputSettings(dims={"z": 1}), InputSettings(ranges={"z": (0, 1)})]
)
def test_a_name_that_the_model_does_not_have_is_told_with_those_it_has(
    settings: InputSettings,
) -> None:
    with pytest.raises(UsageError, match=r"z.*It has: "):
        inputs_of(value("x", FLOAT, ["n"]), settings=settings)


def test_what_was_used_can_be_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", y=np.zeros(2))
    file = str(tmp_path / "f.npz")
    inputs = inputs_of(
        value("x", FLOAT, ["n", 2]),
        value("i", TensorProto.INT64, [1]),
        value("y"),
        settings=InputSettings(file=file),
    )
    assert inputs.record(Attempt({"n": 8})) == {
        "x": {"type": "tensor(float)[8,2]", "values": "random"},
        "i": {"type": "tensor(int64)[1]", "values": "random within 0 and 9"},
        "y": {"type": "tensor(float)[2]", "values": f"from {file}"},
    }


def given(tmp_path: Path, data_type: int, array: object) -> Value:
    np.savez(tmp_path / "f.npz", x=np.asarray(array))
    settings = InputSettings(file=str(tmp_path / "f.npz"))
    return inputs_of(value("x", data_type, [None]), settings=settings).make(ONCE)["x"]


@pytest.mark.parametrize(
    ("data_type", "numbers"),
    [
        (DataType.FLOAT, np.array([1.5, 2.5])),
        (DataType.FLOAT, np.array([1, 2])),
        (DataType.FLOAT16, np.array([1.5, 2.5], np.float32)),
        (DataType.BFLOAT16, np.array([1.5, 2.5], np.float32)),
        (DataType.BFLOAT16, np.array([1.5, 2.5], ml_dtypes.bfloat16)),
        (DataType.FLOAT8E4M3FN, np.array([1.5, 2.5], ml_dtypes.float8_e4m3fn)),
        (DataType.INT8, np.array([-1, 2])),
        (DataType.INT4, np.array([-8, 7])),
        (DataType.STRING, np.array(["a", "é"])),
        (DataType.BOOL, np.array([True, False])),
    ],
)
def test_the_users_own_arrays_are_taken(
    tmp_path: Path, data_type: DataType, numbers: np.ndarray[tuple[int], np.dtype[np.generic]]
) -> None:
    found = given(tmp_path, data_type, numbers)
    assert isinstance(found, TensorValue)
    assert found.data_type == data_type
    assert found.numbers.tolist() == numbers.tolist()


@pytest.mark.parametrize(
    ("data_type", "numbers", "words"),
    [
        (DataType.INT64, [1.5], "float64"),
        (DataType.INT8, [300], "greater numbers"),
        (DataType.STRING, [1], "int64"),
        (DataType.FLOAT, ["a"], "<U1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, data_type: DataType, numbers: list[object], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        given(tmp_path, data_type, numbers)


def settings_with(tmp_path: Path, dims: Mapping[str, int], **arrays: object) -> InputSettings:
    np.savez(tmp_path / "f.npz", **arrays)  # type: ignore[arg-type]
    return InputSettings(dims=dims, file=str(tmp_path / "f.npz"))


def test_the_shape_of_an_array_is_the_size_of_its_symbols_everywhere(tmp_path: Path) -> None:
    values = value("p", FLOAT, ["seq", 6]), value("idx", TensorProto.INT64, ["seq"])
    settings = settings_with(tmp_path, {}, idx=[1, 2, 3, 4])
    inputs = inputs_of(*values, settings=settings)
    attempts = list(inputs.attempts())
    assert [dict(attempt.sizes) for attempt in attempts] == [{"seq": 4}]
    assert array(inputs.make(attempts[0])["idx"]) == [1, 2, 3, 4]
    assert inputs.record(attempts[0])["p"]["type"] == "tensor(float)[4,6]"
    assert inputs.record(attempts[0])["idx"]["type"] == "tensor(int64)[4]"


@pytest.mark.parametrize(
    ("dims", "arrays", "words"),
    [
        ({"n": 3}, {"x": [1.0, 2.0]}, r"shape \[2\].*n is 3"),
        ({}, {"x": [1.0, 2.0], "y": [[1.0, 2.0]]}, r"input y .*shape \[1,2\].*n is 2"),
        ({}, {"y": [[1.0, 2.0, 3.0]]}, r"input y is tensor\(float\)\[n,2\].*shape \[1,3\]"),
        ({}, {"x": [[1.0]]}, r"input x .*shape \[1,1\]"),
    ],
)
def test_arrays_of_another_shape_are_refused(
    tmp_path: Path, dims: dict[str, int], arrays: dict[str, object], words: str
) -> None:
    values = value("x", FLOAT, ["n"]), value("y", FLOAT, ["n", 2])
    with pytest.raises(UsageError, match=words):
        inputs_of(*values, settings=settings_with(tmp_path, dims, **arrays))


def test_an_array_for_an_input_of_unknown_rank_may_have_any(tmp_path: Path) -> None:
    inputs = inputs_of(value("x", FLOAT, None), settings=settings_with(tmp_path, {}, x=[[1.0]]))
    assert inputs.record(next(inputs.attempts()))["x"]["type"] == "tensor(float)[1,1]"


def test_a_file_that_is_not_there_or_not_of_arrays_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        inputs_of(value("x"), settings=InputSettings(file=str(tmp_path / "none.npz")))
    (tmp_path / "f.npz").write_bytes(b"no archive")
    with pytest.raises(FormatError, match=r"no \.npz file.*numpy\.savez"):
        inputs_of(value("x"), settings=InputSettings(file=str(tmp_path / "f.npz")))
    np.save(tmp_path / "f.npy", np.zeros(2))
    with pytest.raises(FormatError, match=r"no \.npz file"):
        inputs_of(value("x"), settings=InputSettings(file=str(tmp_path / "f.npy")))


def test_a_file_is_never_unpickled(tmp_path: Path) -> None:
    with (tmp_path / "f.npz").open("wb") as file:
        np.savez(file, x=np.array([{"a": 1}], object))
    with pytest.raises(FormatError, match="Object arrays"):
        inputs_of(value("x"), settings=InputSettings(file=str(tmp_path / "f.npz")))


def test_the_limit_on_elements_counts_all_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY_ELEMENTS", 20)
    found = sizes_of(value("x", FLOAT, ["N", "n"]), value("y", FLOAT, ["N", 1]))
    assert found[:2] == [{"N": 1, "n": 1}, {"N": 1, "n": 8}]


def test_4_bit_inputs_are_packed() -> None:
    found = made(DataType.UINT4, (5,))
    width = bit_width(DataType.UINT4)
    assert width == 4
    assert found.array.shape == (3,)
