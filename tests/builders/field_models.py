"""Small models from the field: what people convert, and then cannot load elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper

from ortstudio.services.sessions import Style, Target
from tests.builders.conversions import to_ort
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight


def convolution() -> ModelProto:
    """Conv and Relu with 8 output channels."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node("Relu", ["c"], ["y"], "relu"),
    ]
    weights = weight("w", np.ones((8, 3, 3, 3), np.float32))
    return onnx_model(
        nodes, [value("x", FLOAT, [1, 3, 8, 8])], [value("y", FLOAT, [1, 8, 6, 6])], [weights]
    )


def four_bits() -> ModelProto:
    """A weight of int4 through DequantizeLinear into MatMul, at opset 21."""
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], "dequantize"),
        helper.make_node("MatMul", ["x", "d"], ["y"], "matmul"),
    ]
    weights = helper.make_tensor("w", TensorProto.INT4, [4, 2], [1, -2, 3, 4, 5, 6, 7, -8])
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", FLOAT, [1, 4])],
        [value("y", FLOAT, [1, 2])],
        [weights, weight("s", np.ones((), np.float32))],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def converted(
    model: ModelProto,
    target: Path,
    style: Style = Style.FIXED,
    processor: Target | None = None,
) -> Path:
    """The model in ORT format, by the runtime here."""
    return to_ort(model, target, style=style, processor=processor)


def with_version(path: Path, version: str) -> Path:
    """A copy of a version 6 file that says it is of another version, one character long."""
    content = path.read_bytes()
    place = content.rindex(b"\x01\0\0\x006\0") + 4
    made = path.with_name(f"version_{version}.ort")
    made.write_bytes(content[:place] + version.encode() + content[place + 1 :])
    return made
