"""Makes one benchmark model: `python make_model.py nodes|weights SIZE PATH`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

CHANNELS = 4
NODES_IN_BLOCK = 10
LAYERS = 24
"""Weighted layers of a weight-heavy model: two nodes and one tensor each."""


def make(kind: str, size: int, path: Path) -> None:
    """Write the model. An `.ort` is made from the `.onnx` beside it."""
    temporary = path.with_name(f"{path.name}.part")
    if path.suffix == ".onnx":
        graph = _node_heavy_graph(size) if kind == "nodes" else _weight_heavy_graph(size)
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), temporary)
    else:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.save_model_format", "ORT")
        options.optimized_model_filepath = str(temporary)
        source = path.with_suffix(".onnx")
        onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    temporary.replace(path)


def _node_heavy_graph(count: int) -> onnx.GraphProto:
    """Residual blocks with a gate, each with names in scopes as exporters write them."""
    random = np.random.default_rng(count)
    weights: list[onnx.TensorProto] = []

    def weight(name: str, *shape: int) -> str:
        values = np.abs(random.standard_normal(shape)).astype(np.float32) / 10
        weights.append(onnx.numpy_helper.from_array(values, name))
        return name

    def block(scope: str, x: str, y: str) -> Iterator[onnx.NodeProto]:
        def node(op: str, place: str, inputs: list[str], **attributes: object) -> onnx.NodeProto:
            output = y if place == "add" else f"{scope}/{place}/{op}_output_0"
            return helper.make_node(op, inputs, [output], f"{scope}/{place}/{op}", **attributes)  # type: ignore[arg-type]

        def conv(place: str, x: str, kernel: int) -> onnx.NodeProto:
            kernels = weight(f"{scope}.{place}.weight", CHANNELS, CHANNELS, kernel, kernel)
            return node(
                "Conv",
                place,
                [x, kernels, weight(f"{scope}.{place}.bias", CHANNELS)],
                kernel_shape=[kernel, kernel],
                pads=[kernel // 2] * 4,
                strides=[1, 1],
                dilations=[1, 1],
                group=1,
            )

        def norm(place: str, x: str) -> onnx.NodeProto:
            names = ("weight", "bias", "running_mean", "running_var")
            inputs = [weight(f"{scope}.{place}.{name}", CHANNELS) for name in names]
            return node("BatchNormalization", place, [x, *inputs], epsilon=1e-5, momentum=0.9)

        yield (last := conv("conv1", x, 3))
        yield (last := norm("norm1", last.output[0]))
        yield (last := node("LeakyRelu", "act", [last.output[0]], alpha=0.1))
        yield (last := conv("conv2", last.output[0], 3))
        yield (main := norm("norm2", last.output[0]))
        yield (last := node("GlobalAveragePool", "gate", [main.output[0]]))
        yield (last := conv("gate/scale", last.output[0], 1))
        yield (last := node("HardSigmoid", "gate", [last.output[0]], alpha=0.2, beta=0.5))
        yield (last := node("Mul", "gate", [main.output[0], last.output[0]]))
        yield node("Add", "add", [x, last.output[0]])

    blocks = count // NODES_IN_BLOCK
    ends = ["input", *(f"/stages.{i // 50}/block.{i}/out" for i in range(blocks - 1)), "output"]
    nodes = [
        node
        for i in range(blocks)
        for node in block(f"/stages.{i // 50}/block.{i}", ends[i], ends[i + 1])
    ]
    return _graph(f"nodes_{count}", nodes, ["batch", CHANNELS, 8, 8], weights)


def _weight_heavy_graph(megabytes: int) -> onnx.GraphProto:
    """A chain of products with square matrices."""
    side = int((megabytes * 1e6 / 4 / LAYERS) ** 0.5)
    random = np.random.default_rng(megabytes)
    nodes, weights = [], []
    x = "input"
    for i in range(LAYERS):
        values = random.random((side, side), np.float32) / side
        weights.append(onnx.numpy_helper.from_array(values, f"layers.{i}.weight"))
        product, y = f"layers.{i}.product", "output" if i == LAYERS - 1 else f"layers.{i}"
        nodes.append(
            helper.make_node("MatMul", [x, f"layers.{i}.weight"], [product], f"/{i}/MatMul")
        )
        nodes.append(helper.make_node("Relu", [product], [y], f"/{i}/Relu"))
        x = y
    return _graph(f"weights_{megabytes}", nodes, ["batch", side], weights)


def _graph(
    name: str,
    nodes: list[onnx.NodeProto],
    dims: list[int | str],
    weights: list[onnx.TensorProto],
) -> onnx.GraphProto:
    ends = [helper.make_tensor_value_info(x, TensorProto.FLOAT, dims) for x in ("input", "output")]
    return helper.make_graph(nodes, name, ends[:1], ends[1:], weights)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
