from __future__ import annotations

import numpy as np

from ortstudio.ui.canvas.curves import flattened
from ortstudio.ui.canvas.labels import label_spots, place_labels
from ortstudio.ui.canvas.scene import Scene

NONE = np.zeros((0, 4))


def test_a_label_stands_right_of_an_upright_edge() -> None:
    segments = np.array([[0, 0, 0, 32]], float)
    places, free = place_labels(segments, np.array([50.0]), NONE, segments)
    assert free.tolist() == [True]
    left, top, width, height = places[0].tolist()
    assert left > 0
    assert 0 <= top < top + height <= 32
    assert width == 50


def test_a_label_leaves_the_side_that_its_edge_leans_to() -> None:
    segments = np.array([[0, 0, 100, 40]], float)
    places, free = place_labels(segments, np.array([50.0]), NONE, flattened(segments, 6))
    assert free.tolist() == [True]
    assert places[0, 0] + places[0, 2] < 0


def test_a_label_goes_to_the_other_side_or_away() -> None:
    segments = np.array([[0, 0, 0, 32]], float)
    right, left = [5.0, 0.0, 60.0, 30.0], [-70.0, 0.0, 66.0, 30.0]
    places, free = place_labels(segments, np.array([50.0]), np.array([right]), segments)
    assert free.tolist() == [True]
    assert places[0, 0] == -55.0
    _, free = place_labels(segments, np.array([50.0]), np.array([right, left]), segments)
    assert free.tolist() == [False]


def test_the_first_of_two_labels_in_one_place_stays() -> None:
    segments = np.array([[0, 0, 0, 32], [20, 0, 20, 32]], float)
    _, free = place_labels(segments, np.array([10.0, 10.0]), NONE, NONE)
    assert free.tolist() == [True, True]
    segments[1, [0, 2]] = 4
    _, free = place_labels(segments, np.array([10.0, 10.0]), NONE, NONE)
    assert free.tolist() == [True, False]


def test_a_value_is_labelled_once(transformer: Scene) -> None:
    routes = transformer.routes
    spots = label_spots(routes, transformer.edge_labels)
    marked = np.flatnonzero(spots >= 0)
    sources = routes.source[spots[marked]]
    assert len(sources) == len(np.unique(sources)) > 1000
    assert (marked == routes.ptr[spots[marked]]).all()


def test_no_label_touches_a_node_or_an_edge(transformer: Scene) -> None:
    routes = transformer.routes
    spots = label_spots(routes, transformer.edge_labels)
    marked = np.flatnonzero(spots >= 0)[:400]
    lines = flattened(routes.pieces[routes.index.all_ids()], 6)[:12000]
    widths = np.full(len(marked), 80.0)
    places, free = place_labels(routes.segments[marked], widths, transformer.rects, lines)
    assert free.sum() > 100
    for left, top, width, height in places[free].tolist():
        over = transformer.rects[:, 0] < left + width
        over &= transformer.rects[:, 0] + transformer.rects[:, 2] > left
        over &= transformer.rects[:, 1] < top + height
        over &= transformer.rects[:, 1] + transformer.rects[:, 3] > top
        assert not over.any()
        samples = (lines[:, :2] + lines[:, 2:]) / 2
        inside = (samples > (left, top)) & (samples < (left + width, top + height))
        assert not inside.all(axis=1).any()
