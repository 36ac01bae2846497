"""Edges as the canvas draws them: straight pieces between nodes, each piece once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.visible import BoxIndex

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Routes:
    """All edges. Route `j` is `segments[ptr[j]:ptr[j + 1]]`, from its top to its bottom.

    Segments (float64[m, 4]: x, y, x, y) end at the borders of the nodes that they join. `pieces`
    are the same without what lies under another one, as edges do that share a trunk; `index` knows
    those of which something is left.
    """

    segments: Floats
    pieces: Floats
    ptr: Ints
    owner: Ints
    source: Ints
    target: Ints
    index: BoxIndex

    def __len__(self) -> int:
        return len(self.source)

    def ends_in(self, segments: Ints) -> Ints:
        """Those of some segments that are the last of their edges."""
        last: Bools = segments + 1 == self.ptr[self.owner[segments] + 1]
        return segments[last]


def make_routes(
    points: Floats, route_ptr: Ints, source: Ints, target: Ints, rects: Floats
) -> Routes:
    """From polylines and the nodes' rectangles (float64[n, 4] left, top, width, height)."""
    first = np.ones(max(len(points) - 1, 0), bool)
    first[route_ptr[1:-1] - 1] = False
    # Whole numbers like those of the nodes, so that upright lines are sharp.
    segments = np.round(np.hstack([points[:-1], points[1:]])[first])
    owner = np.repeat(np.arange(len(source)), np.maximum(np.diff(route_ptr) - 1, 0))
    segments, kept = _outside(segments, rects[source[owner]], rects[target[owner]])
    segments, owner = np.ascontiguousarray(segments[kept]), owner[kept]
    ptr = np.searchsorted(owner, np.arange(len(source) + 1)).astype(np.int64)
    pieces, left = uncovered(segments, source[owner])
    index = BoxIndex.of(_boxes(pieces[left]), left, dim.LONG_SEGMENT)
    return Routes(segments, pieces, ptr, owner, source, target, index)


def _outside(segments: Floats, upper: Floats, lower: Floats) -> tuple[Floats, Bools]:
    """The segments cut at the borders of both their nodes, and which of them are left."""
    segments = segments.copy()
    start, end = segments[:, :2], segments[:, 2:]
    kept = np.any(start != end, axis=1)
    for rect in (upper, lower):
        start_in, end_in = _inside(start, rect), _inside(end, rect)
        kept &= ~(start_in & end_in)
        leaving, entering = start_in & ~end_in, end_in & ~start_in
        start[leaving] = _border(start[leaving], end[leaving], rect[leaving])
        end[entering] = _border(end[entering], start[entering], rect[entering])
    return segments, kept


def _inside(point: Floats, rect: Floats) -> Bools:
    from_corner = point - rect[:, :2]
    inside: Bools = np.all((from_corner >= 0) & (from_corner <= rect[:, 2:]), axis=1)
    return inside


def _border(inner: Floats, outer: Floats, rect: Floats) -> Floats:
    """Where the line from a point inside to one outside leaves the rectangle."""
    way = outer - inner
    wall = np.where(way > 0, rect[:, :2] + rect[:, 2:], rect[:, :2])
    share = np.divide(wall - inner, way, out=np.full(way.shape, np.inf), where=way != 0)
    border: Floats = inner + way * share.min(axis=1, keepdims=True)
    return border


def uncovered(segments: Floats, source: Ints) -> tuple[Floats, Ints]:
    """What no other segment out of the same node already draws, and where that is anything.

    Upright segments in one line are cut where another one ends; others are left out if there is an
    equal one.
    """
    x0, y0, x1, y1 = segments.T
    upright = x0 == x1
    # Equal segments, and upright ones in one line, come one after the other, from top to bottom.
    order = np.lexsort((y1, y0, np.where(upright, 0.0, y0), x1, x0, source))
    line = np.column_stack([source, x0, x1, np.where(upright, 0.0, y0), np.where(upright, 0.0, y1)])
    begins = np.ones(len(order), bool)
    begins[1:] = np.any(line[order[1:]] != line[order[:-1]], axis=1)
    covered = _running_maximum(y1[order], begins)
    pieces = segments.copy()
    left = begins | (upright[order] & (y1[order] > covered))
    cut = order[left & ~begins]
    pieces[cut, 1] = np.maximum(pieces[cut, 1], covered[left & ~begins])
    return pieces, np.sort(order[left])


def _running_maximum(values: Floats, begins: Bools) -> Floats:
    """For each entry the largest one before it in its run; minus infinity where a run begins."""
    before = np.full(len(values), -np.inf)
    if len(values):
        # Runs are set apart by an offset larger than any difference, and taken away again.
        offset = np.cumsum(begins) * (np.ptp(values) + 1.0)
        before[1:] = (np.maximum.accumulate(values + offset)[:-1]) - offset[:-1]
    before[begins] = -np.inf
    return before


def _boxes(segments: Floats) -> Floats:
    start, end = segments[:, :2], segments[:, 2:]
    return np.hstack([np.minimum(start, end), np.maximum(start, end)])
