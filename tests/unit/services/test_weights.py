from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.errors import FormatError, MissingError, RefusedError
from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from ortstudio.services.weights import check_external_data, check_weights
from tests.builders.onnx_files import FLOAT, onnx_model, read, value, weight


def external(name: str, dims: list[int], location: str, **entries: int) -> TensorProto:
    tensor = TensorProto(name=name, data_type=FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(text))
    return tensor


def model_of(folder: Path, tensor: TensorProto) -> Model:
    node = helper.make_node("Add", ["x", "w"], ["y"], name="add")
    made = onnx_model([node], [value("x")], [value("y")], [tensor])
    onnx.save(made, folder / "m.onnx")
    return read_model(folder / "m.onnx")


def test_external_files_are_found_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(16))
    model = model_of(tmp_path, external("w", [2], "w.bin", offset=8, length=8))
    assert check_external_data(model) == (tmp_path / "w.bin",)


def test_a_missing_file_is_named_with_its_tensor(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"none\.bin.*tensor w"):
        check_external_data(model_of(tmp_path, external("w", [2], "none.bin")))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"offset": 12, "length": 8}, r"bytes 12 to 20 of 'w\.bin', which has 16"),
        ({"offset": 12}, r"bytes 12 to 20 of 'w\.bin', which has 16"),
        ({"length": 17}, r"bytes 0 to 17"),
    ],
)
def test_a_short_file_is_told_by_range_and_size(
    tmp_path: Path, entries: dict[str, int], words: str
) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(16))
    with pytest.raises(FormatError, match=words):
        check_external_data(model_of(tmp_path, external("w", [2], "w.bin", **entries)))


def test_files_are_called_as_the_model_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that they can be told from the other files of a folder that was named."""
    model_of(tmp_path, external("w", [2], "w.bin", length=8))
    monkeypatch.chdir(tmp_path.parent)
    given = Path(tmp_path.name)
    (given / "w.bin").write_bytes(bytes(8))
    assert check_external_data(read_model(given / "m.onnx")) == (given / "w.bin",)
    (given / "w.bin").write_bytes(bytes(4))
    with pytest.raises(FormatError) as caught:
        check_external_data(read_model(given / "m.onnx"))
    assert caught.value.where.path == str(given / "w.bin")


@pytest.mark.parametrize("location", ["../w.bin", "a/../../w.bin", "/etc/passwd"])
def test_weights_outside_the_folder_are_refused(tmp_path: Path, location: str) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(bytes(16))
    with pytest.raises(RefusedError, match="outside"):
        check_external_data(model_of(folder, external("w", [2], location)))


def test_external_data_of_a_constant_node_counts_too(tmp_path: Path) -> None:
    node = helper.make_node("Constant", [], ["y"], value=external("", [2], "none.bin"))
    onnx.save(onnx_model([node], [], [value("y")]), tmp_path / "m.onnx")
    with pytest.raises(MissingError, match="none"):
        check_external_data(read_model(tmp_path / "m.onnx"))


def huge(*names: str) -> ModelProto:
    """Weights of 822 MB each, none of them there."""
    weights = [external(name, [14336, 14336], "w.bin") for name in names]
    nodes = [helper.make_node("MatMul", ["x", name], [f"y_{name}"]) for name in names if name < "u"]
    return onnx_model(nodes, [value("x")], [value(node.output[0]) for node in nodes], weights)


def test_more_than_2_gib_of_weights_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"2 GiB.*2\.3 GiB"):
        check_weights(read(huge("a", "b", "c")))
    check_weights(read(huge("a", "b")))


def test_weights_that_nothing_reads_do_not_count() -> None:
    check_weights(read(huge("a", "b", "unused")))


def test_weights_in_a_branch_count() -> None:
    branch = huge("a", "b", "c").graph
    branch.ClearField("input")
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    model = onnx_model([node], [value("c", TensorProto.BOOL, [])], [value("y")])
    with pytest.raises(RefusedError, match="2 GiB"):
        check_weights(read(model))


def test_small_models_pass() -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = onnx_model([node], [value("x")], [value("y")], [weight("w", np.ones(2, np.float32))])
    check_weights(read(model))
    assert check_external_data(read(model)) == ()
