"""What a drawing is judged by, computed from positions and routes alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ortstudio.analysis.layout import Layout

TOUCH = 0.5
"""Boxes that overlap by less only touch."""


def routes(layout: Layout) -> list[NDArray[np.float64]]:
    """The points of each route."""
    return np.split(layout.points, layout.route_ptr[1:-1]) if len(layout.route_source) else []


def node_overlaps(layout: Layout) -> list[tuple[int, int]]:
    """Pairs of nodes whose boxes overlap."""
    found = []
    for i in range(len(layout.x) - 1):
        rest = slice(i + 1, None)
        apart_x = np.abs(layout.x[rest] - layout.x[i]) - (layout.width[rest] + layout.width[i]) / 2
        apart_y = (
            np.abs(layout.y[rest] - layout.y[i]) - (layout.height[rest] + layout.height[i]) / 2
        )
        over = np.flatnonzero((apart_x < -TOUCH) & (apart_y < -TOUCH))
        found += [(i, i + 1 + int(j)) for j in over]
    return found


def edges_over_nodes(layout: Layout) -> list[tuple[int, int]]:
    """Pairs of route and node where the line passes over the box, its own end nodes included."""
    first, second, route = _segments(layout)
    found = []
    for node in range(len(layout.x)):
        inside = _clipped(first, second, *_box(layout, node))
        found += [(int(j), node) for j in np.unique(route[inside])]
    return found


def crossings(layout: Layout) -> int:
    """How often lines cross in a connected drawing; lines that run on top of each other are one.

    Between two rows of nodes every route is one straight line, so two that change sides cross once.
    """
    return sum(len(lines) and _inversions(lines) for lines in _lines_in_gaps(layout))


def _box(layout: Layout, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    centre = np.array([layout.x[node], layout.y[node]])
    half = np.array([layout.width[node], layout.height[node]]) / 2 - TOUCH
    return centre - half, centre + half


def _segments(
    layout: Layout,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    owner = np.repeat(np.arange(len(layout.route_source)), np.diff(layout.route_ptr))
    same = owner[1:] == owner[:-1]
    return layout.points[:-1][same], layout.points[1:][same], owner[1:][same]


def _clipped(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Which segments have a part inside the box, by clipping them against its four sides."""
    enter, leave = np.zeros(len(first)), np.ones(len(first))
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in (0, 1):
            way = second[:, axis] - first[:, axis]
            a, b = (low[axis] - first[:, axis]) / way, (high[axis] - first[:, axis]) / way
            still = way == 0
            within = (low[axis] < first[:, axis]) & (first[:, axis] < high[axis])
            enter = np.maximum(enter, np.where(still, np.where(within, 0, 2), np.minimum(a, b)))
            leave = np.minimum(leave, np.where(still, 1, np.maximum(a, b)))
    return enter < leave


def _lines_in_gaps(layout: Layout) -> Iterator[NDArray[np.float64]]:
    """For each gap between two rows the distinct lines in it, as x at its top and at its bottom."""
    depth = int(layout.layer.max()) + 1
    top, bottom = np.full(depth, np.inf), np.full(depth, -np.inf)
    np.minimum.at(top, layout.layer, layout.y - layout.height / 2)
    np.maximum.at(bottom, layout.layer, layout.y + layout.height / 2)
    lines: list[list[tuple[float, float]]] = [[] for _ in range(depth)]
    for points, upper, lower in zip(
        routes(layout),
        layout.layer[layout.route_source].tolist(),
        layout.layer[layout.route_target].tolist(),
        strict=True,
    ):
        heights = np.column_stack([bottom[upper:lower], top[upper + 1 : lower + 1]])
        x = np.interp(heights.ravel(), points[:, 1], points[:, 0]).round(3).reshape(-1, 2)
        for gap, (above, below) in enumerate(x.tolist(), upper):
            lines[gap].append((above, below))
    for row in lines:
        yield np.unique(np.array(row).reshape(-1, 2), axis=0)


def _inversions(lines: NDArray[np.float64]) -> int:
    above, below = lines.T
    return int(((above[:, None] < above) & (below[:, None] > below)).sum())


def bends(layout: Layout) -> list[int]:
    """How many corners each route has."""
    corners: list[int] = (np.diff(layout.route_ptr) - 2).tolist()
    return corners
