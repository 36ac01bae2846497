from __future__ import annotations

import pytest

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.profile_events import Event, Ran, Run
from ortstudio.analysis.profile_nodes import Laying, middle_half
from ortstudio.analysis.profile_tables import by_operator, by_scope, scopes
from ortstudio.model.graph import Parent
from ortstudio.model.model import Model
from tests.builders.models import Node, graph, onnx, ort


def ran(name: str, op: str, took: int, index: int = 0, *inside: Ran) -> Ran:
    return Ran(Event(name, op, index, "CPU", 0, took, 4), inside)


def run(took: int, *nodes: Ran) -> Run:
    return Run(took, nodes)


def stored() -> Model:
    """Fused at conversion: holes in the indices, and a node without a name."""
    nodes = [
        Node("FusedConv", ["x"], ["p"], name="conv", domain="com.microsoft", index=7),
        Node("Relu", ["p"], ["q"], name="", index=2),
        Node("Sin", ["q"], ["y"], name="sine", index=3),
    ]
    return ort(graph(nodes, inputs=["x"], outputs=["y"]))


def test_nodes_are_found_by_their_index_and_named_as_in_the_file() -> None:
    times = Laying(stored()).times(
        [run(20, ran("conv", "FusedConv", 9, 7), ran("Relu_2", "Relu", 4, 2))]
    )
    conv, relu = times.nodes
    assert (conv.ref, conv.op, conv.in_file) == (NodeRef("/", 7), "com.microsoft.FusedConv", True)
    assert (relu.ref, relu.name, relu.in_file) == (NodeRef("/", 2), "", True)
    assert (conv.ns, relu.ns, times.between_ns, times.run_ns) == (9000, 4000, 7000, 20000)


def test_a_node_of_another_index_is_found_by_its_name() -> None:
    times = Laying(stored()).times([run(9, ran("sine", "Sin", 4, 40))])
    assert times.nodes[0].ref == NodeRef("/", 3)


def test_what_the_file_lacks_was_made_at_load() -> None:
    times = Laying(stored()).times(
        [run(9, ran("Transpose", "Transpose", 4, 12), ran("sine", "Cos", 1, 3))]
    )
    assert [(node.in_file, node.ref.index, node.op) for node in times.nodes] == [
        (False, 12, "Transpose"),
        (False, 3, "Cos"),
    ]


def test_what_only_the_graph_that_ran_has_goes_by_its_name_there() -> None:
    nodes = [Node("Conv", ["x"], ["p"], name="p_nchwc", domain="com.microsoft.nchwc", index=12)]
    executed = ort(graph(nodes, inputs=["x"], outputs=["p"]))
    times = Laying(stored(), executed).times([run(9, ran("p_nchwc", "Conv", 4, 12))])
    (node,) = times.nodes
    assert (node.op, node.ref.index, node.in_file) == ("com.microsoft.nchwc.Conv", 12, False)


def test_indices_of_an_onnx_model_count_no_constant_nodes() -> None:
    nodes = [
        Node("Constant", [], ["c"], name=""),
        Node("Add", ["x", "c"], ["p"], name=""),
        Node("Add", ["p", "c"], ["y"], name=""),
    ]
    made = onnx(graph(nodes, inputs=["x"], outputs=["y"]))
    times = Laying(made).times([run(9, ran("Add_0", "Add", 4, 0), ran("Add_1", "Add", 3, 1))])
    assert [node.ref.index for node in times.nodes] == [1, 2]


def nested() -> Model:
    """A loop, in whose body is a node of the same name, operator and index as in the graph."""
    main = graph(
        [Node("Add", ["x"], ["p"], name="add"), Node("Loop", ["p"], ["y"], name="loop")],
        inputs=["x"],
        outputs=["y"],
    )
    body = graph(
        [Node("Add", ["i"], ["o"], name="add")],
        inputs=["i"],
        outputs=["o"],
        path="/loop/body",
        parent=Parent(0, 1, "body"),
    )
    return ort(main, body)


def test_what_ran_inside_a_node_is_looked_for_in_its_graphs() -> None:
    inside = [ran("add", "Add", 2), ran("add", "Add", 3)]
    times = Laying(nested()).times(
        [run(20, ran("add", "Add", 4), ran("loop", "Loop", 9, 1, *inside))]
    )
    found = {(n.ref.graph, n.name): (n.ns, n.total_ns, n.calls) for n in times.nodes}
    assert found == {
        ("/", "add"): (4000, 4000, 1.0),
        ("/loop/body", "add"): (5000, 5000, 2.0),
        ("/", "loop"): (4000, 9000, 1.0),
    }
    assert sum(node.ns for node in times.nodes) + times.between_ns == times.run_ns


def test_a_neighbour_that_seems_to_have_run_inside_is_found_around() -> None:
    times = Laying(nested()).times([run(20, ran("loop", "Loop", 9, 1, ran("other", "Add", 0)))])
    assert {n.ref.graph for n in times.nodes} == {"/"}


@pytest.mark.parametrize(
    ("runs", "kept"), [([5], [5]), ([1, 2, 9], [1, 2, 9]), ([9, 1, 3, 2], [2, 3])]
)
def test_the_fastest_and_the_slowest_quarter_do_not_count(runs: list[int], kept: list[int]) -> None:
    assert [one.took for one in middle_half([run(took) for took in runs])] == kept


def test_times_are_summed_by_operator_and_by_scope() -> None:
    times = Laying(stored()).times(
        [
            run(
                100,
                ran("a/b.0/x", "Add", 10, 9),
                ran("a/b.1/y", "Add", 20, 8),
                ran("z", "Mul", 5, 6),
            )
        ]
    )
    assert [(p.name, p.ns, p.nodes, p.share) for p in by_operator(times)] == [
        ("Add", 30000, 2, 0.3),
        ("Mul", 5000, 1, 0.05),
    ]
    assert [(p.name, p.ns) for p in by_scope(times)] == [
        ("a", 30000),
        ("a/b", 30000),
        ("a/b.1", 20000),
        ("a/b.0", 10000),
    ]
    assert scopes("/encoder/layer.0/MatMul") == ["encoder", "encoder/layer", "encoder/layer.0"]
    assert scopes("plain") == []
