"""What language models are made of: activations, norms and products written out in small nodes."""

from __future__ import annotations

from onnx import ModelProto

from tests.pairing_truth.build import INT64, UINT8, Net


def _gelu(net: Net, x: str, prefix: str = "") -> str:
    h = net.node("Div", x, net.const(f"{prefix}root_two", 2**0.5), name=f"{prefix}divide")
    h = net.node("Erf", h, name=f"{prefix}erf")
    h = net.node("Add", h, net.const(f"{prefix}one", 1.0), name=f"{prefix}plus_one")
    h = net.node("Mul", x, h, name=f"{prefix}times_x")
    return net.node("Mul", h, net.const(f"{prefix}half", 0.5), name=f"{prefix}halve")


def gelu() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    return net.model(net.node("Sin", _gelu(net, x), name="sin", out="y"))


def gelu_of_opset_20() -> ModelProto:
    """From opset 20 on ONNX has a Gelu of its own: the fusion is portable and of level basic."""
    net = Net(opset=20)
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    return net.model(net.node("Sin", _gelu(net, x), name="sin", out="y"))


def bias_gelu() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    x = net.node("Add", x, net.weight("bias", 8), name="add")
    return net.model(net.node("Sin", _gelu(net, x), name="sin", out="y"))


def fast_gelu() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    h = net.node("Pow", x, net.const("three", 3.0), name="cube")
    h = net.node("Mul", h, net.const("part", 0.044714998453855515), name="times_part")
    h = net.node("Add", x, h, name="plus_x")
    h = net.node("Mul", h, net.const("root", 0.7978845834732056), name="times_root")
    h = net.node("Tanh", h, name="tanh")
    h = net.node("Add", h, net.const("one", 1.0), name="plus_one")
    half = net.node("Mul", x, net.const("half", 0.5), name="halve")
    h = net.node("Mul", half, h, name="product")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def quick_gelu() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    h = net.node("Mul", x, net.const("alpha", 1.7020000219345093), name="times_alpha")
    h = net.node("Mul", x, net.node("Sigmoid", h, name="sigmoid"), name="product")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def swish() -> ModelProto:
    """QuickGelu with alpha 1: no factor in front of the sigmoid."""
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    h = net.node("Mul", x, net.node("Sigmoid", x, name="sigmoid"), name="product")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def layer_norm_nodes(net: Net, x: str, size: int = 8, prefix: str = "") -> str:
    """Nine nodes that norm the last dimension."""
    mean = net.node("ReduceMean", x, name=f"{prefix}mean", axes=[-1])
    centred = net.node("Sub", x, mean, name=f"{prefix}centre")
    square = net.node("Pow", centred, net.const(f"{prefix}two", 2.0), name=f"{prefix}square")
    var = net.node("ReduceMean", square, name=f"{prefix}variance", axes=[-1])
    h = net.node("Add", var, net.const(f"{prefix}epsilon", 1e-5), name=f"{prefix}plus_epsilon")
    h = net.node("Div", centred, net.node("Sqrt", h, name=f"{prefix}root"), name=f"{prefix}divide")
    h = net.node("Mul", h, net.positive(f"{prefix}scale", size), name=f"{prefix}scale_it")
    return net.node("Add", h, net.weight(f"{prefix}shift", size), name=f"{prefix}shift_it")


def layer_norm() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    return net.model(net.node("Sin", layer_norm_nodes(net, x), name="sin", out="y"))


def layer_norm_of_opset_13() -> ModelProto:
    """LayerNormalization came with opset 17: before, it takes the runtime's own operator."""
    net = Net(opset=13)
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    return net.model(net.node("Sin", layer_norm_nodes(net, x), name="sin", out="y"))


def skip_layer_norm() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    h = net.node("Add", x, net.input("skip", [2, 3, 8]), name="add")
    return net.model(net.node("Sin", layer_norm_nodes(net, h), name="sin", out="y"))


def skip_bias_layer_norm() -> ModelProto:
    """A bias and a skipped connection before the norm."""
    net = Net()
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    h = net.node("Add", x, net.weight("bias", 8), name="add_bias")
    h = net.node("Add", h, net.input("skip", [2, 3, 8]), name="add")
    scale, shift = net.positive("scale", 8), net.weight("shift", 8)
    h = net.node("LayerNormalization", h, scale, shift, name="norm")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def rms_norm() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    square = net.node("Pow", x, net.const("two", 2.0), name="square")
    mean = net.node("ReduceMean", square, name="mean", axes=[-1])
    h = net.node("Add", mean, net.const("epsilon", 1e-6), name="plus_epsilon")
    h = net.node("Div", x, net.node("Sqrt", h, name="root"), name="divide")
    h = net.node("Mul", h, net.positive("scale", 8), name="scale_it")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def bias_softmax() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 4, 8, 8]), name="exp")
    h = net.node("Add", x, net.input("mask", [2, 1, 1, 8]), name="add")
    h = net.node("Softmax", h, name="softmax", axis=3)
    return net.model(net.node("Sin", h, name="sin", out="y"))


def gathers_to_split() -> ModelProto:
    """Every slice of an axis is gathered once."""
    net = Net()
    x = net.node("Exp", net.input("x", [2, 3, 8]), name="exp")
    rows = [
        net.node("Gather", x, net.const(f"at_{i}", i, "int64"), name=f"gather_{i}", axis=1)
        for i in range(3)
    ]
    h = net.node("Add", net.node("Sin", rows[0], name="sin"), rows[1], name="add")
    return net.model(net.node("Mul", h, rows[2], name="mul", out="y"))


def gathered_range() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [9, 4]), name="exp")
    limit = net.input("limit", [], INT64)
    zero, one = net.const("zero", 0, "int64"), net.const("one", 1, "int64")
    r = net.node("Range", zero, limit, one, name="range")
    h = net.node("Gather", x, r, name="gather", axis=0)
    return net.model(net.node("Sin", h, name="sin", out="y"))


def _dynamic(net: Net, x: str) -> tuple[str, str, str]:
    q, scale, zero = net.many(
        "DynamicQuantizeLinear", x, name="quantize", outs=["quantized", "a_scale", "a_zero"]
    )
    return q, scale, zero


def dynamic_matmul() -> ModelProto:
    net = Net()
    x = net.node("Exp", net.input("x", [2, 4]), name="exp")
    q, scale, zero = _dynamic(net, x)
    w, w_zero = net.integers("w", "int8", 4, 3), net.const("w_zero", 0, "int8")
    h = net.node("MatMulInteger", q, w, zero, w_zero, name="matmul")
    h = net.node("Cast", h, name="cast", to=1)
    scales = net.node("Mul", scale, net.const("w_scale", 0.02), name="scales")
    h = net.node("Mul", h, scales, name="rescale")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def integer_matmul_to_float() -> ModelProto:
    """The same without the quantization in front."""
    net = Net()
    q, scale = net.input("q", [2, 4], UINT8), net.input("a_scale", [])
    zero = net.input("a_zero", [], UINT8)
    w, w_zero = net.integers("w", "int8", 4, 3), net.const("w_zero", 0, "int8")
    h = net.node("MatMulInteger", q, w, zero, w_zero, name="matmul")
    h = net.node("Cast", h, name="cast", to=1)
    scales = net.node("Mul", scale, net.const("w_scale", 0.02), name="scales")
    h = net.node("Mul", h, scales, name="rescale")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def integer_conv() -> ModelProto:
    """A dynamically quantized convolution stays as it is."""
    net = Net()
    x = net.node("Exp", net.input("x", [1, 3, 8, 8]), name="exp")
    q, scale, zero = _dynamic(net, x)
    w, w_zero = net.integers("w", "uint8", 4, 3, 3, 3), net.const("w_zero", 128, "uint8")
    h = net.node("ConvInteger", q, w, zero, w_zero, name="conv")
    h = net.node("Cast", h, name="cast", to=1)
    scales = net.node("Mul", scale, net.const("w_scale", 0.02), name="scales")
    return net.model(net.node("Mul", h, scales, name="rescale", out="y"))


LANGUAGE = (
    gelu, gelu_of_opset_20, bias_gelu, fast_gelu, quick_gelu, swish, layer_norm,
    layer_norm_of_opset_13, skip_layer_norm, skip_bias_layer_norm, rms_norm, bias_softmax,
    gathers_to_split, gathered_range, dynamic_matmul, integer_matmul_to_float, integer_conv,
)  # fmt: skip
