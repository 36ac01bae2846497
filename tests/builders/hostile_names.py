"""Names that code must write with care, in a model that accepts anything."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

NAMES = (
    'a "quote"',
    "back\\slash \\n",
    "line\nbreak\r\ttab",
    "$dollar ${x} $(y) `z`",
    "été 漢字 😀",
    "__proto__",
    "%s %d {0} {x} #{y}",
    "class",
    "'single' /* */ // ??= ???/",
    "\\(swift) \\u0041",
    "\x01\x7f\x85\u2028\u202e",
    "0",
    "a b",
    "a_b",
)
SYMBOLS = ("batch size", "class", "漢", "2nd", "batch_size", 'N"', "MODEL", "inputs", "ort")
FILE_NAME = 'it\'s $x ${y} "é" \\back\\slash\\ \\u0041 \x01\n {0} %s.bin'
"""Without an extension that says what is in it."""


def hostile_model() -> onnx.ModelProto:
    """One Add of one for each name, the result's name being the input's with ` out` after it."""
    nodes, inputs, outputs = [], [], []
    for at, name in enumerate(NAMES):
        out = f"{name} out"
        dims: list[str | int | None] = [SYMBOLS[at % len(SYMBOLS)], 2]
        nodes.append(helper.make_node("Add", [name, "one"], [out]))
        inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        outputs.append(helper.make_tensor_value_info(out, TensorProto.FLOAT, dims))
    one = helper.make_tensor("one", TensorProto.FLOAT, [2], [1.0, 2.5])
    graph = helper.make_graph(nodes, "hostile", inputs, outputs, [one])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write_hostile_model(folder: Path) -> Path:
    """The model under a hostile name."""
    path = folder / FILE_NAME
    path.write_bytes(hostile_model().SerializeToString())
    return path
