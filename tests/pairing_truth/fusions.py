"""Convolutions, matrix products and what the runtime merges into them."""

from __future__ import annotations

from onnx import ModelProto

from tests.pairing_truth.build import Attribute, Net


def _image(net: Net) -> str:
    return net.input("x", [1, 3, 8, 8])


def _conv(net: Net, x: str, name: str = "conv", channels: int = 4, bias: bool = True) -> str:
    read = [x, net.weight(f"{name}_w", channels, 3, 3, 3)]
    read += [net.weight(f"{name}_b", channels)] if bias else []
    return net.node("Conv", *read, name=name, pads=[1, 1, 1, 1])


def _norm(net: Net, x: str, channels: int = 4) -> str:
    weights = [net.positive(f"bn_{part}", channels) for part in ("scale", "bias", "mean", "var")]
    return net.node("BatchNormalization", x, *weights, name="bn")


def conv_add() -> ModelProto:
    net = Net()
    h = net.node("Add", _conv(net, _image(net)), net.weight("c", 4, 1, 1), name="add")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def conv_mul() -> ModelProto:
    net = Net()
    h = net.node("Mul", _conv(net, _image(net)), net.weight("c", 4, 1, 1), name="mul")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def conv_bn() -> ModelProto:
    net = Net()
    h = _norm(net, _conv(net, _image(net), bias=False))
    return net.model(net.node("Exp", h, name="exp", out="y"))


def conv_bn_relu() -> ModelProto:
    net = Net()
    h = _norm(net, _conv(net, _image(net), bias=False))
    return net.model(net.node("Relu", h, name="relu", out="y"))


def transposed_conv_bn() -> ModelProto:
    net = Net()
    x = net.input("x", [1, 3, 8, 8])
    h = net.node("ConvTranspose", x, net.weight("w", 3, 4, 3, 3), name="deconv")
    return net.model(net.node("Exp", _norm(net, h), name="exp", out="y"))


def bn_alone() -> ModelProto:
    """A batch norm with no convolution before it stays."""
    net = Net()
    x = net.input("x", [1, 4, 8, 8])
    h = _norm(net, net.node("Exp", x, name="exp"))
    return net.model(net.node("Relu", h, name="relu", out="y"))


def padded_conv() -> ModelProto:
    net = Net()
    x = net.node("Exp", _image(net), name="exp")
    x = net.node("Pad", x, net.ints("pads", 0, 0, 1, 1, 0, 0, 1, 1), name="pad")
    h = net.node("Conv", x, net.weight("w", 4, 3, 3, 3), name="conv", pads=[0, 0, 0, 0])
    return net.model(net.node("Exp", h, name="last", out="y"))


def padded_pool() -> ModelProto:
    """A max pool pads with less than any number, so a pad with zeros cannot move into it."""
    net = Net()
    x = net.node("Exp", _image(net), name="exp")
    x = net.node("Pad", x, net.ints("pads", 0, 0, 1, 1, 0, 0, 1, 1), name="pad")
    h = net.node("MaxPool", x, name="pool", kernel_shape=[3, 3], pads=[0, 0, 0, 0])
    return net.model(net.node("Exp", h, name="last", out="y"))


def padded_average_pool() -> ModelProto:
    net = Net()
    x = net.node("Exp", _image(net), name="exp")
    x = net.node("Pad", x, net.ints("pads", 0, 0, 1, 1, 0, 0, 1, 1), name="pad")
    h = net.node(
        "AveragePool", x, name="pool", kernel_shape=[3, 3], pads=[0] * 4, count_include_pad=1
    )
    return net.model(net.node("Exp", h, name="last", out="y"))


def matmul_add() -> ModelProto:
    net = Net()
    h = net.node("MatMul", net.input("x", [2, 4]), net.weight("w", 4, 3), name="matmul")
    h = net.node("Add", h, net.weight("b", 3), name="add")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def matmul_add_batched() -> ModelProto:
    """Three dimensions: the Gemm needs a reshape on either side."""
    net = Net()
    h = net.node("MatMul", net.input("x", [5, 2, 4]), net.weight("w", 4, 3), name="matmul")
    h = net.node("Add", h, net.weight("b", 3), name="add")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def matmul_bn() -> ModelProto:
    net = Net()
    h = net.node("MatMul", net.input("x", [2, 3]), net.weight("w", 3, 4), name="matmul")
    return net.model(net.node("Exp", _norm(net, h), name="exp", out="y"))


def _activated(op: str, **attributes: Attribute) -> ModelProto:
    net = Net()
    h = _conv(net, _image(net))
    return net.model(net.node(op, h, name="act", out="y", **attributes))


def conv_relu() -> ModelProto:
    return _activated("Relu")


def conv_sigmoid() -> ModelProto:
    return _activated("Sigmoid")


def conv_tanh() -> ModelProto:
    return _activated("Tanh")


def conv_leaky_relu() -> ModelProto:
    return _activated("LeakyRelu", alpha=0.2)


def conv_hard_sigmoid() -> ModelProto:
    return _activated("HardSigmoid", alpha=0.3, beta=0.4)


def conv_clip() -> ModelProto:
    net = Net()
    low, high = net.const("low", 0.0), net.const("high", 6.0)
    return net.model(net.node("Clip", _conv(net, _image(net)), low, high, name="act", out="y"))


def conv_elu() -> ModelProto:
    """No fused convolution knows Elu."""
    return _activated("Elu", alpha=0.5)


def residual_block() -> ModelProto:
    """The sum of two branches and a relu: at level layout a convolution takes both over."""
    net = Net()
    x = net.node("Exp", net.input("x", [1, 3, 8, 8]), name="exp")
    h = net.node("Relu", _conv(net, x, "conv_a", channels=3), name="relu_a")
    h = _conv(net, h, "conv_b", channels=3)
    h = net.node("Add", h, x, name="add")
    return net.model(net.node("Relu", h, name="relu", out="y"))


def two_readers() -> ModelProto:
    """A convolution read by two nodes is not merged with either."""
    net = Net()
    h = _conv(net, _image(net))
    a = net.node("Relu", h, name="relu")
    b = net.node("Exp", h, name="exp")
    return net.model(net.node("Add", a, b, name="add", out="y"))


def gemm_relu() -> ModelProto:
    net = Net()
    x = net.input("x", [2, 4])
    h = net.node("Gemm", x, net.weight("w", 4, 3), net.weight("b", 3), name="gemm")
    return net.model(net.node("Relu", h, name="relu", out="y"))


def gemm_leaky_relu() -> ModelProto:
    net = Net()
    x = net.input("x", [2, 4])
    h = net.node("Gemm", x, net.weight("w", 4, 3), net.weight("b", 3), name="gemm")
    return net.model(net.node("LeakyRelu", h, name="leaky", out="y", alpha=0.3))


def linear_relu() -> ModelProto:
    """MatMul, Add and Relu: two fusions in a row."""
    net = Net()
    h = net.node("MatMul", net.input("x", [2, 4]), net.weight("w", 4, 3), name="matmul")
    h = net.node("Add", h, net.weight("b", 3), name="add")
    return net.model(net.node("Relu", h, name="relu", out="y"))


def matmul_scale() -> ModelProto:
    net = Net()
    x, z = net.input("x", [2, 4]), net.input("z", [4, 3])
    h = net.node("MatMul", x, z, name="matmul")
    h = net.node("Mul", h, net.const("scale", 0.5), name="scale_it")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def scaled_matmul() -> ModelProto:
    """The scale stands before the product."""
    net = Net()
    x, z = net.input("x", [2, 4]), net.input("z", [4, 3])
    x = net.node("Div", x, net.const("scale", 4.0), name="scale_it")
    h = net.node("MatMul", x, z, name="matmul")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def matmul_of_transposed() -> ModelProto:
    net = Net()
    x, z = net.input("x", [2, 5, 4]), net.input("z", [2, 3, 4])
    z = net.node("Transpose", z, name="transpose", perm=[0, 2, 1])
    h = net.node("MatMul", x, z, name="matmul")
    return net.model(net.node("Exp", h, name="exp", out="y"))


def attention_scores() -> ModelProto:
    """Transpose, MatMul and scale: all three become one FusedMatMul."""
    net = Net()
    x, z = net.input("x", [2, 5, 4]), net.input("z", [2, 3, 4])
    z = net.node("Transpose", z, name="transpose", perm=[0, 2, 1])
    h = net.node("MatMul", x, z, name="matmul")
    h = net.node("Div", h, net.const("scale", 2.0), name="scale_it")
    return net.model(net.node("Softmax", h, name="softmax", out="y"))


def transpose_of_two_readers() -> ModelProto:
    """A transpose that a product takes over, and that another node still needs."""
    net = Net()
    x, z = net.input("x", [2, 5, 4]), net.input("z", [2, 3, 4])
    t = net.node("Transpose", z, name="transpose", perm=[0, 2, 1])
    a = net.node("MatMul", x, t, name="matmul")
    return net.model(
        net.node("Exp", a, name="exp", out="y"), net.node("Sin", t, name="sin", out="s")
    )


FUSIONS = (
    conv_add, conv_mul, conv_bn, conv_bn_relu, transposed_conv_bn, bn_alone, padded_conv,
    padded_pool, padded_average_pool, matmul_add, matmul_add_batched, matmul_bn, conv_relu,
    conv_sigmoid, conv_tanh, conv_leaky_relu, conv_hard_sigmoid, conv_clip, conv_elu,
    residual_block, two_readers, gemm_relu, gemm_leaky_relu, linear_relu, matmul_scale,
    scaled_matmul, matmul_of_transposed, attention_scores, transpose_of_two_readers,
)  # fmt: skip
