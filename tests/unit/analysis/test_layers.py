from __future__ import annotations

import pytest

from ortstudio.analysis.layers import (
    Cone,
    Suspects,
    coarseness,
    cone,
    is_drawn,
    is_regrouped,
    points,
)
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import Named, NamedRow, NodeRow, RowKind
from ortstudio.model.graph import Graph
from ortstudio.model.types import DataType, OptionalType, TensorType
from tests.builders.models import Node, graph, tensor


def kept(a: str, b: str, path: str = "/") -> NamedRow:
    return NamedRow("kept", Named(path, a), Named(path, b), "")


def chain() -> Graph:
    """Stored back to front, as fusions leave a graph."""
    return graph(
        [
            Node("Add", ["p", "q"], ["y"]),
            Node("Sin", ["x"], ["p"]),
            Node("Cos", ["p"], ["q"]),
        ],
        inputs=["x"],
        outputs=["y"],
    )


def row(kind: RowKind, a: int | None, b: int | None) -> NodeRow:
    sides = [() if index is None else (NodeRef("/", index),) for index in (a, b)]
    return NodeRow(kind, sides[0], sides[1], "")


def test_points_are_made_by_nodes_of_both_and_come_in_the_order_of_computing() -> None:
    a = b = chain()
    rows = [kept("x", "x"), kept("y", "y"), kept("q", "q"), kept("p", "p"), kept("p", "p", "/if")]
    rows.append(NamedRow("removed", Named("/", "q"), None, ""))
    names = [a.values.names[point.a] for point in points(a, b, rows)]
    assert names == ["p", "q", "y"]


def test_what_no_run_can_give_is_no_point() -> None:
    types = {"y": OptionalType(TensorType(DataType.FLOAT, None))}
    made = graph([Node("Optional", ["x"], ["y"])], inputs=["x"], outputs=["y"], types=types)
    assert points(made, made, [kept("y", "y")]) == []


def test_a_cone_ends_at_what_is_known() -> None:
    made = chain()
    ids = made.values.ids
    assert cone(made, ids["y"], []) == Cone((0, 2, 1), ())
    assert cone(made, ids["y"], [ids["p"]]) == Cone((0, 2), (ids["p"],))
    assert cone(made, ids["y"], [ids["p"], ids["q"], ids["y"]]).rows == (0,)


def test_a_cone_follows_what_inner_graphs_read() -> None:
    made = graph(
        [Node("Sin", ["x"], ["p"]), Node("If", ["c"], ["y"], implicit=["p"])],
        inputs=["x", "c"],
        outputs=["y"],
    )
    assert cone(made, made.values.ids["y"], []).rows == (1, 0)


@pytest.mark.parametrize(
    ("a", "b", "regrouped"),
    [
        ((2, 4, 16), (8, 16), True),
        ((8, 16), (2, 4, 16), True),
        ((1, 6), (6, 1), True),
        ((), (1, 1), True),
        ((1, 16, 8, 8), (1, 8, 8, 16), False),
        ((2, 3), (2, 4), False),
        ((0, 3), (0,), True),
    ],
)
def test_shapes_that_join_neighbours_keep_the_order(
    a: tuple[int, ...], b: tuple[int, ...], regrouped: bool
) -> None:
    assert is_regrouped(a, b) is regrouped


def test_random_values_are_drawn() -> None:
    made = graph([Node("RandomNormal", [], ["r"]), Node("Sin", ["r"], ["y"])], outputs=["y"])
    drawn = [is_drawn(made, made.values.ids[name]) for name in ("r", "y")]
    assert drawn == [True, False]


def typed(op: str, kind: DataType) -> Graph:
    types = {name: TensorType(kind, None) for name in ("x", "y")}
    return graph([Node(op, ["x", "w"], ["y"])], inputs=["x"], outputs=["y"], types=types)


def test_narrow_floats_are_coarse_wherever_they_stand() -> None:
    wide, half = typed("MatMul", DataType.FLOAT), typed("MatMul", DataType.FLOAT16)
    assert coarseness(wide, wide, [0], [0]) == 0.0
    assert coarseness(wide, half, [0], [0]) == coarseness(half, half, [0], [0]) == 2.0**-11


def test_quantization_is_coarse_where_only_one_side_has_it() -> None:
    def quantized(kind: DataType) -> Graph:
        return graph(
            [Node("QLinearMatMul", ["x", "w"], ["y"])],
            inputs=["x"],
            outputs=["y"],
            initializers=[tensor("w", (2, 2), kind)],
        )

    signed, unsigned = quantized(DataType.INT8), quantized(DataType.UINT8)
    plain = typed("MatMul", DataType.UINT8)
    assert coarseness(plain, signed, [0], [0]) == 2.0**-8
    assert coarseness(unsigned, signed, [0], [0]) == 0.0
    assert coarseness(plain, plain, [0], [0]) == 0.0


def test_weights_of_few_bits_are_known_by_the_attribute() -> None:
    bits = Node("MatMulNBits", ["x", "w"], ["y"], attributes={"bits": 4})
    made = graph([bits], inputs=["x"], outputs=["y"])
    assert coarseness(typed("MatMul", DataType.FLOAT), made, [0], [0]) == 2.0**-4


def test_the_row_that_makes_the_value_is_named_unless_only_others_differ() -> None:
    made = chain()
    both = Cone((0, 2, 1), ()), Cone((0, 2, 1), ())
    same = [row("kept", n, n) for n in range(3)]
    assert Suspects(same).among(made, made, both) == same[0]
    inner = [same[0], same[1], row("changed", 2, 2)]
    assert Suspects(inner).among(made, made, both) == inner[2]
    last = [row("changed", 0, 0), same[1], row("changed", 2, 2)]
    assert Suspects(last).among(made, made, both) == last[0]


def test_what_only_one_side_has_is_named_last() -> None:
    made = chain()
    rows = [row("fused", 0, 2), row("added", None, 0), row("kept", 1, 1), row("removed", 2, None)]
    cones = Cone((0, 2, 1), ()), Cone((0, 2, 1), ())
    assert Suspects(rows).among(made, made, cones) == rows[0]
