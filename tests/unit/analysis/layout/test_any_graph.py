"""Whatever the edges are, a drawing keeps its promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ortstudio.analysis.layout import Layout, lay_out
from tests.unit.analysis.layout.measures import edges_over_nodes, node_overlaps, routes

Pairs = list[tuple[int, int]]
ROUNDING = 1e-6


def draw(count: int, pairs: Pairs, sizes: list[tuple[float, float]] | None = None) -> Layout:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    width, height = np.array(sizes or [(40.0, 20.0)] * count, np.float64).reshape(-1, 2).T
    return lay_out(ends[:, 0], ends[:, 1], width, height)


def drawn_pairs(layout: Layout) -> list[tuple[int, int]]:
    """The edges that were drawn, as lines or stubs, each as (lower, higher) number."""
    lines = np.column_stack([layout.route_source, layout.route_target])
    both = np.sort(np.concatenate([lines, layout.portals]), axis=1)
    return sorted((int(a), int(b)) for a, b in both)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Pairs, list[tuple[float, float]]]:
    count = draw(st.integers(1, 24))
    node = st.integers(0, count - 1)
    size = st.tuples(st.floats(4, 300), st.floats(4, 120))
    pairs = draw(st.lists(st.tuples(node, node), max_size=50))
    return count, pairs, draw(st.lists(size, min_size=count, max_size=count))


@given(graphs())
def test_random_graphs_are_drawn_whole(
    graph: tuple[int, Pairs, list[tuple[float, float]]],
) -> None:
    count, pairs, sizes = graph
    layout = draw(count, pairs, sizes)
    assert drawn_pairs(layout) == sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    assert node_overlaps(layout) == []
    assert edges_over_nodes(layout) == []
    assert_routes_lead_down_from_border_to_border(layout)
    assert_all_is_within_bounds(layout)
    again = draw(count, pairs, sizes)
    assert np.array_equal(again.x, layout.x)
    assert np.array_equal(again.points, layout.points)


def assert_routes_lead_down_from_border_to_border(layout: Layout) -> None:
    assert layout.route_ptr[0] == 0
    assert layout.route_ptr[-1] == len(layout.points)
    assert len(layout.route_ptr) == len(layout.route_source) + 1
    assert (layout.layer[layout.route_source] < layout.layer[layout.route_target]).all()
    for j, points in enumerate(routes(layout)):
        source, target = layout.route_source[j], layout.route_target[j]
        assert abs(layout.y[source] + layout.height[source] / 2 - points[0, 1]) < ROUNDING
        assert abs(layout.y[target] - layout.height[target] / 2 - points[-1, 1]) < ROUNDING
        assert (np.diff(points[:, 1]) > ROUNDING).all()
        for node, x in ((source, points[0, 0]), (target, points[-1, 0])):
            assert abs(x - layout.x[node]) <= 0.3 * layout.width[node] + ROUNDING


def assert_all_is_within_bounds(layout: Layout) -> None:
    x0, y0, x1, y1 = layout.bounds
    half = np.column_stack([layout.width, layout.height]) / 2
    centre = np.column_stack([layout.x, layout.y])
    corners = np.concatenate([centre - half, centre + half, layout.points])
    assert np.isfinite(corners).all()
    assert corners.min(axis=0).tolist() == [x0, y0]
    assert corners.max(axis=0).tolist() == [x1, y1]


def test_nothing_is_drawn_of_no_nodes() -> None:
    layout = draw(0, [])
    assert layout.bounds == (0, 0, 0, 0)
    assert layout.route_ptr.tolist() == [0]
    assert layout.points.shape == (0, 2)
    assert layout.portals.shape == (0, 2)


def test_one_node_fills_its_bounds() -> None:
    layout = draw(1, [(0, 0)])
    assert layout.bounds == (0, 0, 40, 20)
    assert (layout.x.tolist(), layout.y.tolist()) == ([20], [10])


def test_self_loops_are_left_out_and_repeated_edges_drawn_once() -> None:
    assert drawn_pairs(draw(2, [(0, 1), (1, 1), (0, 1), (0, 0)])) == [(0, 1)]


def test_an_edge_that_closes_a_cycle_is_drawn_downward_too() -> None:
    layout = draw(3, [(0, 1), (1, 2), (2, 0)])
    assert layout.layer.tolist() == [0, 1, 2]
    lines = zip(layout.route_source.tolist(), layout.route_target.tolist(), strict=True)
    assert list(lines) == [(0, 1), (0, 2), (1, 2)]


def test_only_edges_that_close_cycles_are_turned_round() -> None:
    layout = draw(5, [(4, 3), (3, 2), (2, 1), (1, 2), (1, 0)])
    assert layout.layer.tolist() == [4, 3, 2, 1, 0]


def test_nodes_may_come_in_any_order() -> None:
    count = 3000
    chain = [(i + 1, i) for i in range(count - 1)]
    assert draw(count, chain).layer.tolist() == list(range(count))[::-1]


def test_components_stand_beside_each_other() -> None:
    layout = draw(6, [(0, 1), (1, 2), (3, 4), (4, 5)])
    assert layout.layer.tolist() == [0, 1, 2, 0, 1, 2]
    assert layout.y.tolist()[:3] == layout.y.tolist()[3:]
    assert layout.x[3] - layout.x[0] > 40


def test_many_lone_nodes_fill_a_block() -> None:
    layout = draw(400, [])
    _, _, width, height = layout.bounds
    assert 0.5 < width / height < 2
    assert node_overlaps(layout) == []


def test_a_small_component_stands_beside_the_tall_one_not_below_it() -> None:
    layout = draw(8, [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6)])
    assert layout.bounds[3] == layout.y[4] + 10
    assert (layout.x[5:] > layout.x[0] + 40).all()


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_lines_meet_a_node_in_the_order_they_come_from(order: slice) -> None:
    parents = list(range(5))[order]
    layout = draw(6, [(parent, 5) for parent in parents])
    come_from = layout.x[layout.route_source]
    meet = np.array([points[-1, 0] for points in routes(layout)])
    assert np.array_equal(np.argsort(come_from), np.argsort(meet))
    assert_spread(meet)


def test_lines_leave_a_node_at_places_of_their_own() -> None:
    layout = draw(6, [(0, child) for child in range(1, 6)])
    assert_spread(np.array([points[0, 0] for points in routes(layout)]))


def assert_spread(places: NDArray[np.float64]) -> None:
    assert np.diff(np.sort(places)).min() >= 5
