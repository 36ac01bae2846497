"""The sentence on top, and what counts as a difference."""

from __future__ import annotations

import pytest

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.facts import FORMAT, GRAPH_NAME
from ortstudio.analysis.pairing.initializers import NOT_KNOWN
from ortstudio.analysis.pairing.overview import overview
from ortstudio.analysis.pairing.remarks import ANNOTATIONS, NODE_DOCS, VALUE_DOCS
from ortstudio.analysis.pairing.rows import Diff, ModelRow, Named, NamedRow, NodeRow, RowKind
from ortstudio.analysis.pairing.verdict import (
    CONSTANT_NODE,
    initializer_differs,
    model_differs,
    node_differs,
)
from ortstudio.model.model import Model
from tests.builders.models import Node, graph, onnx, ort

W = Named("/", "w")


def row(kind: RowKind, a: int = 1, b: int = 1, rewrite: str = "", first: int = 0) -> NodeRow:
    """A row of so many nodes of either side; those of B begin at `first`."""
    refs = [tuple(NodeRef("/", i) for i in range(n)) for n in (a, first + b)]
    return NodeRow(kind, refs[0], refs[1][first:], "", rewrite=rewrite)


def models(a: int, *ops: str) -> tuple[Model, Model]:
    return onnx(graph([Node("Relu")] * a)), ort(graph([Node(op) for op in ops]))


def diff(*nodes: NodeRow, initializers: tuple[NamedRow, ...] = ()) -> Diff:
    return Diff(nodes, (), initializers, ())


def test_everything_kept_is_short() -> None:
    assert overview(*models(2, "Relu", "Relu"), diff(row("kept"), row("kept")), "portable") == (
        "2 nodes, all kept. Portable."
    )
    assert overview(*models(1, "Relu"), diff(row("kept")), "portable") == (
        "1 node, kept as it is. Portable."
    )


def test_rewrites_are_counted_by_kind() -> None:
    pair = models(9, "FusedConv", "Cast", "Cast", "Transpose")
    found = diff(
        row("fused", 2),
        row("fused", 3),
        row("folded", 1, 0),
        row("folded", 1, 0, CONSTANT_NODE),
        row("removed", 2, 0),
        *(row("added", 0, 1, first=i) for i in (1, 2, 3)),
    )
    assert overview(*pair, found, "onnxruntime-only") == (
        "9 nodes became 4: 2 fusions, 1 folded, 1 Constant node held otherwise, 2 removed,"
        " 2 Casts and 1 Transpose added. Runs in ONNX Runtime only."
    )


def test_many_sorts_of_added_nodes_are_one_number() -> None:
    pair = models(0, "A", "B", "C", "D")
    found = diff(*(row("added", 0, 1, first=i) for i in range(4)))
    assert overview(*pair, found, "this-cpu-family") == (
        "0 nodes became 4: 4 added. Runs on this family of CPUs only."
    )


def test_the_same_number_of_nodes_may_have_changed() -> None:
    found = diff(row("changed"))
    assert overview(*models(1, "Relu"), found, "portable") == (
        "1 node before and after: 1 changed. Portable."
    )


def test_what_became_of_weights_is_said_too() -> None:
    rows = (
        NamedRow("changed", W, W, ""),
        NamedRow("removed", W, None, ""),
        NamedRow("removed", W, None, ""),
        NamedRow("kept", W, W, NOT_KNOWN),
    )
    assert overview(*models(0), diff(initializers=rows), "portable") == (
        "1 initializer kept. 1 initializer changed. 2 initializers dropped. 1 initializer could"
        " not be compared. Portable."
    )


@pytest.mark.parametrize(
    ("kind", "rewrite", "expected"),
    [
        ("kept", "", False),
        ("inlined", "", False),
        ("folded", CONSTANT_NODE, False),
        ("folded", "constant-folding", True),
        ("changed", "", True),
        ("fused", "", True),
        ("removed", "", True),
    ],
)
def test_how_nodes_are_held_is_no_difference(kind: RowKind, rewrite: str, expected: bool) -> None:
    assert node_differs(row(kind, rewrite=rewrite)) == expected


@pytest.mark.parametrize(
    ("found", "in_other_format", "in_the_same"),
    [
        (NamedRow("kept", W, W, "The same elements"), False, False),
        (NamedRow("kept", W, W, NOT_KNOWN), True, True),
        (NamedRow("folded", W, W, "The same elements; held by"), False, False),
        (NamedRow("folded", None, W, "Computed ahead"), True, True),
        (NamedRow("inlined", None, W, "From the body"), False, False),
        (NamedRow("removed", W, None, "No node used it: dropped"), False, True),
        (NamedRow("removed", W, None, "Gone with it"), True, True),
        (NamedRow("changed", W, W, ""), True, True),
    ],
)
def test_other_elements_are_a_difference(
    found: NamedRow, in_other_format: bool, in_the_same: bool
) -> None:
    assert initializer_differs(found, other_format=True) == in_other_format
    assert initializer_differs(found, other_format=False) == in_the_same


@pytest.mark.parametrize(
    ("kind", "name", "in_other_format", "in_the_same"),
    [
        ("changed", FORMAT, False, False),
        ("changed", GRAPH_NAME, False, False),
        ("removed", VALUE_DOCS, False, True),
        ("removed", NODE_DOCS, False, True),
        ("removed", ANNOTATIONS, False, True),
        ("added", "opset com.microsoft", False, False),
        ("changed", "opset ai.onnx", True, True),
        ("removed", "function my.f", False, False),
        ("changed", "function my.f", True, True),
        ("changed", "metadata author", True, True),
        ("kept", "doc string", False, False),
    ],
)
def test_what_a_format_loses_by_nature_is_no_difference(
    kind: RowKind, name: str, in_other_format: bool, in_the_same: bool
) -> None:
    found = ModelRow(kind, name, "x", "", "")
    assert model_differs(found, other_format=True) == in_other_format
    assert model_differs(found, other_format=False) == in_the_same
