"""Operators between quantize and dequantize nodes."""

from __future__ import annotations

from collections.abc import Callable

from onnx import ModelProto

from tests.pairing_truth.build import BOOL, INT64, Attribute, Net

KINDS = {"uint8": 128, "int8": 0}


class QuantizedNet(Net):
    """Adds pairs of quantize and dequantize nodes, eight bits, scale by name."""

    def __init__(self, kind: str = "uint8", opset: int = 17) -> None:
        super().__init__(opset)
        self.kind = kind

    def _parameters(self, name: str, scale: float) -> tuple[str, str]:
        zero = self.const(f"{name}_zero", KINDS[self.kind], self.kind)
        return self.const(f"{name}_scale", scale), zero

    def quantize(self, x: str, name: str, scale: float = 0.05) -> str:
        """`x` in eight bits, by the node `NAME_q`."""
        return self.node("QuantizeLinear", x, *self._parameters(name, scale), name=f"{name}_q")

    def pair(self, x: str, name: str, scale: float = 0.05) -> str:
        """`x` through a quantize and a dequantize node: `NAME_q` and `NAME_dq`."""
        both = self._parameters(name, scale)
        q = self.node("QuantizeLinear", x, *both, name=f"{name}_q")
        return self.node("DequantizeLinear", q, *both, name=f"{name}_dq")

    def constant(self, name: str, *dims: int) -> str:
        """A weight of int8, dequantized by the node `NAME_dq`."""
        scale, zero = self.const(f"{name}_scale", 0.01), self.const(f"{name}_zero", 0, "int8")
        weight = self.integers(name, "int8", *dims)
        return self.node("DequantizeLinear", weight, scale, zero, name=f"{name}_dq")

    def bias(self, name: str, size: int, scale: float) -> str:
        """A bias of int32, dequantized by the node `NAME_dq`."""
        values = self.const(name, range(size), "int32")
        both = self.const(f"{name}_scale", scale), self.const(f"{name}_zero", 0, "int32")
        return self.node("DequantizeLinear", values, *both, name=f"{name}_dq")


def _unary(op: str, dims: list[int], **attributes: Attribute) -> Callable[[], ModelProto]:
    """Input pair, the operator, output pair; all of the default kind."""

    def build() -> ModelProto:
        net = QuantizedNet()
        x = net.pair(net.input("x", dims), "in")
        h = net.node(op, x, name="op", **attributes)
        return net.model(_last(net, h))

    build.__name__ = f"qdq_{op.lower()}"
    return build


def _last(net: QuantizedNet, h: str) -> str:
    h = net.pair(h, "out", 0.06)
    net.nodes[-1].output[0] = "y"
    return "y"


def _conv(kind: str) -> ModelProto:
    net = QuantizedNet(kind)
    x = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    w, b = net.constant("w", 4, 3, 3, 3), net.bias("b", 4, 0.05 * 0.01)
    h = net.node("Conv", x, w, b, name="conv", pads=[1, 1, 1, 1])
    return net.model(_last(net, h))


def qdq_conv() -> ModelProto:
    return _conv("uint8")


def qdq_conv_signed() -> ModelProto:
    return _conv("int8")


def qdq_conv_relu() -> ModelProto:
    """The relu in front of the quantizer cuts nothing that the quantizer does not cut."""
    net = QuantizedNet("int8")
    x = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    w = net.constant("w", 4, 3, 3, 3)
    h = net.node("Relu", net.node("Conv", x, w, name="conv"), name="relu")
    zero = net.const("out_zero", -128, "int8")
    scale = net.const("out_scale", 0.06)
    q = net.node("QuantizeLinear", h, scale, zero, name="out_q")
    return net.model(net.node("DequantizeLinear", q, scale, zero, name="out_dq", out="y"))


def qdq_conv_clip() -> ModelProto:
    """A clip wider than what the quantizer can say."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    h = net.node("Conv", x, net.constant("w", 4, 3, 3, 3), name="conv")
    h = net.node("Clip", h, net.const("low", -50.0), net.const("high", 50.0), name="clip")
    return net.model(_last(net, h))


def qdq_matmul() -> ModelProto:
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 4]), "in")
    return net.model(_last(net, net.node("MatMul", x, net.constant("w", 4, 3), name="matmul")))


def qdq_matmul_to_float() -> ModelProto:
    """Nothing is quantized behind the product."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 4]), "in")
    h = net.node("MatMul", x, net.constant("w", 4, 3), name="matmul")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def qdq_gemm() -> ModelProto:
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 4]), "in")
    w, b = net.constant("w", 4, 3), net.bias("b", 3, 0.05 * 0.01)
    return net.model(_last(net, net.node("Gemm", x, w, b, name="gemm")))


def _binary(op: str) -> ModelProto:
    net = QuantizedNet()
    a = net.pair(net.input("a", [2, 8]), "a")
    b = net.pair(net.input("b", [2, 8]), "b", 0.04)
    return net.model(_last(net, net.node(op, a, b, name="op")))


def qdq_add() -> ModelProto:
    return _binary("Add")


def qdq_mul() -> ModelProto:
    return _binary("Mul")


def qdq_concat() -> ModelProto:
    net = QuantizedNet()
    parts = [net.pair(net.input(name, [2, 8]), name, 0.04) for name in ("a", "b", "c")]
    return net.model(_last(net, net.node("Concat", *parts, name="op", axis=1)))


def qdq_where() -> ModelProto:
    net = QuantizedNet()
    c = net.input("c", [2, 8], BOOL)
    a, b = net.pair(net.input("a", [2, 8]), "a"), net.pair(net.input("b", [2, 8]), "b", 0.04)
    return net.model(_last(net, net.node("Where", c, a, b, name="op")))


def _dropped(op: str, dims: list[int], *more: str, **attributes: Attribute) -> ModelProto:
    """An operator that only moves values: the same scale on both sides."""
    net = QuantizedNet()
    x = net.pair(net.input("x", dims), "in")
    shape = [net.ints(name, 2, -1) if name == "shape" else "" for name in more]
    h = net.node(op, x, *shape, name="op", **attributes)
    q = net.node("QuantizeLinear", h, "in_scale", "in_zero", name="out_q")
    dq = net.node("DequantizeLinear", q, "in_scale", "in_zero", name="out_dq", out="y")
    return net.model(dq)


def qdq_maxpool() -> ModelProto:
    return _dropped("MaxPool", [1, 3, 8, 8], kernel_shape=[2, 2])


def qdq_reshape() -> ModelProto:
    return _dropped("Reshape", [2, 3, 4], "shape")


def qdq_transpose() -> ModelProto:
    return _dropped("Transpose", [2, 3, 4], perm=[2, 0, 1])


def qdq_resize() -> ModelProto:
    net = QuantizedNet()
    x = net.pair(net.input("x", [1, 3, 4, 4]), "in")
    scales = net.const("scales", [1, 1, 2, 2])
    h = net.node("Resize", x, "", scales, name="op", mode="nearest")
    q = net.node("QuantizeLinear", h, "in_scale", "in_zero", name="out_q")
    return net.model(net.node("DequantizeLinear", q, "in_scale", "in_zero", name="out_dq", out="y"))


def qdq_split() -> ModelProto:
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 8]), "in")
    halves = net.many("Split", x, name="op", outs=["left", "right"], axis=1)
    for name, half in zip(("a", "b"), halves, strict=True):
        q = net.node("QuantizeLinear", half, "in_scale", "in_zero", name=f"{name}_q")
        net.node("DequantizeLinear", q, "in_scale", "in_zero", name=f"{name}_dq", out=f"y_{name}")
    return net.model("y_a", "y_b")


def qdq_argmax() -> ModelProto:
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 8]), "in")
    return net.model((net.node("ArgMax", x, name="op", out="y", axis=1), INT64))


def double_pairs() -> ModelProto:
    """Two pairs in a row where one says it all."""
    net = QuantizedNet()
    x = net.node("Sin", net.input("x", [2, 8]), name="sin")
    h = net.pair(net.pair(x, "first"), "second")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def shared_pair() -> ModelProto:
    """One dequantize node with two readers: each gets its own."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 8]), "in")
    a = net.pair(net.node("Sigmoid", x, name="sigmoid"), "a", 0.01)
    b = net.pair(net.node("LeakyRelu", x, name="leaky", alpha=0.1), "b", 0.02)
    return net.model(_last(net, net.node("Add", a, b, name="add")))


def pair_through_transpose() -> ModelProto:
    """A dequantize node in front of two moves: quantization spreads over them."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 3, 4]), "in")
    h = net.node("Transpose", x, name="transpose", perm=[2, 0, 1])
    h = net.node("Reshape", h, net.ints("shape", 4, 6), name="reshape")
    return net.model(_last(net, net.node("Sigmoid", h, name="sigmoid")))


def qdq_conv_float_bias() -> ModelProto:
    """The bias was left in float: the runtime quantizes it to complete the group."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    h = net.node("Conv", x, net.constant("w", 4, 3, 3, 3), net.weight("b", 4), name="conv")
    return net.model(_last(net, h))


def qdq_conv_float_weight() -> ModelProto:
    """The weight is a constant in float, quantized by nodes."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [1, 3, 8, 8]), "in")
    h = net.node("Conv", x, net.pair(net.weight("w", 4, 3, 3, 3), "w", 0.01), name="conv")
    return net.model(_last(net, h))


def requantized() -> ModelProto:
    """A dequantize node meets a quantize node of another scale between two groups."""
    net = QuantizedNet()
    x = net.pair(net.input("x", [2, 8]), "in")
    h = net.pair(net.node("Sigmoid", x, name="sigmoid"), "middle", 0.01)
    h = net.pair(h, "other", 0.02)
    h = net.node("LeakyRelu", h, name="leaky", alpha=0.1)
    return net.model(_last(net, h))


def small_weight_and_bias() -> ModelProto:
    """A product with an eight-bit weight, and a bias behind it."""
    net = QuantizedNet()
    h = net.node("MatMul", net.input("x", [2, 3, 32]), net.constant("w", 32, 6), name="matmul")
    h = net.node("Add", h, net.weight("b", 6), name="add")
    return net.model(net.node("Sin", h, name="sin", out="y"))


qdq_sigmoid = _unary("Sigmoid", [2, 8])
qdq_leakyrelu = _unary("LeakyRelu", [2, 8], alpha=0.1)
qdq_softmax = _unary("Softmax", [2, 8], axis=-1)
qdq_averagepool = _unary("AveragePool", [1, 3, 8, 8], kernel_shape=[2, 2])
qdq_globalaveragepool = _unary("GlobalAveragePool", [1, 3, 8, 8])
qdq_sqrt = _unary("Sqrt", [2, 8])

QUANTIZED = (
    qdq_conv, qdq_conv_signed, qdq_conv_relu, qdq_conv_clip, qdq_matmul, qdq_matmul_to_float,
    qdq_gemm, qdq_add, qdq_mul, qdq_concat, qdq_where, qdq_maxpool, qdq_reshape, qdq_transpose,
    qdq_resize, qdq_split, qdq_argmax, double_pairs, shared_pair, pair_through_transpose,
    qdq_conv_float_bias, qdq_conv_float_weight, requantized, small_weight_and_bias,
    qdq_sigmoid, qdq_leakyrelu, qdq_softmax, qdq_averagepool, qdq_globalaveragepool, qdq_sqrt,
)  # fmt: skip
