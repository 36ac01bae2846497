from __future__ import annotations

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper

from ortstudio.services.quantization import output_steps
from tests.builders.onnx_files import FLOAT, onnx_model, read, value, weight

SCALE = weight("s", np.array(0.25, np.float32))
ZERO = weight("z", np.array(128, np.uint8))
QUANTIZE = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"])
DEQUANTIZE = helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"])


def steps(*nodes: NodeProto, output: str, data_type: int = FLOAT) -> dict[str, float]:
    made = onnx_model(nodes, [value("x")], [value(output, data_type, None)], [SCALE, ZERO])
    return output_steps(read(made))


def test_a_quantized_output_has_steps_of_one() -> None:
    assert steps(QUANTIZE, output="q", data_type=TensorProto.UINT8) == {"q": 1.0}


def test_a_float_behind_a_quantizer_has_steps_of_its_scale() -> None:
    assert steps(QUANTIZE, DEQUANTIZE, output="d") == {"d": 0.25}


@pytest.mark.parametrize("op", ["Reshape", "Transpose", "Relu", "Identity"])
def test_moving_values_keeps_their_step(op: str) -> None:
    moved = helper.make_node(op, ["d"], ["y"])
    assert steps(QUANTIZE, DEQUANTIZE, moved, output="y") == {"y": 0.25}


def test_a_very_long_way_is_followed() -> None:
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(5000)]
    nodes[0].input[0] = "d"
    assert steps(QUANTIZE, DEQUANTIZE, *nodes, output="v5000") == {"v5000": 0.25}


def test_one_quantized_part_of_a_concatenation_is_enough() -> None:
    joined = helper.make_node("Concat", ["x", "d"], ["y"], axis=0)
    assert steps(QUANTIZE, DEQUANTIZE, joined, output="y") == {"y": 0.25}


def test_the_greatest_scale_of_several_counts() -> None:
    scale = weight("s", np.array([0.25, 0.5], np.float32))
    nodes = [QUANTIZE, helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], axis=0)]
    made = onnx_model(nodes, [value("x")], [value("d")], [scale, ZERO])
    assert output_steps(read(made)) == {"d": 0.5}


def test_a_scale_may_be_a_constant_node_or_typed_data() -> None:
    constant = helper.make_node(
        "Constant", [], ["s"], value=helper.make_tensor("", FLOAT, [], [0.5])
    )
    made = onnx_model([constant, QUANTIZE, DEQUANTIZE], [value("x")], [value("d")], [ZERO])
    assert output_steps(read(made)) == {"d": 0.5}


@pytest.mark.parametrize(
    "nodes",
    [
        [helper.make_node("Sin", ["x"], ["y"])],
        [QUANTIZE, DEQUANTIZE, helper.make_node("Sin", ["d"], ["y"])],
        [helper.make_node("DequantizeLinear", ["z", "s"], ["y"])],
        [helper.make_node("Identity", ["y"], ["y"])],
    ],
    ids=["no quantizer", "not at the end", "a constant only", "a loop"],
)
def test_other_outputs_have_none(nodes: list[NodeProto]) -> None:
    assert steps(*nodes, output="y") == {}
