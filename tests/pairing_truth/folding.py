"""Constants: nodes that become initializers, and what hangs on shapes."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, helper, numpy_helper

from tests.pairing_truth.build import INT64, Net


def constant_node() -> ModelProto:
    net = Net()
    value = numpy_helper.from_array(np.arange(3, dtype=np.float32))
    c = net.node("Constant", name="constant", value=value)
    h = net.node("Add", net.input("x", [2, 3]), c, name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def constant_of_shape() -> ModelProto:
    net = Net()
    fill = helper.make_tensor("fill", 1, [1], [0.25])
    c = net.node("ConstantOfShape", net.ints("shape", 64, 64), name="filled", value=fill)
    h = net.node("Add", net.input("x", [64, 64]), c, name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def constant_chain() -> ModelProto:
    """Three nodes over constants alone end in one initializer."""
    net = Net()
    h = net.node("Exp", net.weight("w", 4, 3), name="exp")
    h = net.node("Transpose", h, name="transpose", perm=[1, 0])
    h = net.node("Mul", h, net.const("half", 0.3), name="mul")
    h = net.node("MatMul", net.input("x", [2, 3]), h, name="matmul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def constant_fork() -> ModelProto:
    """A constant node feeds two results: two initializers."""
    net = Net()
    h = net.node("Exp", net.weight("w", 3), name="exp")
    a = net.node("Sin", h, name="sin")
    b = net.node("Cos", h, name="cos")
    h = net.node("Add", net.input("x", [2, 3]), a, name="add")
    h = net.node("Mul", h, b, name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def fixed_shape() -> ModelProto:
    """The shape is known, so everything made of it is constant."""
    net = Net()
    x = net.input("x", [2, 3, 4])
    s = net.node("Shape", x, name="shape")
    first = net.node("Gather", s, net.const("zero", 0, np.int64), name="gather", axis=0)
    first = net.node("Unsqueeze", first, net.ints("axes", 0), name="unsqueeze")
    s = net.node("Concat", first, net.ints("rest", 12), name="concat", axis=0)
    h = net.node("Reshape", net.node("Exp", x, name="exp"), s, name="reshape")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def shape_of_batch() -> ModelProto:
    """Shape, Gather and Concat only copy the batch: the runtime writes 0 in its place."""
    net = Net()
    x = net.node("Exp", net.input("x", ["n", 3, 4]), name="exp")
    s = net.node("Shape", x, name="shape")
    first = net.node("Gather", s, net.const("zero", 0, np.int64), name="gather", axis=0)
    first = net.node("Unsqueeze", first, net.ints("axes", 0), name="unsqueeze")
    s = net.node("Concat", first, net.ints("rest", 12), name="concat", axis=0)
    h = net.node("Reshape", x, s, name="reshape")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def flattened_batch() -> ModelProto:
    """The product of two unknown dimensions is the one that is left over: -1."""
    net = Net()
    x = net.node("Exp", net.input("x", ["n", "m", 4]), name="exp")
    s = net.node("Shape", x, name="shape")
    d = net.node("Gather", s, net.ints("both", 0, 1), name="gather", axis=0)
    d = net.node("ReduceProd", d, name="product", keepdims=1)
    s = net.node("Concat", d, net.ints("rest", 4), name="concat", axis=0)
    h = net.node("Reshape", x, s, name="reshape")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def dequantized_weight() -> ModelProto:
    """A weight kept in eight bits: it stays so, since its consumer may want it."""
    net = Net()
    w = net.integers("w", np.int8, 4, 3)
    scale, zero = net.const("scale", 0.02), net.const("zero", 0, np.int8)
    w = net.node("DequantizeLinear", w, scale, zero, name="dequantize")
    h = net.node("MatMul", net.input("x", [2, 4]), w, name="matmul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def constant_output() -> ModelProto:
    """A constant that is an output of the graph."""
    net = Net()
    net.node("Exp", net.weight("w", 3), name="exp", out="c")
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    return net.model("c", net.node("Sigmoid", h, name="sigmoid", out="y"))


def random_stays() -> ModelProto:
    """No input varies, and still it may not be computed beforehand."""
    net = Net()
    r = net.node("RandomNormal", name="random", shape=[2, 3], seed=1.0)
    h = net.node("Add", net.input("x", [2, 3]), r, name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def overridable_stays() -> ModelProto:
    """An initializer that is an input too may be replaced by the caller: nothing is folded."""
    net = Net()
    w = net.input("w", [3])
    net.weight("w", 3)
    h = net.node("Exp", w, name="exp")
    h = net.node("Add", net.input("x", [2, 3]), h, name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def size_stays() -> ModelProto:
    """Size of a known shape is as constant as Shape is, but only Shape is folded."""
    net = Net()
    x = net.input("x", [2, 3])
    n = net.node("Size", x, name="size")
    f = net.node("Cast", n, name="cast", to=1)
    h = net.node("Div", net.node("Exp", x, name="exp"), f, name="div")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"), (n, INT64))


def two_reshapes() -> ModelProto:
    """One behind the other: only the last shape counts."""
    net = Net()
    h = net.node("Exp", net.input("x", [2, 3, 4]), name="exp")
    h = net.node("Reshape", h, net.ints("shape_a", 6, 4), name="first")
    h = net.node("Reshape", h, net.ints("shape_b", 3, 8), name="second")
    return net.model(net.node("Sin", h, name="sin", out="y"))


def unsqueezed_and_back() -> ModelProto:
    """A dimension is added and taken away again."""
    net = Net()
    h = net.node("Exp", net.input("x", [2, 3]), name="exp")
    h = net.node("Unsqueeze", h, net.ints("axes_a", 0), name="unsqueeze")
    h = net.node("Squeeze", h, net.ints("axes_b", 0), name="squeeze")
    return net.model(net.node("Sin", h, name="sin", out="y"))


FOLDING = (
    constant_node, constant_of_shape, constant_chain, constant_fork, fixed_shape, shape_of_batch,
    flattened_batch, dequantized_weight, constant_output, random_stays, overridable_stays,
    size_stays, two_reshapes, unsqueezed_and_back,
)  # fmt: skip
