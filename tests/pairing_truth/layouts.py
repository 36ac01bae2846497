"""What the order of dimensions and the element type bring about."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from tests.pairing_truth.build import FLOAT16, Net
from tests.pairing_truth.quantized import QuantizedNet


def _conv(net: Net, x: str, name: str, channels: tuple[int, int], size: int = 3) -> str:
    before, after = channels
    w = net.weight(f"{name}_w", after, before, size, size)
    pad = size // 2
    return net.node("Conv", x, w, net.weight(f"{name}_b", after), name=name, pads=[pad] * 4)


def blocked_chain() -> ModelProto:
    """The first convolution reads a plain image; all behind it stays in blocks."""
    net = Net()
    h = _conv(net, net.input("x", [1, 3, 8, 8]), "conv_a", (3, 16))
    h = net.node("MaxPool", net.node("Relu", h, name="relu_a"), name="pool", kernel_shape=[2, 2])
    h = net.node("Relu", _conv(net, h, "conv_b", (16, 32)), name="relu_b")
    return net.model(net.node("GlobalAveragePool", h, name="average", out="y"))


def blocked_input() -> ModelProto:
    """So many channels come in that the input itself is brought into blocks."""
    net = Net()
    x = net.node("Exp", net.input("x", [1, 32, 8, 8]), name="exp")
    h = _conv(net, x, "conv", (32, 16))
    return net.model(net.node("Sin", h, name="sin", out="y"))


def blocked_residual() -> ModelProto:
    """The sum of two blocked values goes into the convolution."""
    net = Net()
    x = net.input("x", [1, 3, 8, 8])
    x = net.node("Relu", _conv(net, x, "conv_a", (3, 16)), name="relu_a")
    h = net.node("Relu", _conv(net, x, "conv_b", (16, 16)), name="relu_b")
    h = net.node("Add", _conv(net, h, "conv_c", (16, 16)), x, name="add")
    h = net.node("Relu", h, name="relu_c")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def cancelled_transposes() -> ModelProto:
    """A transpose, a node that does not care, and the transpose back."""
    net = Net()
    h = net.node("Transpose", net.input("x", [1, 3, 8, 6]), name="there", perm=[0, 2, 3, 1])
    h = net.node("Relu", h, name="relu")
    h = net.node("Transpose", h, name="back", perm=[0, 3, 1, 2])
    return net.model(net.node("Sin", h, name="sin", out="y"))


def transposed_axis() -> ModelProto:
    """Between the two transposes stands a node whose axis has to follow."""
    net = Net()
    h = net.node("Transpose", net.input("x", [1, 3, 8, 6]), name="there", perm=[0, 2, 3, 1])
    h = net.node("Softmax", h, name="softmax", axis=-1)
    h = net.node("Transpose", h, name="back", perm=[0, 3, 1, 2])
    return net.model(net.node("Sin", h, name="sin", out="y"))


def transposed_constant() -> ModelProto:
    """A constant is added between the two transposes: it is transposed once and for all."""
    net = Net()
    h = net.node("Transpose", net.input("x", [1, 3, 8, 6]), name="there", perm=[0, 2, 3, 1])
    h = net.node("Add", h, net.weight("c", 1, 8, 6, 3), name="add")
    h = net.node("Transpose", h, name="back", perm=[0, 3, 1, 2])
    return net.model(net.node("Sin", h, name="sin", out="y"))


def two_transposes() -> ModelProto:
    """One behind the other: they become one."""
    net = Net()
    h = net.node("Exp", net.input("x", [2, 3, 4]), name="exp")
    h = net.node("Transpose", h, name="first", perm=[1, 0, 2])
    h = net.node("Transpose", h, name="second", perm=[2, 1, 0])
    return net.model(net.node("Sin", h, name="sin", out="y"))


def moved_transpose() -> ModelProto:
    """The transpose moves behind two nodes, to where its counterpart cancels it."""
    net = Net()
    x = net.input("x", [1, 3, 8, 6])
    h = net.node("Transpose", x, name="there", perm=[0, 2, 3, 1])
    h = net.node("Concat", net.node("Relu", h, name="relu"), h, name="concat", axis=3)
    h = net.node("Transpose", h, name="back", perm=[0, 3, 1, 2])
    return net.model(net.node("Sin", h, name="sin", out="y"))


def two_quantized_convs() -> ModelProto:
    """Between two convolutions with channels last the transposes cancel out."""
    net = QuantizedNet()
    h = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    h = net.node("Conv", h, net.constant("w_a", 4, 3, 3, 3), name="conv_a")
    h = net.pair(h, "middle", 0.07)
    h = net.node("Conv", h, net.constant("w_b", 4, 4, 3, 3), name="conv_b")
    h = net.pair(h, "out", 0.06)
    return net.model(net.node("Sin", h, name="sin", out="y"))


def half_precision() -> ModelProto:
    """The CPU has no half-precision kernels for these: they run in float between casts."""
    net = Net()
    x = net.input("x", [2, 4], FLOAT16)
    h = net.node("MatMul", x, net.weight("w", 4, 3, dtype=np.float16), name="matmul")
    return net.model((net.node("Sigmoid", h, name="sigmoid", out="y"), FLOAT16))


def half_precision_between() -> ModelProto:
    """Reshape has a kernel for half precision, but stands between two that have none."""
    net = Net()
    x = net.input("x", [2, 6], FLOAT16)
    h = net.node("Tanh", x, name="tanh")
    h = net.node("Reshape", h, net.ints("shape", 3, 4), name="reshape")
    return net.model((net.node("Sigmoid", h, name="sigmoid", out="y"), FLOAT16))


LAYOUTS = (
    blocked_chain, blocked_input, blocked_residual, cancelled_transposes, transposed_axis,
    transposed_constant, two_transposes, moved_transpose, two_quantized_convs, half_precision,
    half_precision_between,
)  # fmt: skip
