"""Subgraphs and functions of an ONNX model: paths, scopes, depth."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

from ortstudio.format.source import Source
from ortstudio.model.graph import GraphRef, Parent
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.types import SparseTensorType, TensorType
from tests.builders import wire
from tests.builders.onnx_models import graph_of, implicit_names, model_of, node, read
from tests.oracles import onnx_protos as oracle
from tests.unit.model import onnx_plain as ours


def test_subgraphs_follow_the_main_graph_and_are_named_by_their_node() -> None:
    leaf = graph_of([node("Relu", "x", "a")], "leaf", outputs="a")
    middle = graph_of(
        [node("If", "c", "b", "in/ner~", then_branch=leaf, else_branch=leaf)], outputs="b"
    )
    main = graph_of(
        [
            node("If", "c", "y", "if_0", then_branch=middle, else_branch=leaf),
            node("If", "c", "z", "twice", then_branch=leaf),
            node("Loop", "c", "w", "twice", body=leaf),
            node("Switch", "c", "v", bodies=[leaf, leaf]),
        ],
        inputs="c x",
    )
    model = read(model_of(main))
    assert [graph.path for graph in model.graphs] == [
        "/",
        "/if_0/then_branch",
        "/if_0/else_branch",
        "/#1/then_branch",
        "/#2/body",
        "/#3/bodies/0",
        "/#3/bodies/1",
        "/if_0/then_branch/in~1ner~0/then_branch",
        "/if_0/then_branch/in~1ner~0/else_branch",
    ]
    assert model.graphs[2].parent == Parent(0, 0, "else_branch")
    assert model.graphs[8].parent == Parent(1, 0, "else_branch")
    assert model.main.nodes.attribute_values(3) == {"bodies": (GraphRef(5), GraphRef(6))}
    assert model.graphs[1].nodes.attribute_values(0)["else_branch"] == GraphRef(8)


def test_implicit_inputs_are_what_subgraphs_read_from_outside_in_order_of_first_use() -> None:
    leaf = graph_of(
        [node("Add", "deep local", "s"), node("Mul", "s outer2", "t")], inputs="local", outputs="t"
    )
    middle = graph_of(
        [
            node("Add", "outer1 own", "m"),
            node("Loop", "outer1", "n", body=leaf),
            node("Constant", "", "own"),
            node("Relu", "last", "o"),
        ],
        outputs="o through",
    )
    other = graph_of([node("Neg", "first", "q")], outputs="q")
    main = graph_of(
        [
            node("Relu", "x", "deep"),
            node("If", "c", "y", then_branch=other, else_branch=middle),
            node("Relu", "deep", "z"),
        ],
        inputs="c x",
    )
    model = read(model_of(main))
    outer = ["first", "outer1", "deep", "outer2", "last", "through"]
    assert implicit_names(model.main) == [[], outer, []]
    assert implicit_names(model.graphs[2]) == [[], ["deep", "outer2"], [], []]
    assert implicit_names(model.graphs[1]) == [[]]
    assert implicit_names(model.graphs[3]) == [[], []]
    deep = model.main.values.ids["deep"]
    assert model.main.consumers.row(deep).tolist() == [1, 2]


def test_an_initializer_of_a_subgraph_is_no_outer_value() -> None:
    inner = graph_of([node("Add", "w v", "y")], outputs="y")
    inner.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [1], [1]))
    inner.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("v", TensorProto.FLOAT, [1], [1]),
            helper.make_tensor("", TensorProto.INT64, [1], [0]),
            [4],
        )
    )
    model = read(model_of(graph_of([node("If", "c", "z", then_branch=inner)], inputs="c")))
    assert implicit_names(model.main) == [[]]


def test_values_are_typed_by_declaration_else_initializer_else_outer_value() -> None:
    inner = graph_of([node("Add", "w x", "y"), node("Neg", "u", "v")], outputs="y")
    main = graph_of([node("If", "c", "z", then_branch=inner)], inputs="c")
    main.input.append(helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["n"]))
    main.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [2, 3], [0] * 6))
    main.initializer.append(helper.make_tensor("d", TensorProto.FLOAT, [2], [0, 0]))
    main.value_info.append(helper.make_tensor_value_info("d", TensorProto.FLOAT, ["k"]))
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("s", TensorProto.INT8, [1], [1]),
        helper.make_tensor("", TensorProto.INT64, [1], [0]),
        [4, 5],
    )
    main.sparse_initializer.append(sparse)
    graphs = read(model_of(main)).graphs
    types = [dict(zip(g.values.names, g.values.types, strict=True)) for g in graphs]
    assert types[0]["w"] == TensorType(1, (2, 3))
    assert types[0]["d"] == TensorType(1, ("k",))
    assert types[0]["s"] == SparseTensorType(3, (4, 5))
    assert types[0]["z"] is None
    assert types[1]["w"] is types[0]["w"]
    assert types[1]["x"] is types[0]["x"]
    assert types[1]["u"] is None


def test_functions_hold_their_own_graphs() -> None:
    leaf = graph_of([node("Relu", "a", "r")], outputs="r")
    body = [node("If", "a", "b", "pick", then_branch=leaf, else_branch=leaf)]
    function = helper.make_function(
        "com.x",
        "F",
        ["a"],
        ["b"],
        body,
        [helper.make_opsetid("", 18)],
        attributes=["alpha"],
        attribute_protos=[helper.make_attribute("beta", 2.5)],
        doc_string="about",
        overload="v2",
        value_info=[helper.make_tensor_value_info("b", TensorProto.FLOAT, [1])],
    )
    proto = model_of(
        graph_of([helper.make_node("F", ["x"], ["y"], domain="com.x")], inputs="x", outputs="y"),
        functions=[function, function],
        opset_imports=[helper.make_opsetid("", 17)],
    )
    model = read(proto)
    expected = oracle.model(proto)
    assert ours.model(model, expected) == expected
    assert len(model.graphs) == 1
    assert model.onnx is not None
    found = model.onnx.functions[0]
    assert [graph.path for graph in found.graphs] == [
        "com.x:F:v2",
        "com.x:F:v2/pick/then_branch",
        "com.x:F:v2/pick/else_branch",
    ]
    assert found.graphs[2].parent == Parent(0, 0, "else_branch")
    assert found.body.nodes.attribute_values(0)["else_branch"] == GraphRef(2)
    assert implicit_names(found.body) == [["a"]]
    assert len(model.onnx.functions[1].graphs) == 3
    assert model.sizes["functions"] > 100


@pytest.mark.parametrize("depth", [1, 31, 500])
def test_graphs_nest_deeper_than_protobuf_can_read(depth: int) -> None:
    graph = wire.node(wire.chunk(1, "outer"), op_type="Relu")
    for _ in range(depth):
        attribute = wire.chunk(1, "then_branch") + wire.number(20, 5) + wire.chunk(6, graph)
        graph = wire.node(wire.chunk(5, attribute), wire.chunk(3, "if"), op_type="If")
    model = read(wire.model(graph))
    assert len(model.graphs) == depth + 1
    assert model.graphs[-1].path == "/if/then_branch" * depth
    assert model.graphs[-1].nodes.op_types == ["Relu"]
    assert implicit_names(model.main) == [["outer"]]


def test_graphs_nested_too_deep_are_left_out_with_a_word() -> None:
    graph = wire.node()
    for _ in range(1100):
        attribute = wire.chunk(1, "b") + wire.number(20, 5) + wire.chunk(6, graph)
        graph = wire.node(wire.chunk(5, attribute))
    model = read_onnx(Source.of_bytes(wire.model(graph)))
    assert len(model.graphs) == 1001
    assert model.error is not None
    assert "1000" in model.error.message
    assert model.error.where.field.startswith("ModelProto.graph.node[0].attribute[0].g.node[0]")


def test_many_subgraphs_are_each_their_own() -> None:
    nodes = []
    for i in range(300):
        inner = graph_of(
            [node("Const", "", f"c{i}", value=i), node("Add", f"c{i} x", f"y{i}")],
            f"g{i}",
            outputs=f"y{i}",
        )
        inner.initializer.append(
            helper.make_tensor(f"w{i}", TensorProto.FLOAT, [i % 3], [0] * (i % 3))
        )
        inner.node[1].doc_string = f"doc {i}"
        nodes.append(node("If", "c", f"z{i}", f"if{i}", then_branch=inner))
    proto = model_of(graph_of(nodes, inputs="c x"))
    model = read(proto)
    expected = oracle.model(proto)
    assert ours.model(model, expected) == expected
    assert all(row == ["x"] for row in implicit_names(model.main))
