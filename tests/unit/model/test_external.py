"""External data: found beside the model, refused anywhere else, checked before it is read."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.errors import FormatError, MissingError, RefusedError, StudioError
from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.external import ExternalFile, external_files, external_tensors, locate
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.tensor import Tensor

VALUES = np.arange(6, dtype="<f4")


def external(name: str, location: str, **said: int) -> TensorProto:
    tensor = TensorProto(name=name, data_type=1, dims=[2, 3], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    for key, value in said.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def model_of(*tensors: TensorProto) -> ModelProto:
    return helper.make_model(helper.make_graph([], "g", [], [], list(tensors)))


def saved(folder: Path, *tensors: TensorProto) -> Model:
    path = folder / "m.onnx"
    path.write_bytes(model_of(*tensors).SerializeToString())
    return read_onnx(Source.open(path))


def values_of(model: Model, row: int = 0) -> list[float]:
    tensor = model.main.initializers[row]
    return list(open_elements(model.source, tensor).array().ravel().tolist())


def test_elements_are_read_from_the_place_that_the_model_names(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "w.bin").write_bytes(b"....." + VALUES.tobytes() + b"more")
    model = saved(
        tmp_path,
        external("a", "sub/w.bin", offset=5, length=24),
        external("b", "./sub/w.bin", offset=5),
    )
    assert values_of(model) == VALUES.tolist()
    assert values_of(model, 1) == VALUES.tolist()
    window = open_elements(model.source, model.main.initializers[0]).window(2, 4)
    assert window.tolist() == [2, 3]


def test_files_are_listed_once_with_what_is_needed_of_them(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(40))
    model = saved(
        tmp_path,
        external("a", "w.bin", length=24),
        external("b", "w.bin", offset=24),
        external("c", "none.bin"),
        external("d", "../up.bin"),
    )
    files = external_files(model)
    assert files[0] == ExternalFile("w.bin", 40, True, 48, "It has 40 bytes, the model needs 48")
    assert [(file.path, file.size_bytes, file.found) for file in files[1:]] == [
        ("none.bin", None, False),
        ("../up.bin", None, False),
    ]
    assert "no file 'none.bin'" in files[1].problem
    assert "outside" in files[2].problem


def test_tensors_in_attributes_functions_and_sparse_tensors_are_found_too() -> None:
    sparse = helper.make_sparse_tensor(external("s", "s.bin"), external("i", "i.bin"), [6])
    inner = helper.make_graph([], "inner", [], [], [external("g", "g.bin")])
    node = helper.make_node("Op", [], ["y"], value=external("v", "v.bin"), body=inner)
    defaults = [helper.make_attribute("a", external("d", "d.bin"))]
    function = helper.make_function("d", "F", [], ["y"], [node], [], attribute_protos=defaults)
    graph = helper.make_graph([node], "g", [], [], [external("t", "t.bin")])
    graph.sparse_initializer.append(sparse)
    proto = helper.make_model(graph, functions=[function])
    model = read_onnx(Source.of_bytes(proto.SerializeToString()))
    names = sorted(tensor.name for tensor, _ in external_tensors(model))
    assert names == sorted(["t", "s", "i", "v", "g", "v", "g", "d"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"no file 'w\.bin'"):
        values_of(saved(tmp_path, external("a", "w.bin")))


def test_a_short_file_is_told_with_the_range_and_the_real_length(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(20))
    with pytest.raises(FormatError, match=r"'a' needs bytes 0 to 24 of 'w\.bin', which has 20"):
        values_of(saved(tmp_path, external("a", "w.bin", length=24)))


def test_a_length_that_the_shape_contradicts_is_told(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(200))
    with pytest.raises(FormatError, match="has 20 bytes where its type and shape need 24"):
        values_of(saved(tmp_path, external("a", "w.bin", length=20)))


@pytest.mark.parametrize(
    "location",
    [
        "",
        "..",
        "../w.bin",
        "sub/../../w.bin",
        "sub/../w.bin",
        "/etc/passwd",
        "//server/share/w.bin",
        "C:/w.bin",
        "C:w.bin",
        "\\w.bin",
        "..\\w.bin",
        "sub\\..\\..\\w.bin",
    ],
)
def test_a_location_outside_the_folder_is_refused(tmp_path: Path, location: str) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "w.bin").write_bytes(VALUES.tobytes())
    with pytest.raises(RefusedError, match="outside the model's folder"):
        locate(str(folder / "m.onnx"), location)


@pytest.mark.parametrize("location", [".", "sub", "w.bin/x", "a\0b", "n" * 5000])
def test_what_is_no_file_is_missing(tmp_path: Path, location: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "w.bin").write_bytes(b"")
    with pytest.raises(MissingError):
        locate(str(tmp_path / "m.onnx"), location)


def linked(link: Path, target: Path) -> None:
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("this system makes no links here")


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(VALUES.tobytes())
    linked(tmp_path / "w.bin", tmp_path / "real.bin")
    assert values_of(saved(tmp_path, external("a", "w.bin"))) == VALUES.tolist()


@pytest.mark.parametrize("through_folder", [False, True])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, through_folder: bool) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "w.bin").write_bytes(VALUES.tobytes())
    if through_folder:
        linked(folder / "sub", outside)
    else:
        linked(folder / "w.bin", outside / "w.bin")
    location = "sub/w.bin" if through_folder else "w.bin"
    with pytest.raises(RefusedError, match="is a link to"):
        values_of(saved(folder, external("a", location)))


def test_a_model_behind_a_link_may_keep_its_weights_beside_the_real_file(tmp_path: Path) -> None:
    """So caches of downloaded models do it, and ONNX Runtime 1.32 loads them."""
    blobs, names = tmp_path / "blobs", tmp_path / "names"
    blobs.mkdir()
    names.mkdir()
    (blobs / "aa").write_bytes(model_of(external("a", "w.bin")).SerializeToString())
    (blobs / "bb").write_bytes(VALUES.tobytes())
    linked(names / "m.onnx", blobs / "aa")
    linked(names / "w.bin", blobs / "bb")
    assert values_of(read_onnx(Source.open(names / "m.onnx"))) == VALUES.tolist()


def test_links_in_a_circle_are_no_file(tmp_path: Path) -> None:
    linked(tmp_path / "w.bin", tmp_path / "v.bin")
    linked(tmp_path / "v.bin", tmp_path / "w.bin")
    with pytest.raises(StudioError):
        locate(str(tmp_path / "m.onnx"), "w.bin")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.bin")
    with pytest.raises(MissingError):
        locate(str(tmp_path / "m.onnx"), "w.bin")


def test_a_model_that_is_in_no_folder_has_no_external_data() -> None:
    content = model_of(external("a", "w.bin")).SerializeToString()
    model = read_onnx(Source.of_bytes(content))
    tensor: Tensor = model.main.initializers[0]
    with pytest.raises(MissingError, match="folder"):
        open_elements(model.source, tensor)
    assert not external_files(model)[0].found
