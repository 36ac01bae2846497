"""Small models, converted, and what was found to have become of their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import ModelProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Style, Target
from tests.builders.conversions import to_ort
from tests.builders.small_graphs import FLOAT, Node, floats, model, scalar
from tests.unit.analysis.pairing.everywhere import paired

CONV: Node = ("Conv", "x w b", "c", {"pads": [1, 1, 1, 1]})
WEIGHTS = {"w": floats(16, 16, 3, 3), "b": floats(16)}
SEQUENCE = {"x": (FLOAT, [2, 8, 64])}
GELU: list[Node] = [
    ("Div", "x root", "a"),
    ("Erf", "a", "e"),
    ("Add", "e one", "p"),
    ("Mul", "x p", "m"),
    ("Mul", "m half", "y"),
]
GELU_NUMBERS = {"root": scalar(2**0.5), "one": scalar(1), "half": scalar(0.5)}


def quantized(dtype: str, zero: int) -> ModelProto:
    """A convolution on quantized values, in the QDQ form."""
    nodes: list[Node] = [
        ("QuantizeLinear", "x s z", "xq"),
        ("DequantizeLinear", "xq s z", "xf"),
        ("DequantizeLinear", "w ws wz", "wf"),
        ("DequantizeLinear", "b bs bz", "bf"),
        ("Conv", "xf wf bf", "c", {"pads": [1, 1, 1, 1]}),
        ("QuantizeLinear", "c s z", "q"),
        ("DequantizeLinear", "q s z", "y"),
    ]
    arrays = {
        "s": scalar(0.05),
        "z": scalar(zero, dtype),
        "w": np.arange(-1152, 1152).astype(np.int8).reshape(16, 16, 3, 3),
        "ws": scalar(0.02),
        "wz": scalar(0, "int8"),
        "b": np.arange(16, dtype=np.int32),
        "bs": scalar(0.001),
        "bz": scalar(0, "int32"),
    }
    return model(nodes, arrays=arrays)


def calls() -> ModelProto:
    """Two calls of one function."""
    body = [
        helper.make_node("Mul", ["p", "p"], ["pp"], "mul"),
        helper.make_node("Sin", ["pp"], ["q"], "sin"),
    ]
    function = helper.make_function(
        "local", "Wave", ["p"], ["q"], body, [helper.make_opsetid("", 17)]
    )
    nodes: list[Node] = [("local:Wave", "x", "h"), ("local:Wave", "h", "y")]
    return model(nodes, functions=[function])


class Case(NamedTuple):
    """A model, the way to convert it, and the rows: kind, operators of A > of B, rewrite."""

    name: str
    model: ModelProto
    level: Level
    rows: Sequence[str]
    target: Target | None = None
    style: Style = Style.FIXED


def rows_of(case: Case, folder: Path) -> list[str]:
    """Convert the model of a case in a folder, and write the rows as the case does."""
    source = folder / "source.onnx"
    onnx.save(case.model, source)
    result = to_ort(source, folder / "result.ort", case.level, case.style, case.target)
    a, b = read_model(source), read_model(result)
    return [_line(row, a, b) for row in paired(a, b)]


def _line(row: NodeRow, a: Model, b: Model) -> str:
    """A row as the cases write it."""
    text = f"{row.kind} {_ops(row.a, a)} > {_ops(row.b, b)}"
    return f"{text} ({row.rewrite})" if row.rewrite else text


def _ops(refs: Sequence[NodeRef], model: Model) -> str:
    """The operators of some nodes."""
    graphs = {graph.path: graph.nodes for graph in model.graphs}
    texts = [graphs[ref.graph].ops[graphs[ref.graph].rows_by_index[ref.index]] for ref in refs]
    return " ".join(texts) or "-"
