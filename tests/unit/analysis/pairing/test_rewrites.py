"""What ONNX Runtime's rewrites make of small models, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.model import Model
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Style, Target
from tests.builders.conversions import to_ort
from tests.builders.small_graphs import (
    FLOAT,
    OUT,
    Node,
    floats,
    ints,
    model,
    scalar,
)
from tests.unit.analysis.pairing.everywhere import paired


class Case(NamedTuple):
    """A model, the way to convert it, and the rows: kind, operators of A > of B, rewrite."""

    name: str
    model: ModelProto
    level: Level
    rows: Sequence[str]
    target: Target | None = None
    style: Style = Style.FIXED


CONV: Node = ("Conv", "x w b", "c", {"pads": [1, 1, 1, 1]})
WEIGHTS = {"w": floats(16, 16, 3, 3), "b": floats(16)}
NORM = {name: floats(16) for name in ("s", "bn", "m", "v")}
SEQUENCE = {"x": (FLOAT, [2, 8, 64])}
GELU: list[Node] = [
    ("Div", "x root", "a"),
    ("Erf", "a", "e"),
    ("Add", "e one", "p"),
    ("Mul", "x p", "m"),
    ("Mul", "m half", "y"),
]
GELU_NUMBERS = {"root": scalar(2**0.5), "one": scalar(1), "half": scalar(0.5)}
LAYER_NORM: list[Node] = [
    ("ReduceMean", "x", "mean", {"axes": [-1]}),
    ("Sub", "x mean", "d"),
    ("Pow", "d two", "d2"),
    ("ReduceMean", "d2", "var", {"axes": [-1]}),
    ("Add", "var eps", "ve"),
    ("Sqrt", "ve", "sd"),
    ("Div", "d sd", "n"),
    ("Mul", "n scale", "ns"),
    ("Add", "ns bias", "y"),
]
LAYER_NORM_NUMBERS = {
    "two": scalar(2),
    "eps": scalar(1e-5),
    "scale": floats(64),
    "bias": floats(64),
}


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


def branches() -> ModelProto:
    """An `If` whose condition is a constant."""
    made = model([("Identity", "x", "r"), ("Tanh", "r", "y")], {"x": (FLOAT, [4])}, OUT)
    bodies = {}
    for name, op in (("then_branch", "Exp"), ("else_branch", "Sin")):
        body = model([(op, "x", f"{op}_out")], {}, {f"{op}_out": (FLOAT, None)}).graph
        bodies[name] = body
    condition = onnx.numpy_helper.from_array(np.array(True), "condition")
    made.graph.node[0].CopyFrom(helper.make_node("If", ["condition"], ["r"], "if", **bodies))
    made.graph.initializer.append(condition)
    return made


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


CASES = [
    Case(
        "identity",
        model([CONV, ("Identity", "c", "y")], arrays=WEIGHTS),
        Level.BASIC,
        [
            "kept Conv > Conv",
            "removed Identity > - (identity-elimination)",
        ],
    ),
    Case(
        "dropout",
        model([CONV, ("Dropout", "c", "d"), ("Sin", "d", "y")], arrays=WEIGHTS),
        Level.BASIC,
        [
            "kept Conv > Conv",
            "removed Dropout > - (dropout-elimination)",
            "kept Sin > Sin",
        ],
    ),
    Case(
        "addition of zero",
        model(
            [("Sin", "x", "a"), ("Add", "a zero", "c"), ("Sin", "c", "y")],
            arrays={"zero": np.zeros(1, np.float32)},
        ),
        Level.BASIC,
        [
            "kept Sin > Sin",
            "removed Add > - (noop-elimination)",
            "kept Sin > Sin",
        ],
    ),
    Case(
        "cast to the same type",
        model([("Cast", "x", "a", {"to": FLOAT}), ("Sin", "a", "y")]),
        Level.BASIC,
        [
            "removed Cast > - (cast-elimination)",
            "kept Sin > Sin",
        ],
    ),
    Case(
        "expand to what is there",
        model(
            [("Sin", "x", "a"), ("Expand", "a n", "e"), ("Cos", "e", "y")],
            arrays={"n": ints(1, 1, 8, 8)},
        ),
        Level.BASIC,
        [
            "kept Sin > Sin",
            "removed Expand > - (expand-elimination)",
            "kept Cos > Cos",
        ],
    ),
    Case(
        "constant folding",
        model(
            [("Add", "k l", "m"), ("Sqrt", "m", "n"), ("Mul", "x n", "y")],
            arrays={"k": floats(8), "l": floats(8)},
        ),
        Level.BASIC,
        [
            "folded Add Sqrt > - (constant-folding)",
            "kept Mul > Mul",
        ],
    ),
    Case(
        "the shape of a known shape",
        model(
            [
                ("Shape", "x", "a"),
                ("Gather", "a i", "d"),
                ("Concat", "d rest", "n", {"axis": 0}),
                ("Reshape", "x n", "y"),
            ],
            arrays={"i": ints(0), "rest": ints(-1)},
        ),
        Level.BASIC,
        [
            "folded Shape Gather Concat > - (constant-folding)",
            "kept Reshape > Reshape",
        ],
    ),
    Case(
        "a shape that copies",
        model(
            [
                ("Shape", "x", "a"),
                ("Gather", "a i", "d"),
                ("Unsqueeze", "d ax", "u"),
                ("Concat", "u rest", "n", {"axis": 0}),
                ("Reshape", "x n", "y"),
            ],
            {"x": (FLOAT, ["n", 16, 8, 8])},
            arrays={"i": scalar(0, "int64"), "ax": ints(0), "rest": ints(-1)},
        ),
        Level.BASIC,
        [
            "fused Shape Gather Unsqueeze Concat Reshape > Reshape (reshape)",
        ],
    ),
    Case(
        "the same computed twice",
        model([("Exp", "x", "a"), ("Exp", "x", "c"), ("Add", "a c", "y")]),
        Level.BASIC,
        [
            "fused Exp Exp > Exp (common-subexpression)",
            "kept Add > Add",
        ],
    ),
    Case(
        "batch norm",
        model(
            [CONV, ("BatchNormalization", "c s bn m v", "n"), ("Relu", "n", "y")],
            arrays=WEIGHTS | NORM,
        ),
        Level.BASIC,
        [
            "fused Conv BatchNormalization > Conv (conv-batch-norm)",
            "kept Relu > Relu",
        ],
    ),
    Case(
        "multiplied",
        model([CONV, ("Mul", "c k", "y")], arrays=WEIGHTS | {"k": floats(16, 1, 1)}),
        Level.BASIC,
        [
            "fused Conv Mul > Conv (conv-mul)",
        ],
    ),
    Case(
        "padded",
        model(
            [("Pad", "x p", "q"), ("Conv", "q w b", "y")],
            arrays=WEIGHTS | {"p": ints(0, 0, 1, 1, 0, 0, 1, 1)},
        ),
        Level.BASIC,
        [
            "fused Pad Conv > Conv (pad)",
        ],
    ),
    Case(
        "activation",
        model([CONV, ("Relu", "c", "y")], arrays=WEIGHTS),
        Level.ALL,
        [
            "fused Conv Relu > com.microsoft.FusedConv (conv-activation)",
        ],
    ),
    Case(
        "sum and activation",
        model([CONV, ("Add", "c x", "a"), ("Relu", "a", "y")], arrays=WEIGHTS),
        Level.ALL,
        [
            "fused Conv Add Relu > com.microsoft.FusedConv (conv-add-activation)",
        ],
    ),
    Case(
        "blocked layout",
        model(
            [
                CONV,
                ("Relu", "c", "r"),
                ("MaxPool", "r", "p", {"kernel_shape": [2, 2]}),
                ("Sin", "p", "y"),
            ],
            arrays=WEIGHTS,
        ),
        Level.ALL,
        [
            "fused Conv Relu > com.microsoft.nchwc.Conv (conv-activation)",
            "added - > com.microsoft.nchwc.ReorderInput (nchwc-layout)",
            "changed MaxPool > com.microsoft.nchwc.MaxPool (nchwc-layout)",
            "added - > com.microsoft.nchwc.ReorderOutput (nchwc-layout)",
            "kept Sin > Sin",
        ],
        Target.AMD64,
    ),
    Case(
        "product and bias",
        model(
            [("MatMul", "x w", "p"), ("Add", "p b", "y")],
            {"x": (FLOAT, [4, 16])},
            arrays={"w": floats(16, 16), "b": floats(16)},
        ),
        Level.BASIC,
        [
            "fused MatMul Add > Gemm (matmul-add)",
        ],
    ),
    Case(
        "product and bias of three dimensions",
        model(
            [("MatMul", "x w", "p"), ("Add", "p b", "y")],
            SEQUENCE,
            arrays={"w": floats(64, 64), "b": floats(64)},
        ),
        Level.BASIC,
        [
            "added - > Reshape (matmul-add)",
            "added - > Reshape (matmul-add)",
            "fused MatMul Add > Gemm (matmul-add)",
        ],
    ),
    Case(
        "scaled product",
        model(
            [("Mul", "x k", "a"), ("MatMul", "a z", "y")],
            {"x": (FLOAT, [2, 8, 8]), "z": (FLOAT, [2, 8, 8])},
            arrays={"k": scalar(0.5)},
        ),
        Level.EXTENDED,
        [
            "fused Mul MatMul > com.microsoft.FusedMatMul (matmul-scale)",
        ],
    ),
    Case(
        "negated condition",
        model(
            [("Not", "c", "n"), ("Where", "n x z", "y")],
            {"x": (FLOAT, [4]), "c": (TensorProto.BOOL, [4]), "z": (FLOAT, [4])},
        ),
        Level.BASIC,
        [
            "fused Not Where > Where (not-where)",
        ],
    ),
    Case(
        "gelu",
        model(GELU, SEQUENCE, arrays=GELU_NUMBERS),
        Level.EXTENDED,
        [
            "fused Div Erf Add Mul Mul > com.microsoft.Gelu (gelu)",
        ],
    ),
    Case(
        "gelu at level basic",
        model(GELU, SEQUENCE, arrays=GELU_NUMBERS),
        Level.BASIC,
        [
            "kept Div > Div",
            "kept Erf > Erf",
            "kept Add > Add",
            "kept Mul > Mul",
            "kept Mul > Mul",
        ],
    ),
    Case(
        "layer norm",
        model(LAYER_NORM, SEQUENCE, arrays=LAYER_NORM_NUMBERS),
        Level.EXTENDED,
        [
            f"fused {' '.join(node[0] for node in LAYER_NORM)} > LayerNormalization (layer-norm)",
        ],
    ),
    Case(
        "transposes that cancel out",
        model(
            [
                ("Transpose", "x", "t", {"perm": [0, 2, 3, 1]}),
                ("Sin", "t", "r"),
                ("Transpose", "r", "u", {"perm": [0, 3, 1, 2]}),
                ("Cos", "u", "y"),
            ]
        ),
        Level.BASIC,
        [
            "removed Transpose > - (transpose-optimizer)",
            "kept Sin > Sin",
            "removed Transpose > - (transpose-optimizer)",
            "kept Cos > Cos",
        ],
    ),
    Case(
        "half precision",
        model(
            [("Sin", "x", "a"), ("Softplus", "a", "y")],
            {"x": (TensorProto.FLOAT16, [4])},
            {"y": (TensorProto.FLOAT16, None)},
        ),
        Level.BASIC,
        [
            "kept Sin > Sin",
            "kept Softplus > Softplus",
            "added - > Cast (insert-cast)",
            "added - > Cast (insert-cast)",
        ],
    ),
    Case(
        "unsigned quantized convolution",
        quantized("uint8", 128),
        Level.EXTENDED,
        [
            "kept QuantizeLinear > QuantizeLinear",
            f"fused {3 * 'DequantizeLinear '}Conv QuantizeLinear > QLinearConv (qdq)",
            "kept DequantizeLinear > DequantizeLinear",
        ],
    ),
    Case(
        "quantized values that are only moved",
        model(
            [
                ("QuantizeLinear", "x s z", "xq"),
                ("DequantizeLinear", "xq s z", "xf"),
                ("Reshape", "xf n", "r"),
                ("QuantizeLinear", "r s z", "q"),
                ("DequantizeLinear", "q s z", "y"),
            ],
            arrays={"s": scalar(0.05), "z": scalar(128, "uint8"), "n": ints(1, 16, 4, 16)},
        ),
        Level.EXTENDED,
        [
            "kept QuantizeLinear > QuantizeLinear",
            "removed DequantizeLinear > - (qdq-drop)",
            "kept Reshape > Reshape",
            "removed QuantizeLinear > - (qdq-drop)",
            "kept DequantizeLinear > DequantizeLinear",
        ],
    ),
    Case(
        "an operator that is defined by others",
        model([("Sin", "x", "a"), ("Mish", "a", "y")], opset=18),
        Level.DISABLE,
        ["kept Sin > Sin", "inlined Mish > Softplus Tanh Mul (function-inlining)"],
    ),
    Case(
        "an inlined operator that reads constants only",
        model([("CastLike", "k x", "a"), ("Add", "x a", "y")], arrays={"k": scalar(1, "int64")}),
        Level.DISABLE,
        ["inlined CastLike > Cast (function-inlining)", "kept Add > Add"],
    ),
    Case(
        "equal nodes of which one has its counterpart elsewhere",
        model(
            [
                CONV,
                ("Relu", "c", "r"),
                ("Conv", "x w b", "d", {"pads": [1, 1, 1, 1]}),
                ("Concat", "r d", "y", {"axis": 1}),
            ],
            arrays=WEIGHTS,
        ),
        Level.ALL,
        [
            "fused Conv Conv > com.microsoft.nchwc.Conv (common-subexpression)",
            "added - > com.microsoft.nchwc.ReorderInput (nchwc-layout)",
            "added - > com.microsoft.nchwc.ReorderOutput (nchwc-layout)",
            "kept Relu > Relu",
            "kept Concat > Concat",
        ],
        Target.AMD64,
    ),
    Case(
        "constant condition",
        branches(),
        Level.BASIC,
        [
            "inlined If Exp Sin > Exp (if-inlining)",
            "kept Tanh > Tanh",
        ],
    ),
    Case(
        "function calls",
        calls(),
        Level.DISABLE,
        [
            "inlined local.Wave > Mul Sin (function-inlining)",
            "inlined local.Wave > Mul Sin (function-inlining)",
        ],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_became_of_every_node(case: Case, tmp_path: Path) -> None:
    source = tmp_path / "source.onnx"
    onnx.save(case.model, source)
    result = to_ort(source, tmp_path / "result.ort", case.level, case.style, case.target)
    a, b = read_model(source), read_model(result)
    assert [line(row, a, b) for row in paired(a, b)] == list(case.rows)


def line(row: NodeRow, a: Model, b: Model) -> str:
    """A row as the cases write it."""
    text = f"{row.kind} {ops(row.a, a)} > {ops(row.b, b)}"
    return f"{text} ({row.rewrite})" if row.rewrite else text


def ops(refs: Sequence[NodeRef], model: Model) -> str:
    """The operators of some nodes."""
    graphs = {graph.path: graph.nodes for graph in model.graphs}
    texts = [graphs[ref.graph].ops[graphs[ref.graph].rows_by_index[ref.index]] for ref in refs]
    return " ".join(texts) or "-"
