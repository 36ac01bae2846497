"""Nodes, edges and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ortstudio.format.arrays import Ragged, ints
from ortstudio.model.graph import Function, GraphRef, Parent
from ortstudio.model.model import Model, OnnxModel, OrtGraph
from ortstudio.model.types import DataType, MapType, OptionalType, SequenceType, TensorType
from tests.builders.models import Node, graph, imports, onnx, ort, ort_graph, tensor
from tests.unit.analysis.checks.codes import codes, found

CHAIN = [
    Node("Relu", ["x"], ["a"], "first", since=14),
    Node("Add", ["a", "a"], ["b"], "second", since=14),
    Node("Relu", ["b"], ["y"], "third", since=14),
]


def chain(nodes: Sequence[Node] = CHAIN, **changes: object) -> Model:
    """The chain with some of what its `.ort` says changed."""
    g = graph(nodes, inputs=["x"], outputs=["y"])
    beyond: OrtGraph = replace(ort_graph(g, nodes), **changes)  # type: ignore[arg-type]
    return ort(g, others=[beyond])


def test_the_chain_is_sound() -> None:
    assert codes(chain()) == []


def test_node_indices_are_unique_and_below_the_maximum() -> None:
    twice = [CHAIN[0], replace(CHAIN[1], index=0), replace(CHAIN[2], index=2)]
    finding = found(chain(twice))[0]
    assert finding.code == "duplicate-node-index"
    assert finding.message.startswith("Add 'second': its index 0")
    assert finding.offset_bytes == 110
    assert codes(chain(max_node_index=2)) == ["error node-index-beyond-maximum"]
    assert codes(chain(max_node_index=4_000_000_000)) == []


def test_argument_counts_add_up() -> None:
    short = [CHAIN[0], replace(CHAIN[1], arg_counts=[1]), CHAIN[2]]
    finding = found(chain(short))[0]
    assert finding.code == "argument-count-mismatch"
    assert "adds up to 1 of 2 inputs" in finding.message
    variadic = [CHAIN[0], replace(CHAIN[1], arg_counts=[2]), CHAIN[2]]
    assert codes(chain(variadic)) == []
    negative = [CHAIN[0], replace(CHAIN[1], arg_counts=[3, -1]), CHAIN[2]]
    assert codes(chain(negative)) == ["error argument-count-negative"]


def test_edges_may_be_left_out() -> None:
    none = Ragged.empty(0)
    assert codes(chain(edge_nodes=ints([]), input_edges=none, output_edges=none)) == []


def test_edges_join_an_output_and_the_same_input() -> None:
    right = Ragged.of([[], [0, 0, 0, 0, 0, 1], [1, 0, 0]])
    assert codes(chain(input_edges=right)) == []
    for end in ([0, 1, 0], [0, 0, 2], [0, -1, 0], [0, 0, -1], [2, 0, 0]):
        wrong = Ragged.of([[], end, []])
        assert codes(chain(input_edges=wrong)) == ["error edge-mismatch"], end
    assert codes(chain(output_edges=Ragged.of([[2, 0, 0], [], []]))) == ["error edge-mismatch"]


def test_edges_lead_to_nodes() -> None:
    beyond = Ragged.of([[], [77, 0, 0], []])
    assert codes(chain(input_edges=beyond)) == ["error edge-leads-nowhere"]
    largest = Ragged.of([[-1, 0, 0], [], []])
    assert codes(chain(output_edges=largest)) == ["error edge-leads-nowhere"]
    lost = found(chain(edge_nodes=ints([0, 9, 2])))
    assert [finding.message for finding in lost] == [
        "Edges are listed for node 9, which is not there"
    ]


def test_edges_reach_implicit_inputs_after_the_others() -> None:
    branch = graph([Node("Relu", ["a"], ["z"], since=14)], outputs=["z"], path="/if/then_branch")
    nodes = [
        Node("Relu", ["x"], ["a"], since=14),
        Node(
            "If", ["c"], ["y"], "if", since=16,
            attributes={"then_branch": GraphRef(1)}, implicit=["a"],
        ),
    ]  # fmt: skip
    g = graph(nodes, inputs=["x", "c"], outputs=["y"])
    inner = replace(branch, parent=Parent(0, 1, "then_branch"))
    others = [ort_graph(g, nodes), ort_graph(inner, [Node("Relu")])]
    assert others[0].input_edges.flat.tolist() == [0, 0, 1]
    assert codes(ort(g, inner, others=others)) == []


def test_values_come_from_somewhere() -> None:
    ghost = [Node("Add", ["x", "ghost"], ["y"], "add", since=14)]
    for make in (ort, onnx):
        finding = found(make(graph(ghost, inputs=["x"], outputs=["y"])))[0]
        assert finding.code == "value-from-nowhere"
        assert finding.message.startswith("Value 'ghost'")
        assert codes(make(graph([], outputs=["y"]))) == ["error output-from-nowhere"]
        held = graph(ghost, inputs=["x"], initializers=[tensor("ghost", (1,))])
        assert codes(make(held)) == []


def test_an_input_that_is_left_out_comes_from_nowhere_rightly() -> None:
    node = Node("Clip", ["x", "", "max"], ["y"], since=13)
    assert codes(onnx(graph([node], inputs=["x", "max"], outputs=["y"]))) == []


def test_a_value_is_made_once() -> None:
    twice = [Node("Relu", ["x"], ["y"], since=14), Node("Relu", ["x"], ["y"], since=14)]
    assert codes(onnx(graph(twice, inputs=["x"], outputs=["y"]))) == ["error value-made-twice"]


def nested(inner_input: str) -> Model:
    """A graph in a graph in the main graph, which reads a value."""
    main = graph(
        [
            Node("Relu", ["x"], ["a"], since=14),
            Node("If", ["c"], ["y"], since=16, attributes={"then_branch": GraphRef(1)}),
        ],
        inputs=["x", "c"],
        outputs=["y"],
    )
    middle = graph(
        [Node("If", ["c"], ["m"], since=16, attributes={"then_branch": GraphRef(2)})],
        outputs=["m"],
        parent=Parent(0, 1, "then_branch"),
        path="/if/then_branch",
    )
    inner = graph(
        [Node("Relu", [inner_input], ["i"], since=14)],
        outputs=["i"],
        parent=Parent(1, 0, "then_branch"),
        path="/if/then_branch/if/then_branch",
    )
    return onnx(main, middle, inner)


def test_a_nested_graph_reads_values_of_those_around_it_only() -> None:
    assert codes(nested("a")) == []
    assert codes(nested("x")) == []
    finding = found(nested("m2"))[0]
    assert (finding.code, finding.where) == ("value-from-nowhere", "/if/then_branch/if/then_branch")


def test_a_nested_graph_of_an_ort_need_not_declare_outer_values() -> None:
    model = nested("a")
    others = [
        ort_graph(g, [Node(op) for op in g.nodes.op_types], declared_values=len(g.values))
        for g in model.graphs
    ]
    made = ort(*model.graphs, others=others)
    assert codes(made) == []
    assert made.graphs[2].values.names == ["i", "a"]
    fewer = [*others[:2], replace(others[2], declared_values=1)]
    assert codes(ort(*model.graphs, others=fewer)) == []
    none = [*others[:2], replace(others[2], declared_values=0)]
    assert codes(ort(*model.graphs, others=none)) == ["error value-not-declared"]


def test_values_of_an_ort_have_types() -> None:
    bare = graph(CHAIN, inputs=["x"], outputs=["y"], types={"a": None})
    assert codes(ort(bare)) == ["error value-without-type"]
    assert codes(onnx(bare)) == []


def test_element_types_of_values_are_those_of_onnx() -> None:
    strange = TensorType(99, None)
    for value_type in (
        strange,
        SequenceType(strange),
        MapType(DataType.INT64, strange),
        OptionalType(SequenceType(strange)),
    ):
        model = ort(graph(CHAIN, inputs=["x"], outputs=["y"], types={"a": value_type}))
        assert codes(model) == ["error unknown-value-type"], value_type
    for number in (DataType.INT4, DataType.COMPLEX64, DataType.STRING):
        fine = TensorType(number, (1,))
        assert codes(ort(graph(CHAIN, inputs=["x"], outputs=["y"], types={"a": fine}))) == []


def test_nodes_of_an_ort_may_stand_in_any_order_and_those_of_onnx_may_not() -> None:
    backwards = graph(CHAIN[::-1], inputs=["x"], outputs=["y"])
    assert codes(ort(backwards)) == []
    assert codes(onnx(backwards)) == ["warning nodes-not-sorted"]


def test_a_circle_is_found() -> None:
    circle = [replace(CHAIN[0], inputs=["b"]), *CHAIN[1:]]
    for make in (ort, onnx):
        assert codes(make(graph(circle, outputs=["y"]))) == ["error graph-cyclic"]
    itself = [Node("Add", ["x", "y"], ["y"], since=14)]
    assert codes(onnx(graph(itself, inputs=["x"]))) == ["error graph-cyclic"]


def test_bodies_of_local_functions_are_checked_too() -> None:
    body = graph(
        [Node("Add", ["p", "ghost"], ["q"], since=14)], inputs=["p"], outputs=["q"], path="f:Twice"
    )
    function = Function("f", "Twice", "", "", (), imports(("", 17)), (body,))
    call = graph([Node("Twice", ["x"], ["y"], domain="f")], inputs=["x"], outputs=["y"])
    model = onnx(call, opset_imports=imports(("", 17), ("f", 1)))
    held = replace(model, onnx=OnnxModel((function,), False, 0, 0))
    finding = found(held)[0]
    assert (finding.code, finding.where) == ("value-from-nowhere", "f:Twice")


def test_many_alike_make_one_finding() -> None:
    nodes = [Node("Relu", [f"ghost{i}"], [f"y{i}"], since=14) for i in range(30)]
    finding = found(onnx(graph(nodes)))[0]
    assert finding.message.endswith(
        "; the same with 'ghost1', 'ghost2', 'ghost3', 'ghost4' and 25 more"
    )
    counts = [replace(node, arg_counts=[2]) for node in nodes]
    g = graph(counts, inputs=[f"ghost{i}" for i in range(30)])
    finding = found(ort(g, others=[ort_graph(g, counts)]))[0]
    assert len(finding.nodes) == 30
    assert np.all([node.graph == "/" for node in finding.nodes])
