"""Graphs inside graphs, functions, and operators outside the ONNX domain."""

from __future__ import annotations

import numpy as np
from onnx import FunctionProto, ModelProto, helper

from tests.pairing_truth.build import BOOL, INT64, STRING, Net

LOCAL = "local"
ML = "ai.onnx.ml"


def branches() -> ModelProto:
    """Each branch holds something that level basic or extended rewrites."""
    net = Net()
    x = net.input("x", [2, 8])
    one, other = Net(), Net()
    h = one.node("Identity", x, name="identity")
    one.node("Relu", one.node("Exp", h, name="exp"), name="relu", out="then_y")
    h = other.node("MatMul", x, other.weight("w", 8, 8), name="matmul")
    other.node("Add", h, other.weight("b", 8), name="add", out="else_y")
    h = net.node(
        "If",
        net.input("c", [], BOOL),
        name="if",
        then_branch=one.graph("then_y", name="then"),
        else_branch=other.graph("else_y", name="else"),
    )
    return net.model(net.node("Sin", h, name="sin", out="y"))


def constant_condition() -> ModelProto:
    """The condition is known: the branch taken moves into the main graph."""
    net = Net()
    x = net.node("Exp", net.input("x", [2, 8]), name="exp")
    one, other = Net(), Net()
    one.node("Relu", one.node("Cos", x, name="cos"), name="relu", out="then_y")
    other.node("Tanh", x, name="tanh", out="else_y")
    h = net.node(
        "If",
        net.const("c", True, np.bool_),
        name="if",
        then_branch=one.graph("then_y", name="then"),
        else_branch=other.graph("else_y", name="else"),
    )
    return net.model(net.node("Sin", h, name="sin", out="y"))


def loop() -> ModelProto:
    """The body holds a node to drop and a Gemm with its activation."""
    net = Net()
    x = net.input("x", [2, 4])
    body = Net()
    body.input("i", [], INT64)
    going, state = body.input("going", [], BOOL), body.input("state", [2, 4])
    body.node("Identity", going, name="go_on", out="going_out")
    h = body.node("Gemm", state, body.weight("w", 4, 4), body.weight("b", 4), name="gemm")
    h = body.node("Dropout", h, name="dropout")
    body.node("Relu", h, name="relu", out="state_out")
    h = net.node(
        "Loop",
        net.const("count", 3, np.int64),
        net.const("go", True, np.bool_),
        x,
        name="loop",
        body=body.graph(("going_out", BOOL), "state_out", name="body"),
    )
    return net.model(net.node("Sin", h, name="sin", out="y"))


def scan() -> ModelProto:
    net = Net()
    x = net.input("x", [5, 4])
    body = Net()
    state, row = body.input("state", [4]), body.input("row", [4])
    h = body.node("Add", state, row, name="add")
    h = body.node("Mul", h, body.const("one", 1.0), name="times_one")
    body.node("Tanh", h, name="tanh", out="state_out")
    body.node("Exp", h, name="exp", out="row_out")
    outs = net.many(
        "Scan",
        net.weight("start", 4),
        x,
        name="scan",
        outs=["last", "rows"],
        num_scan_inputs=1,
        body=body.graph("state_out", "row_out", name="body"),
    )
    return net.model(net.node("Sin", outs[0], name="sin", out="y"), outs[1])


def nested_branches() -> ModelProto:
    """An If inside an If, with a node to drop at the bottom."""
    net = Net()
    x, c, d = net.input("x", [2, 8]), net.input("c", [], BOOL), net.input("d", [], BOOL)
    deep, flat, outer, other = Net(), Net(), Net(), Net()
    deep.node("Exp", deep.node("Identity", x, name="identity"), name="exp", out="deep_y")
    flat.node("Cos", x, name="cos", out="flat_y")
    h = outer.node(
        "If",
        d,
        name="inner",
        then_branch=deep.graph("deep_y", name="deep"),
        else_branch=flat.graph("flat_y", name="flat"),
    )
    outer.node("Relu", h, name="relu", out="then_y")
    other.node("Tanh", x, name="tanh", out="else_y")
    h = net.node(
        "If",
        c,
        name="if",
        then_branch=outer.graph("then_y", name="then"),
        else_branch=other.graph("else_y", name="else"),
    )
    return net.model(net.node("Sin", h, name="sin", out="y"))


def _function(name: str, *nodes: tuple[str, str, str], domain: str = "") -> FunctionProto:
    """A function of one input `a` and one output `z`, each node (operator, input, output)."""
    made = [
        helper.make_node(op, [x], [y], domain=domain if op[:4] == "Half" else "")
        for op, x, y in nodes
    ]
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(LOCAL, 1)]
    return helper.make_function(LOCAL, name, ["a"], ["z"], made, imports)


def function_once() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 8]), name="relu")
    h = net.node("Wave", h, name="call", domain=LOCAL)
    wave = _function("Wave", ("Exp", "a", "e"), ("Sin", "e", "z"))
    return net.model(net.node("Cos", h, name="cos", out="y"), domains=[LOCAL], functions=[wave])


def function_twice() -> ModelProto:
    net = Net()
    h = net.node("Wave", net.input("x", [2, 8]), name="first", domain=LOCAL)
    h = net.node("Relu", h, name="relu")
    h = net.node("Wave", h, name="second", domain=LOCAL)
    wave = _function("Wave", ("Exp", "a", "e"), ("Sin", "e", "z"))
    return net.model(net.node("Cos", h, name="cos", out="y"), domains=[LOCAL], functions=[wave])


def function_in_function() -> ModelProto:
    net = Net()
    h = net.node("Relu", net.input("x", [2, 8]), name="relu")
    h = net.node("Wave", h, name="call", domain=LOCAL)
    half = _function("HalfWave", ("Exp", "a", "e"), ("Sin", "e", "z"))
    wave = _function("Wave", ("HalfWave", "a", "h"), ("Tanh", "h", "z"), domain=LOCAL)
    return net.model(
        net.node("Cos", h, name="cos", out="y"), domains=[LOCAL], functions=[wave, half]
    )


def function_fused() -> ModelProto:
    """A Conv in the main graph, its Relu from a function: fused once the call is inlined."""
    net = Net()
    x = net.input("x", [1, 3, 8, 8])
    h = net.node("Conv", x, net.weight("w", 4, 3, 3, 3), net.weight("b", 4), name="conv")
    h = net.node("Wave", h, name="call", domain=LOCAL)
    wave = _function("Wave", ("Relu", "a", "r"), ("Sin", "r", "z"))
    return net.model(net.node("Cos", h, name="cos", out="y"), domains=[LOCAL], functions=[wave])


def operator_with_body() -> ModelProto:
    """ONNX defines this operator as a function, and the runtime has no kernel of its own."""
    net = Net(opset=18)
    h = net.node("Relu", net.input("x", [2, 8]), name="relu")
    h = net.node("Mish", h, name="mish")
    return net.model(net.node("Cos", h, name="cos", out="y"))


def label_encoders() -> ModelProto:
    """Two look-ups in a row become one table."""
    net = Net()
    keys, between, values = ["a", "b", "c"], ["p", "q", "r"], [10, 20, 30]
    h = net.node(
        "LabelEncoder", net.input("x", [3], STRING), name="first", domain=ML,
        keys_strings=keys, values_strings=between, default_string="none",
    )  # fmt: skip
    h = net.node(
        "LabelEncoder", h, name="second", domain=ML,
        keys_strings=between, values_int64s=values, default_int64=-1,
    )  # fmt: skip
    model = net.model((net.node("Identity", h, name="identity", out="y"), INT64), domains=[ML])
    model.opset_import[1].version = 4
    return model


BODIES = (
    branches, constant_condition, loop, scan, nested_branches, function_once, function_twice,
    function_in_function, function_fused, operator_with_body, label_encoders,
)  # fmt: skip
