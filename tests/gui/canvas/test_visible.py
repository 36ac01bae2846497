from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.visible import BoxIndex


def brute_force(boxes: NDArray[np.float64], box: Box) -> set[int]:
    left, top, right, bottom = boxes.T
    hit = (left <= box.right) & (right >= box.left) & (top <= box.bottom) & (bottom >= box.top)
    return set(np.flatnonzero(hit).tolist())


@given(st.integers(0, 2**32 - 1), st.integers(0, 200), st.sampled_from([np.inf, 400.0, 0.0]))
def test_finds_what_testing_every_box_finds(seed: int, count: int, split: float) -> None:
    random = np.random.default_rng(seed)
    corners = random.uniform(-1000, 1000, (count, 2))
    size = random.exponential(120, (count, 2)) * random.choice([0, 1, 8], (count, 1))
    boxes = np.hstack([corners, corners + size])
    index = BoxIndex.of(boxes, np.arange(count), split)
    for _ in range(8):
        x, y = random.uniform(-1200, 1200, 2)
        width, height = random.exponential(200, 2)
        box = Box(x, y, x + width, y + height)
        found = index.within(box).tolist()
        assert len(found) == len(set(found))
        assert set(found) == brute_force(boxes, box)
    assert index.all_ids().tolist() == list(range(count))


def test_small_boxes_are_left_out_when_asked() -> None:
    boxes = np.array([[0, 0, 1, 1], [0, 0, 5, 1], [0, 0, 1, 9]], float)
    index = BoxIndex.of(boxes, np.arange(3), split=8.0)
    assert sorted(index.within(Box(0, 0, 9, 9), 4.0).tolist()) == [1, 2]


def test_nodes_and_edges_of_a_scene_agree_with_brute_force(transformer: Scene) -> None:
    random = np.random.default_rng(1)
    rects, pieces = transformer.rects, transformer.routes.pieces
    nodes = np.hstack([rects[:, :2], rects[:, :2] + rects[:, 2:]])
    drawn = transformer.routes.index.all_ids()
    ends = np.stack([pieces[:, :2], pieces[:, 2:]])
    edges = np.hstack([ends.min(axis=0), ends.max(axis=0)])
    bounds = transformer.bounds
    for _ in range(50):
        x = random.uniform(bounds.left, bounds.right)
        y = random.uniform(bounds.top, bounds.bottom)
        box = Box(x, y, x + random.exponential(900), y + random.exponential(900))
        assert set(transformer.nodes.within(box).tolist()) == brute_force(nodes, box)
        found = set(transformer.routes.index.within(box).tolist())
        assert found == brute_force(edges, box) & set(drawn.tolist())
