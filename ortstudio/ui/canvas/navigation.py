"""Where an arrow key leads from a node."""

from __future__ import annotations

from enum import Enum

import numpy as np

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.scene import Scene


class Way(Enum):
    """Against the edges, along them, or to the side."""

    UP = 0
    DOWN = 1
    LEFT = 2
    RIGHT = 3


def neighbour(scene: Scene, row: int, way: Way) -> int | None:
    """The node that a key leads to; None where there is none.

    Up and down follow the edge whose other node is nearest; left and right go to the next node at
    the same height.
    """
    if way is Way.UP:
        return _nearest(scene, row, scene.links.sources.row(row).astype(np.int64))
    if way is Way.DOWN:
        return _nearest(scene, row, scene.links.targets.row(row).astype(np.int64))
    box = scene.box(row)
    beside = scene.nodes.within(Box(-np.inf, box.top, np.inf, box.bottom))
    middle = scene.rects[beside, 0] + scene.rects[beside, 2] / 2
    own = (box.left + box.right) / 2
    right = way is Way.RIGHT
    return _nearest(scene, row, beside[(middle > own) if right else (middle < own)])


def nearest_to(scene: Scene, x: float, y: float, rows: Ints) -> int | None:
    """Of some nodes, the one whose middle is closest to a place."""
    if not len(rows):
        return None
    middle = scene.rects[rows, :2] + scene.rects[rows, 2:] / 2
    return int(rows[np.argmin(np.hypot(middle[:, 0] - x, middle[:, 1] - y))])


def _nearest(scene: Scene, row: int, rows: Ints) -> int | None:
    box = scene.box(row)
    return nearest_to(scene, (box.left + box.right) / 2, (box.top + box.bottom) / 2, rows)
