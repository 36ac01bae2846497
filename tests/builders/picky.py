"""A model that does not accept every size that it leaves open."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper


def write_picky_model(folder: Path) -> Path:
    """A convolution of 5 by 5, so that height and width must be at least that."""
    held = helper.make_tensor("w", TensorProto.FLOAT, [2, 1, 5, 5], [0.5] * 50)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 1, "H", "W"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"])], "g", [x], [y], [held])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "picky.onnx"
    onnx.save(made, path)
    return path


def write_stubborn_model(folder: Path) -> Path:
    """A reshape that only 10 007 elements fit, which nobody would guess."""
    shape = helper.make_tensor("shape", TensorProto.INT64, [1], [10007])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [10007])
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    graph = helper.make_graph(nodes, "g", [x], [y], [shape])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "stubborn.onnx"
    onnx.save(made, path)
    return path
