"""Files with weights beside a model that is written anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import onnx
import pytest

from ortstudio.errors import MissingError
from ortstudio.services.data_files import DataFiles
from ortstudio.services.edit import EditSettings, edit
from ortstudio.services.edit_changes import Changes
from ortstudio.services.reading import read_model
from tests.builders.knowledge import CORPUS


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("extdata.onnx", "extdata.bin"):
        shutil.copy(CORPUS / "sources" / name, folder)
    return folder / "extdata.onnx"


def test_in_the_same_folder_they_stay(source: Path, tmp_path: Path) -> None:
    files = DataFiles(read_model(source), source.with_name("made.onnx"))
    assert (files.stay, files.targets) == (True, [])
    assert files.originals == [source.with_name("extdata.bin")]
    files.bring(tmp_path, run=False)
    assert not (tmp_path / "extdata.bin").exists()
    files.bring(tmp_path, run=True)
    assert (tmp_path / "extdata.bin").read_bytes() == files.originals[0].read_bytes()


def test_a_file_system_without_links_gets_a_copy_for_the_run(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    files = DataFiles(read_model(source), source.with_name("made.onnx"))
    files.bring(tmp_path, run=True)
    assert (tmp_path / "extdata.bin").stat().st_nlink == 1
    assert (tmp_path / "extdata.bin").read_bytes() == files.originals[0].read_bytes()


def test_into_another_folder_they_come_along(source: Path, tmp_path: Path) -> None:
    files = DataFiles(read_model(source), tmp_path / "other" / "made.onnx")
    assert files.targets == [tmp_path / "other" / "extdata.bin"]
    (tmp_path / "staged").mkdir()
    files.bring(tmp_path / "staged", run=False)
    assert (tmp_path / "staged" / "extdata.bin").stat().st_nlink == 1


def test_what_is_missing_matters_where_it_is_to_come_along(source: Path, tmp_path: Path) -> None:
    source.with_name("extdata.bin").unlink()
    model = read_model(source)
    DataFiles(model, source.with_name("made.onnx")).bring(tmp_path, run=True)
    with pytest.raises(MissingError, match=r"extdata\.bin"):
        DataFiles(model, tmp_path / "other" / "made.onnx").bring(tmp_path, run=False)


def test_gigabytes_of_weights_are_not_looked_at(tmp_path: Path) -> None:
    """A file of 3 GB that takes no room on the disk."""
    size = 3_000_000_000
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(size)
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[size // 4])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    output = onnx.helper.make_tensor_value_info("w", 1, [size // 4])
    graph = onnx.helper.make_graph([], "g", [], [output], [tensor])
    (tmp_path / "m.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
    settings = EditSettings(tmp_path / "made.onnx", Changes(outputs={"w": "v"}), verify=False)
    done = edit(tmp_path / "m.onnx", settings)
    assert done.error is None
    made = onnx.load(tmp_path / "made.onnx", load_external_data=False)
    assert made.graph.initializer[0].name == "v"
    assert made.graph.initializer[0].external_data[0].value == "w.bin"
