"""What models leave open: sizes by symbol or place, and integers that may be indices."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto

from ortstudio.services.questions import IndexInput, OpenSize, Questions, questions
from tests.builders.onnx_files import Shape, identity, value


def saved(path: Path, *inputs: tuple[str, int, Shape]) -> Path:
    """A model that passes each of its inputs on."""
    onnx.save(identity(*(value(*of) for of in inputs)), path)
    return path


def test_a_symbol_is_asked_once_however_many_inputs_share_it(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "m.onnx",
        ("ids", TensorProto.INT64, ["batch", "seq"]),
        ("mask", TensorProto.FLOAT, ["batch", "seq", 4]),
    )
    assert questions([path]) == Questions(
        (
            OpenSize("batch", ("ids[0]", "mask[0]")),
            OpenSize("seq", ("ids[1]", "mask[1]")),
        ),
        (IndexInput("ids", "tensor(int64)[batch,seq]"),),
    )


def test_a_size_without_a_symbol_is_called_by_its_place(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.onnx", ("x", TensorProto.FLOAT, [None, 3]))
    assert questions([path]).sizes == (OpenSize("x[0]", ("x[0]",)),)


def test_a_model_without_open_sizes_asks_nothing(tmp_path: Path) -> None:
    assert questions([saved(tmp_path / "m.onnx", ("x", TensorProto.FLOAT, [1, 3]))]) == Questions()


def test_of_several_models_only_what_all_of_them_leave_open_is_asked(tmp_path: Path) -> None:
    a = saved(
        tmp_path / "a.onnx",
        ("x", TensorProto.FLOAT, ["batch", "a"]),
        ("ids", TensorProto.INT64, ["batch"]),
    )
    b = saved(tmp_path / "b.onnx", ("y", TensorProto.FLOAT, ["batch", "b"]))
    assert questions([a, b]) == Questions((OpenSize("batch", ("x[0]", "ids[0]", "y[0]")),), ())


def test_what_is_no_model_is_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.onnx", ("x", TensorProto.FLOAT, ["n"]))
    other = tmp_path / "notes.txt"
    other.write_text("nothing")
    assert questions([other, path, tmp_path / "missing.onnx"]) == questions([path])
    assert questions([other]) == Questions()
