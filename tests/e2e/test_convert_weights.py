"""Conversions of models whose weights lie in other files, or are too many."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from ortstudio.errors import RefusedError
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.converting import listing, one, save, small_model


def test_external_weights_end_in_one_file(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(256, 256)).astype(np.float32)
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    model = onnx_model(
        [node], [value("x", FLOAT, [1, 256])], [value("y", FLOAT, [1, 256])], [weight("w", weights)]
    )
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="ext.bin")
    row = one(tmp_path / "m.onnx")
    assert row.ok
    assert row.outputs[0].size_bytes > weights.nbytes
    moved = tmp_path / "alone"
    moved.mkdir()
    shutil.move(tmp_path / "m.ort", moved)
    assert onnxruntime.InferenceSession(moved / "m.ort").get_outputs()[0].name == "y"


@pytest.mark.parametrize(
    ("size", "words"), [(None, "ext.bin, which holds the tensor w, is missing"), (99, "has 99")]
)
def test_weights_that_are_not_all_there_are_told_before_anything_runs(
    tmp_path: Path, size: int | None, words: str
) -> None:
    model = small_model()
    onnx.save(
        model,
        tmp_path / "m.onnx",
        save_as_external_data=True,
        location="ext.bin",
        size_threshold=0,
    )
    if size is None:
        (tmp_path / "ext.bin").unlink()
    else:
        big = onnx.load(tmp_path / "m.onnx", load_external_data=False)
        big.graph.initializer[0].external_data[2].value = "200"
        onnx.save(big, tmp_path / "m.onnx")
        (tmp_path / "ext.bin").write_bytes(bytes(size))
    error = one(tmp_path / "m.onnx").error
    assert error is not None
    assert words in error.message
    assert not list(tmp_path.glob("*.ort"))


@pytest.mark.skipif(sys.platform == "win32", reason="files are sparse unasked on POSIX only")
def test_more_than_2_gib_is_refused_at_once(tmp_path: Path) -> None:
    nodes, weights, size = [], [], 14336 * 14336 * 4
    for i in range(3):
        tensor = TensorProto(
            name=f"w{i}", data_type=FLOAT, dims=[14336, 14336], data_location=TensorProto.EXTERNAL
        )
        for key, text in (("location", "w.bin"), ("offset", i * size), ("length", size)):
            tensor.external_data.add(key=key, value=str(text))
        weights.append(tensor)
        nodes.append(helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]))
    ends = value("v0", FLOAT, [1, 14336]), value("v3", FLOAT, [1, 14336])
    save(tmp_path / "m.onnx", onnx_model(nodes, ends[:1], ends[1:], weights))
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(3 * size)
    error = one(tmp_path / "m.onnx").error
    assert isinstance(error, RefusedError)
    assert error.message == (
        "An ORT-format file cannot pass 2 GiB, and this model needs 2.3 GiB of weights"
    )
    assert listing(tmp_path) == ["m.onnx", "w.bin"]
