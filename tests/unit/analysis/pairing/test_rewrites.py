"""What ONNX Runtime's rewrites make of small models, row by row: what is taken out or inlined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.services.sessions import Level
from tests.builders.small_graphs import FLOAT, OUT, floats, ints, model, scalar
from tests.unit.analysis.pairing.rewriting import CONV, WEIGHTS, Case, calls, rows_of


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
    assert rows_of(case, tmp_path) == list(case.rows)
