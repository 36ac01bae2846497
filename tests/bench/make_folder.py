"""Makes a folder of models as a team might have one: `python make_folder.py PATH`.

Image networks with residual blocks, and text encoders as exporters write them, each in several
sizes and seeds; weights are random.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

RESIDUAL = ((8, 16), (16, 32), (33, 16), (50, 24), (16, 48), (101, 16), (152, 8), (500, 8))
"""Blocks, and channels of the first of four stages, which double from stage to stage."""
ENCODERS = ((4, 128), (6, 256), (12, 128), (12, 256), (24, 128), (48, 64), (160, 48), (12, 384))
"""Layers, and the width of each."""
SEEDS = 5
VOCABULARY = 4000


class Maker:
    """Nodes and weights of a graph as it grows."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []

    def weight(self, name: str, *shape: int) -> str:
        size = int(np.prod(shape[1:])) or 1
        values = self._random.standard_normal(shape, np.float32) / np.float32(size**0.5)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def constant(self, name: str, values: object, dtype: type = np.float32) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def node(self, op: str, name: str, *inputs: str, **held: object) -> str:
        """A node, and the value that it makes."""
        value = f"{name}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [value], name, **held))  # type: ignore[arg-type]
        return value

    def save(self, path: Path, name: str, x: onnx.ValueInfoProto, y: onnx.ValueInfoProto) -> None:
        """Write the model; what the last node makes is its output."""
        self.nodes[-1].output[0] = y.name
        graph = helper.make_graph(self.nodes, name, [x], [y], self.weights)
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def residual(path: Path, blocks: int, channels: int, seed: int) -> None:
    """An image network: four stages of blocks with two convolutions each."""
    make = Maker(seed)

    def convolution(scope: str, x: str, cin: int, cout: int, stride: int, kernel: int = 3) -> str:
        weights = make.weight(f"{scope}.weight", cout, cin, kernel, kernel)
        shape = {"kernel_shape": [kernel] * 2, "pads": [kernel // 2] * 4, "strides": [stride] * 2}
        y = make.node("Conv", f"/{scope}/conv", x, weights, **shape)
        numbers = [make.weight(f"{scope}.{part}", cout) for part in ("gamma", "beta", "mean")]
        spread = make.constant(f"{scope}.var", [1.0] * cout)
        return make.node("BatchNormalization", f"/{scope}/norm", y, *numbers, spread)

    x, width = (
        make.node("Relu", "/stem/relu", convolution("stem", "input", 3, channels, 2)),
        channels,
    )
    for block in range(blocks):
        stage = 4 * block // blocks
        wide, stride = channels << stage, 1 if channels << stage == width else 2
        scope = f"stage{stage}.block{block}"
        y = make.node("Relu", f"/{scope}/act", convolution(f"{scope}.1", x, width, wide, stride))
        y = convolution(f"{scope}.2", y, wide, wide, 1)
        if stride == 2:
            x = convolution(f"{scope}.down", x, width, wide, 2, kernel=1)
        y = make.node("Add", f"/{scope}/add", y, x)
        x, width = make.node("Relu", f"/{scope}/out", y), wide
    x = make.node("Flatten", "/flatten", make.node("GlobalAveragePool", "/pool", x))
    make.node("Gemm", "/head", x, make.weight("head.weight", width, 100))
    make.save(
        path,
        "residual",
        helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, 64, 64]),
        helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", 100]),
    )


def encoder(path: Path, layers: int, width: int, seed: int) -> None:
    """A text encoder whose attention, normalization and activation are single operators."""
    make = Maker(seed)
    split = make.constant("split", [0, 0, 4, width // 4], np.int64)
    joined = make.constant("joined", [0, 0, width], np.int64)
    numbers = {"two": 2.0, "tiny": 1e-5, "one": 1.0, "half": 0.5, "root": 2**0.5}
    for name, number in numbers.items():
        make.constant(name, number)
    scale = make.constant("scale", (width / 4) ** 0.5)

    def linear(scope: str, x: str, into: int, out: int) -> str:
        y = make.node("MatMul", f"/{scope}/MatMul", x, make.weight(f"{scope}.weight", into, out))
        return make.node("Add", f"/{scope}/Add", make.weight(f"{scope}.bias", out), y)

    def normalized(scope: str, x: str) -> str:
        centred = make.node("Sub", f"/{scope}/Sub", x, mean(f"/{scope}/ReduceMean", x))
        square = make.node("Pow", f"/{scope}/Pow", centred, "two")
        variance = mean(f"/{scope}/ReduceMean_1", square)
        spread = make.node("Add", f"/{scope}/Add", variance, "tiny")
        y = make.node("Div", f"/{scope}/Div", centred, make.node("Sqrt", f"/{scope}/Sqrt", spread))
        y = make.node("Mul", f"/{scope}/Mul", y, make.weight(f"{scope}.weight", width))
        return make.node("Add", f"/{scope}/Add_1", y, make.weight(f"{scope}.bias", width))

    def mean(name: str, x: str) -> str:
        return make.node("ReduceMean", name, x, axes=[-1], keepdims=1)

    def heads(scope: str, x: str, *order: int) -> str:
        y = make.node("Reshape", f"/{scope}/Reshape", linear(scope, x, width, width), split)
        return make.node("Transpose", f"/{scope}/Transpose", y, perm=list(order))

    def attention(scope: str, x: str) -> str:
        query, key = heads(f"{scope}.q", x, 0, 2, 1, 3), heads(f"{scope}.k", x, 0, 2, 3, 1)
        scores = make.node("MatMul", f"/{scope}/MatMul", query, key)
        scores = make.node("Div", f"/{scope}/Div", scores, scale)
        share = make.node("Softmax", f"/{scope}/Softmax", scores, axis=-1)
        y = make.node("MatMul", f"/{scope}/MatMul_1", share, heads(f"{scope}.v", x, 0, 2, 1, 3))
        y = make.node("Transpose", f"/{scope}/Transpose", y, perm=[0, 2, 1, 3])
        y = make.node("Reshape", f"/{scope}/Reshape", y, joined)
        return linear(f"{scope}.out", y, width, width)

    def activated(scope: str, x: str) -> str:
        y = make.node("Erf", f"/{scope}/Erf", make.node("Div", f"/{scope}/Div", x, "root"))
        y = make.node("Mul", f"/{scope}/Mul", x, make.node("Add", f"/{scope}/Add", y, "one"))
        return make.node("Mul", f"/{scope}/Mul_1", y, "half")

    x = make.node("Gather", "/embed", make.weight("embed.weight", VOCABULARY, width), "input")
    for layer in range(layers):
        scope = f"layer.{layer}"
        y = make.node("Add", f"/{scope}/Add", x, attention(f"{scope}.attention", x))
        x = normalized(f"{scope}.norm1", y)
        y = activated(f"{scope}.act", linear(f"{scope}.up", x, width, 4 * width))
        y = linear(f"{scope}.down", y, 4 * width, width)
        x = normalized(f"{scope}.norm2", make.node("Add", f"/{scope}/Add_1", x, y))
    make.node("Identity", "/last", x)
    make.save(
        path,
        "encoder",
        helper.make_tensor_value_info("input", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", "length", width]),
    )


def main(folder: Path) -> None:
    for part in ("image", "text"):
        (folder / part).mkdir(parents=True)
    for seed in range(SEEDS):
        for blocks, channels in RESIDUAL:
            name = f"residual_{blocks}x{channels}_{seed}.onnx"
            residual(folder / "image" / name, blocks, channels, seed)
        for layers, width in ENCODERS:
            name = f"encoder_{layers}x{width}_{seed}.onnx"
            encoder(folder / "text" / name, layers, width, seed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
