"""What an accelerator would take, in words, and which sizes are free."""

from __future__ import annotations

import pytest
from onnx import TensorProto

from ortstudio.analysis.accelerators import (
    Accelerator,
    Cause,
    Estimate,
    FreeSizes,
    NotTaken,
    Outlook,
    estimate,
    free_sizes,
    nested,
    pieces,
    uncommon_types,
)
from ortstudio.analysis.nodes import NodeRef
from tests.builders.onnx_models import read
from tests.builders.small_graphs import FLOAT, Values, floats, model


def made(
    taken: list[int], left: int = 0, accelerator: Accelerator = Accelerator.NNAPI, heavy: int = 0
) -> Estimate:
    """Pieces of these sizes, and nodes that are not taken."""
    groups = tuple(tuple(NodeRef("/", i) for i in range(size)) for size in taken)
    rows = tuple(NotTaken(NodeRef("/", i), "Erf", Cause.OPERATOR, "why") for i in range(left))
    return Estimate(accelerator, groups, rows, (), "", max(heavy, 1), heavy)


@pytest.mark.parametrize(
    ("taken", "left", "worth"),
    [
        ([], 3, "no"),
        ([10], 0, "yes"),
        ([6], 4, "maybe"),
        ([4], 6, "no"),
        ([5, 4], 1, "maybe"),
        ([4, 2], 4, "no"),
        ([5, 5, 5], 0, "no"),
    ],
)
def test_another_device_is_worth_it_for_most_of_the_nodes_in_one_piece(
    taken: list[int], left: int, worth: str
) -> None:
    assert made(taken, left).worth == worth


@pytest.mark.parametrize(("heavy", "worth"), [(0, "no"), (1, "yes")])
def test_on_the_cpu_the_heavy_operators_count_and_not_the_pieces(heavy: int, worth: str) -> None:
    assert made([1, 1, 1, 1], 20, Accelerator.XNNPACK, heavy).worth == worth


def test_it_says_how_much_is_taken() -> None:
    assert made([], 3).text == "Takes none of 3 nodes"
    assert made([1]).text == "Takes the one node in 1 piece"
    assert made([5, 4]).text == "Takes all 9 nodes in 2 pieces"
    text = "Takes 2 of 3 nodes in 1 piece, with 4 of 4 convolutions and matrix products"
    assert made([2], 1, heavy=4).text == text


def test_what_fixed_sizes_would_change_is_said_where_they_do() -> None:
    assert Outlook(made([2])).text == "Takes all 2 nodes in 1 piece."
    better = Outlook(made([], 2), made([2]))
    assert better.text == (
        "Takes none of 2 nodes. With every size fixed: takes all 2 nodes in 1 piece."
    )
    assert better.best.taken == 2


def test_nodes_that_hand_each_other_values_are_one_piece() -> None:
    graph = read(
        model(
            [
                ("Relu", "x", "a"),
                ("Erf", "a", "b"),
                ("Relu", "b", "c"),
                ("Add", "c c", "y"),
            ]
        )
    ).main
    found = pieces(graph, [True, False, True, True])
    assert found == ((NodeRef("/", 2), NodeRef("/", 3)), (NodeRef("/", 0),))


def test_heavy_operators_are_counted_and_large_pieces_come_first() -> None:
    source = read(
        model(
            [("Conv", "x w", "a"), ("Relu", "a", "b"), ("MatMul", "b b", "y")],
            arrays={"w": floats(16, 16, 1, 1)},
        )
    )
    groups = [(NodeRef("/", 2),), (NodeRef("/", 0), NodeRef("/", 1))]
    found = estimate(source, Accelerator.NNAPI, groups, [], [], "")
    assert (found.heavy, found.heavy_taken) == (2, 2)
    assert [len(piece) for piece in found.pieces] == [2, 1]


def test_free_sizes_are_named_and_initializers_are_none() -> None:
    inputs: Values = {"x": (FLOAT, ["batch", 3, "batch"]), "u": (FLOAT, None), "w": (FLOAT, [2])}
    source = read(model([("Add", "x u", "y")], inputs, arrays={"w": floats(2)}))
    found = free_sizes(source)
    assert found == FreeSizes(("batch",), ("u",))
    assert found.text == "The size batch of its inputs is free, and the shape of 'u' is not fixed"
    assert found.options == "--fix-dim batch=SIZE"
    assert not free_sizes(read(model([("Relu", "x", "y")])))


def test_nodes_of_subgraphs_are_not_taken() -> None:
    then = model([("Relu", "x", "z")], {}, {"z": (FLOAT, None)}).graph
    source = model([("If", "c", "y", {"then_branch": then, "else_branch": then})])
    rows = nested(read(source))
    assert [row.cause for row in rows] == [Cause.NESTED, Cause.NESTED]
    assert [row.node.graph for row in rows] == ["/n0/else_branch", "/n0/then_branch"]


def test_types_that_no_accelerator_has_are_found() -> None:
    inputs = {"x": (TensorProto.DOUBLE, [2]), "u": (FLOAT, [2])}
    source = read(model([("Relu", "x", "a"), ("Relu", "u", "y")], inputs))
    assert uncommon_types(source.main) == {0: "double"}
