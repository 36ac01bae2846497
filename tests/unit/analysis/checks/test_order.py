from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ortstudio.analysis.checks.order import is_cyclic, is_sorted, running_order
from tests.builders.models import Node, graph

DIAMOND = (
    Node("A", ["x"], ["a"], index=5),
    Node("B", ["a"], ["b"], index=3),
    Node("C", ["a"], ["c"], index=4),
    Node("D", ["b", "c"], ["d"], index=1),
)


def order(nodes: Sequence[Node]) -> str:
    made = graph(nodes, inputs=["x"])
    return "".join(made.nodes.op_types[row] for row in running_order(made))


def test_a_node_comes_after_all_that_it_reads_from() -> None:
    assert order(DIAMOND[::-1]) == "ABCD"


def test_of_nodes_that_can_run_the_lowest_index_comes_first() -> None:
    turned = (DIAMOND[0], replace(DIAMOND[1], index=9), *DIAMOND[2:])
    assert order(turned) == "ACBD"


def test_values_that_subgraphs_read_count_too() -> None:
    reader = Node("If", ["x"], ["y"], implicit=["a"], index=0)
    assert order([reader, *DIAMOND]).index("I") > order([reader, *DIAMOND]).index("A")


def test_nodes_of_a_circle_and_behind_it_are_left_out() -> None:
    circle = [
        Node("Free", ["x"], ["f"]),
        Node("P", ["q"], ["p"]),
        Node("Q", ["p"], ["q"]),
        Node("Behind", ["q"], ["y"]),
    ]
    assert order(circle) == "Free"
    made = graph(circle, inputs=["x"])
    assert is_cyclic(made)
    assert not is_sorted(made)


def test_a_value_that_is_read_twice_is_waited_for_once() -> None:
    assert order([Node("Mul", ["a", "a"], ["y"]), DIAMOND[0]]) == "AMul"
