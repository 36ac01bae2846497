"""What ONNX Runtime's rewrites make of small models, row by row: what is fused or laid out."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto

from ortstudio.services.sessions import Level, Target
from tests.builders.small_graphs import FLOAT, Node, floats, ints, model, scalar
from tests.unit.analysis.pairing.rewriting import (
    CONV,
    GELU,
    GELU_NUMBERS,
    SEQUENCE,
    WEIGHTS,
    Case,
    quantized,
    rows_of,
)

NORM = {name: floats(16) for name in ("s", "bn", "m", "v")}
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


CASES = [
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
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_became_of_every_node(case: Case, tmp_path: Path) -> None:
    assert rows_of(case, tmp_path) == list(case.rows)
