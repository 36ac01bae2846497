"""Which nodes XNNPACK would take, by the rules of the documented list of operators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto

from ortstudio.analysis.accelerators import Cause, Estimate
from ortstudio.analysis.xnnpack import xnnpack_estimate
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level
from tests.builders.conversions import to_ort
from tests.builders.small_graphs import FLOAT, IMAGE, Node, Values, floats, ints, model, scalar

UINT8, DOUBLE = TensorProto.UINT8, TensorProto.DOUBLE
Arrays = Mapping[str, NDArray[np.generic]]
KERNEL = {"w": floats(16, 16, 3, 3)}


def look(
    folder: Path,
    nodes: list[Node],
    arrays: Arrays | None = None,
    inputs: Values = IMAGE,
    sizes_fixed: bool = False,
    made: int = FLOAT,
) -> Estimate:
    source = model(nodes, inputs, {"y": (made, None)}, arrays)
    converted = read_model(to_ort(source, folder / "m.ort", Level.DISABLE))
    return xnnpack_estimate(converted, sizes_fixed=sizes_fixed)


def why(folder: Path, *nodes: Node, arrays: Arrays | None = None, inputs: Values = IMAGE) -> str:
    """Why the first node that is not taken is not; empty where all are."""
    left = look(folder, list(nodes), arrays, inputs).not_taken
    return left[0].why if left else ""


def test_a_convolution_and_the_activation_behind_it_are_one_piece(tmp_path: Path) -> None:
    found = look(tmp_path, [("Conv", "x w", "a"), ("Relu", "a", "y")], KERNEL)
    assert [len(piece) for piece in found.pieces] == [2]
    assert found.not_taken == ()
    assert found.worth == "yes"
    assert "rules" in found.basis


def test_an_activation_alone_is_not_taken(tmp_path: Path) -> None:
    assert "only as a part of" in why(tmp_path, ("Relu", "x", "y"))


def test_an_activation_behind_a_convolution_that_others_read_is_not_taken(tmp_path: Path) -> None:
    nodes: list[Node] = [("Conv", "x w", "a"), ("Relu", "a", "b"), ("Add", "a b", "y")]
    found = look(tmp_path, nodes, KERNEL)
    assert {row.op for row in found.not_taken} == {"Relu", "Add"}


def test_a_free_batch_does_not_matter_but_a_free_height_does(tmp_path: Path) -> None:
    conv: Node = ("Conv", "x w", "y")
    assert not why(tmp_path, conv, arrays=KERNEL, inputs={"x": (FLOAT, ["N", 16, 8, 8])})
    free: Values = {"x": (FLOAT, [1, 16, "h", 8])}
    found = look(tmp_path, [conv], KERNEL, free)
    assert found.not_taken[0].cause is Cause.DYNAMIC
    assert look(tmp_path, [conv], KERNEL, free, sizes_fixed=True).not_taken == ()


def test_a_convolution_in_one_dimension_is_not_taken(tmp_path: Path) -> None:
    found = look(
        tmp_path, [("Conv", "x w", "y")], {"w": floats(4, 4, 3)}, {"x": (FLOAT, [1, 4, 9])}
    )
    assert found.not_taken[0].cause is Cause.RANK


def test_weights_that_are_no_constant_are_a_reason(tmp_path: Path) -> None:
    inputs: Values = {"x": (FLOAT, [1, 4, 9, 9]), "w": (FLOAT, [4, 4, 3, 3])}
    assert why(tmp_path, ("Conv", "x w", "y"), inputs=inputs) == "Its weights are no constant"


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"kernel_shape": [2, 2]}, ""),
        ({"kernel_shape": [1, 1]}, "Its window is a single element"),
        ({"kernel_shape": [3, 3], "ceil_mode": 1}, "It rounds sizes up"),
        ({"kernel_shape": [3, 3], "auto_pad": "SAME_LOWER"}, "It pads SAME_LOWER"),
    ],
)
def test_pools_have_their_limits(
    tmp_path: Path, attributes: dict[str, object], reason: str
) -> None:
    assert why(tmp_path, ("MaxPool", "x", "y", attributes)) == reason


def test_a_softmax_must_go_along_the_last_axis(tmp_path: Path) -> None:
    assert not why(tmp_path, ("Softmax", "x", "y"))
    assert "last axis" in why(tmp_path, ("Softmax", "x", "y", {"axis": 1}))


def test_a_matrix_product_needs_a_constant_matrix(tmp_path: Path) -> None:
    rows: Values = {"x": (FLOAT, ["n", 4])}
    assert not why(tmp_path, ("MatMul", "x w", "y"), arrays={"w": floats(4, 5)}, inputs=rows)
    both: Values = {"x": (FLOAT, [3, 4]), "w": (FLOAT, [4, 5])}
    assert "no constant" in why(tmp_path, ("MatMul", "x w", "y"), inputs=both)


def test_a_scaled_gemm_is_not_taken(tmp_path: Path) -> None:
    arrays, rows = {"w": floats(4, 5), "b": floats(5)}, {"x": (FLOAT, [3, 4])}
    assert not why(tmp_path, ("Gemm", "x w b", "y"), arrays=arrays, inputs=rows)
    scaled: Node = ("Gemm", "x w b", "y", {"alpha": 2.0})
    assert why(tmp_path, scaled, arrays=arrays, inputs=rows) == "It scales its matrices"


def test_a_resize_must_be_linear(tmp_path: Path) -> None:
    arrays = {"s": np.array([1, 1, 2, 2], np.float32)}
    assert not why(tmp_path, ("Resize", "x _ s", "y", {"mode": "linear"}), arrays=arrays)
    assert why(tmp_path, ("Resize", "x _ s", "y"), arrays=arrays) == "It is not linear"


@pytest.mark.parametrize(("weights", "taken"), [("uint8", 4), ("int8", 0)])
def test_quantized_data_and_weights_must_have_one_sign(
    tmp_path: Path, weights: str, taken: int
) -> None:
    nodes: list[Node] = [
        ("DequantizeLinear", "x s z", "a"),
        ("DequantizeLinear", "w s zw", "b"),
        ("Conv", "a b", "c"),
        ("QuantizeLinear", "c s z", "y"),
    ]
    arrays = {
        "w": np.zeros((4, 4, 1, 1), weights),
        "s": scalar(0.5),
        "z": scalar(0, "uint8"),
        "zw": scalar(0, weights),
    }
    found = look(tmp_path, nodes, arrays, {"x": (UINT8, [1, 4, 8, 8])}, made=UINT8)
    assert found.taken == taken
    reasons = {row.op: row.why for row in found.not_taken}
    assert ("one sign" in reasons.get("Conv", "")) == (not taken)


def test_double_precision_is_not_taken(tmp_path: Path) -> None:
    arrays = {"w": floats(4, 5).astype(np.float64)}
    rows: Values = {"x": (DOUBLE, [3, 4])}
    found = look(tmp_path, [("MatMul", "x w", "y")], arrays, rows, made=DOUBLE)
    assert "double" in found.not_taken[0].why


def test_operators_that_it_lacks_are_named(tmp_path: Path) -> None:
    assert why(tmp_path, ("Gather", "x i", "y"), arrays={"i": ints(0)}) == "XNNPACK has no Gather"
