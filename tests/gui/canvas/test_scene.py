from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from ortstudio.analysis.layout import lay_out
from ortstudio.ui.canvas.columns import Columns
from ortstudio.ui.canvas.measure import measure_fonts, node_sizes
from ortstudio.ui.canvas.routes import make_routes, uncovered
from ortstudio.ui.canvas.scene import Scene
from tests.gui.canvas.graphs import Builder


def test_every_node_is_hit_in_its_middle_and_not_beside_it(transformer: Scene) -> None:
    for row in range(len(transformer)):
        box = transformer.box(row)
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        assert transformer.node_at(x, y) == row
        assert transformer.node_at(box.left - 3, y) != row
        assert transformer.node_at(x, box.bottom + 3) != row


def test_rectangles_stand_on_whole_numbers(residual: Scene) -> None:
    assert (residual.rects == np.round(residual.rects)).all()
    assert (residual.routes.pieces == np.round(residual.routes.pieces)).all()


def test_an_edge_is_hit_on_its_line_only(residual: Scene) -> None:
    routes = residual.routes
    for segment in routes.index.all_ids().tolist():
        x0, y0, x1, y1 = routes.pieces[segment].tolist()
        found = residual.route_at((x0 + x1) / 2, (y0 + y1) / 2, 2.0)
        assert found is not None
        assert routes.source[found] == routes.source[routes.owner[segment]]
    assert residual.route_at(residual.bounds.left, residual.bounds.top, 2.0) is None


def test_an_edge_says_its_ends_and_what_it_carries(residual: Scene) -> None:
    assert residual.route_text(0).startswith("input → Conv\n1×")


def test_routes_end_at_the_borders_of_their_nodes() -> None:
    rects = np.array([[0, 0, 40, 20], [100, 100, 40, 20]], float)
    points = np.array([[20, 10], [20, 60], [120, 80], [120, 110]], float)
    one = np.array([0]), np.array([1])
    routes = make_routes(points, np.array([0, 4]), *one, rects)
    assert routes.segments.tolist() == [[20, 20, 20, 60], [20, 60, 120, 80], [120, 80, 120, 100]]
    assert routes.ends_in(np.arange(3)).tolist() == [2]


def test_what_lies_under_another_edge_of_the_same_node_is_drawn_once() -> None:
    segments = np.array(
        [[0, 0, 0, 50], [0, 0, 0, 90], [0, 0, 0, 50], [0, 20, 0, 40], [5, 5, 9, 9], [5, 5, 9, 9]],
        float,
    )
    pieces, left = uncovered(segments, np.zeros(6, np.int64))
    assert left.tolist() == [0, 1, 4]
    assert pieces[left].tolist() == [[0, 0, 0, 50], [0, 50, 0, 90], [5, 5, 9, 9]]


def test_edges_of_different_nodes_do_not_hide_each_other() -> None:
    segments = np.array([[0, 0, 0, 50], [0, 0, 0, 90]], float)
    pieces, left = uncovered(segments, np.array([1, 2]))
    assert left.tolist() == [0, 1]
    assert pieces.tolist() == segments.tolist()


def test_links_know_both_directions_and_portals(transformer: Scene) -> None:
    routes, links = transformer.routes, transformer.links
    for route in range(0, len(routes), 37):
        source, target = int(routes.source[route]), int(routes.target[route])
        assert route in links.routes(source)
        assert route in links.routes(target)
        assert target in links.targets.row(source)
        assert source in links.sources.row(target)
    for stub in range(len(transformer.stubs)):
        for end in transformer.stubs.ends[stub]:
            assert len(links.targets.row(end)) + len(links.sources.row(end))


def test_stubs_touch_no_node_and_no_other_stub(transformer: Scene) -> None:
    stubs = transformer.stubs
    assert len(stubs) > 100
    pills = stubs.pills(np.arange(len(stubs)))
    for kind in (pills, transformer.rects):
        for number, (left, top, width, height) in enumerate(pills.tolist()):
            over = (kind[:, 0] < left + width) & (kind[:, 0] + kind[:, 2] > left)
            over &= (kind[:, 1] < top + height) & (kind[:, 1] + kind[:, 3] > top)
            if kind is pills:
                over[number] = False
            assert not over.any()


def test_a_stub_is_hit_where_it_is(transformer: Scene) -> None:
    stubs = transformer.stubs
    for stub in range(0, len(stubs), 11):
        left, top, width, height = stubs.pills(np.array([stub]))[0].tolist()
        assert stubs.at(left + width / 2, top + height / 2) == stub
        assert stubs.at(left - 1, top + height / 2) is None


def test_the_first_node_is_the_highest(residual: Scene) -> None:
    assert residual.first is not None
    assert residual.columns.labels[residual.first] == "input"


def test_a_scene_is_built_off_the_gui_thread(qtbot: QtBot) -> None:
    columns, none = Columns(["X", "Y"], ["other", "port"]), np.zeros(0, np.int64)
    measures = measure_fonts()

    def work() -> Scene:
        width, height = node_sizes(columns, measures)
        return Scene.build(lay_out(none, none, width, height), columns, measures)

    with ThreadPoolExecutor() as pool:
        built = pool.submit(work)
        qtbot.waitUntil(built.done)
    assert (built.result().rects == work().rects).all()


@pytest.mark.parametrize("count", [0, 1])
def test_the_smallest_graphs_are_scenes(count: int) -> None:
    made = Builder()
    for _ in range(count):
        made.add("Conv")
    scene = made.scene()
    assert len(scene) == count
    assert scene.node_at(1e9, 1e9) is None
    assert (scene.first is None) == (count == 0)


def test_columns_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="a column of 1 for 2 nodes"):
        Columns(["a", "b"], ["other", "other"], details=["x"])


def test_an_unknown_family_is_other_ones() -> None:
    none = np.zeros(0, np.int64)
    layout = lay_out(none, none, np.array([64.0]), np.array([32.0]))
    scene = Scene.build(layout, Columns(["X"], ["astrology"]), measure_fonts())
    known = Scene.build(layout, Columns(["X"], ["other"]), measure_fonts())
    assert scene.families.tolist() == known.families.tolist()
