"""Nodes that change nothing, and small rewrites of level basic."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from tests.pairing_truth.build import BOOL, FLOAT, INT64, Net


def identity() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Identity", h, name="identity")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def identity_before_output() -> ModelProto:
    """The identity makes the output: its producer takes the name over."""
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    return net.model(net.node("Identity", h, name="identity", out="y"))


def dropout() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Dropout", h, net.const("ratio", 0.5), name="dropout")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def cast_to_same() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Cast", h, name="cast", to=FLOAT)
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def whole_slice() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    ends = net.ints("ends", np.iinfo(np.int64).max)
    h = net.node("Slice", h, net.ints("starts", 0), ends, net.ints("axes", 1), name="slice")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def unsqueezed_constant() -> ModelProto:
    """Unsqueeze of an initializer: the runtime gives the initializer another shape."""
    net = Net()
    w = net.node("Unsqueeze", net.weight("w", 3), net.ints("axes", 0), name="unsqueeze")
    h = net.node("Mul", net.input("x", [2, 3]), w, name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def expand_to_same() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Expand", h, net.ints("shape", 2, 3), name="expand")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def add_zero() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Add", h, net.const("zero", 0.0), name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def multiply_by_one() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Mul", h, net.const("one", 1.0), name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def pad_by_nothing() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Pad", h, net.ints("pads", 0, 0, 0, 0), name="pad")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def transpose_of_nothing() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Transpose", h, name="transpose", perm=[0, 1])
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def reshape_to_same() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    h = net.node("Reshape", h, net.ints("shape", 2, 3), name="reshape")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def cast_before_shape() -> ModelProto:
    """A cast whose only reader asks for the shape."""
    net = Net()
    x = net.input("x", ["n", 3])
    h = net.node("Cast", x, name="cast", to=INT64)
    shape = net.node("Shape", h, name="shape", out="s")
    return net.model((shape, INT64), net.node("Relu", x, name="relu", out="y"))


def one_over_times() -> ModelProto:
    net = Net()
    x, z = net.input("x", [2, 3]), net.input("z", [2, 3])
    h = net.node("Div", net.const("one", 1.0), net.node("Exp", x, name="exp"), name="div")
    h = net.node("Mul", h, z, name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def relu_then_clip() -> ModelProto:
    net = Net()
    h = net.node("Exp", net.input("x", [2, 3]), name="exp")
    h = net.node("Relu", h, name="relu")
    h = net.node("Clip", h, net.const("low", -1.0), net.const("high", 6.0), name="clip")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def gemm_then_sum() -> ModelProto:
    net = Net()
    x = net.input("x", [2, 4])
    h = net.node("Gemm", x, net.weight("w", 4, 3), name="gemm")
    h = net.node("Sum", h, net.weight("c", 3), name="sum")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def gemm_of_transposed() -> ModelProto:
    net = Net()
    h = net.node("Transpose", net.input("x", [4, 2]), name="transpose", perm=[1, 0])
    h = net.node("Gemm", h, net.weight("w", 4, 3), net.weight("b", 3), name="gemm")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def not_then_where() -> ModelProto:
    net = Net()
    c, x = net.input("c", [2, 3], BOOL), net.input("x", [2, 3])
    z = net.node("Exp", x, name="exp")
    h = net.node("Where", net.node("Not", c, name="not"), x, z, name="where")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def dead_branch() -> ModelProto:
    """Two nodes whose result nobody reads."""
    net = Net()
    x = net.input("x", [2, 3])
    net.node("Tanh", net.node("Exp", x, name="dead_exp"), name="dead_tanh")
    h = net.node("Relu", x, name="relu")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def equal_subexpressions() -> ModelProto:
    net = Net()
    x = net.input("x", [2, 3])
    a = net.node("Exp", x, name="exp_a")
    b = net.node("Exp", x, name="exp_b")
    h = net.node("Mul", net.node("Sin", a, name="sin"), net.node("Cos", b, name="cos"), name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def equal_chains() -> ModelProto:
    """Two chains of two equal nodes each, then two that differ."""
    net = Net()
    x = net.input("x", [2, 3])
    a = net.node("Tanh", net.node("Exp", x, name="exp_a"), name="tanh_a")
    b = net.node("Tanh", net.node("Exp", x, name="exp_b"), name="tanh_b")
    h = net.node("Add", net.node("Sin", a, name="sin"), net.node("Cos", b, name="cos"), name="add")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def shared_constants() -> ModelProto:
    """Equal constants under two names become one, and the nodes that read them stay."""
    net = Net()
    x = net.input("x", [2, 3])
    a = net.node("Add", x, net.const("half_a", 0.5), name="add")
    h = net.node("Mul", a, net.const("half_b", 0.5), name="mul")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def unused_initializer() -> ModelProto:
    net = Net()
    net.weight("unused", 500)
    h = net.node("Relu", net.input("x", [2, 3]), name="relu")
    return net.model(net.node("Sigmoid", h, name="sigmoid", out="y"))


def defaults_made_explicit() -> ModelProto:
    net = Net()
    x = net.input("x", [1, 3, 8, 8])
    h = net.node("Conv", x, net.weight("w", 4, 3, 3, 3), name="conv")
    h = net.node("MaxPool", h, name="pool", kernel_shape=[2, 2])
    return net.model(net.node("Softmax", h, name="softmax", out="y"))


ELIMINATIONS = (
    identity, identity_before_output, dropout, cast_to_same, whole_slice, unsqueezed_constant,
    expand_to_same, add_zero, multiply_by_one, pad_by_nothing, transpose_of_nothing,
    reshape_to_same, cast_before_shape, one_over_times, relu_then_clip, gemm_then_sum,
    gemm_of_transposed, not_then_where, dead_branch, equal_subexpressions, equal_chains,
    shared_constants, unused_initializer, defaults_made_explicit,
)  # fmt: skip
