"""The polyline of each edge.

A route leaves its source at the bottom and meets its target at the top. It is vertical within the
band of a layer and slants only in the gaps between bands, so it passes over no node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.layout.bands import Bands
from ortstudio.analysis.layout.trunks import Trunks
from ortstudio.analysis.layout.types import Floats
from ortstudio.format.arrays import Ints

_USED_WIDTH = 0.6
"""The part of a node's width, around its middle, where lines attach."""
_ATTACH_STEP = 12.0
"""How far apart lines attach where there is room."""
_STRAIGHT = 1e-6
"""Distances up to this are none."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where nodes stand by centre and size; `x` goes on with the dummies' centres."""

    x: Floats
    y: Floats
    width: Floats
    height: Floats
    bands: Bands


def routes(trunks: Trunks, source: Ints, target: Ints, places: Places) -> tuple[Floats, Ints]:
    """All points, and where each edge's begin; edges as they were given to the trunks."""
    x, layer, bands = places.x, trunks.layer, places.bands
    every = np.arange(len(source))
    last = trunks.upper[: len(source)]
    long = np.flatnonzero(last != source)
    first = trunks.first[source[long]]
    start_x = _start_x(trunks, source, long, places)
    end_x = _attached(target, x[last], places)
    last_x = start_x.copy()
    last_x[long] = x[last[long]]
    bent, bend = _bends(trunks, x, first, last[long])

    # Where a route may leave the vertical: below its source, between dummies, above its target.
    route = np.concatenate([long, long[bent], every])
    from_x = np.concatenate([start_x[long], x[bend - 1], last_x])
    to_x = np.concatenate([x[first], x[bend], end_x])
    gap = layer[np.concatenate([source[long], bend - 1, last])]
    slant = np.abs(from_x - to_x) > _STRAIGHT
    return _in_turn(
        (every, start_x, places.y[source] + places.height[source] / 2),
        (
            np.repeat(route[slant], 2),
            _alternating(from_x[slant], to_x[slant]),
            _alternating(bands.bottom[gap[slant]], bands.top[gap[slant] + 1]),
        ),
        (every, end_x, places.y[target] - places.height[target] / 2),
    )


def _start_x(trunks: Trunks, source: Ints, long: Ints, places: Places) -> Floats:
    """Where each edge leaves its source: long ones together, as the trunk that they share."""
    segments = np.flatnonzero(trunks.upper < len(places.y))
    leaving = np.zeros(len(trunks.upper))
    leaving[segments] = _attached(trunks.upper[segments], places.x[trunks.lower[segments]], places)
    start_x = leaving[: len(source)].copy()
    # Below the edges' last segments stand those that lead to the dummies, in the dummies' order.
    start_x[long] = leaving[len(source) + trunks.first[source[long]] - len(places.y)]
    return start_x


def _attached(node: Ints, toward: Floats, places: Places) -> Floats:
    """The x at which each line meets its node's border, in the order of where lines come from.

    A straight one stays in the middle and the others take their places beside it.
    """
    order = np.lexsort((toward, node))
    count = np.bincount(node, minlength=len(places.y))
    rank = np.arange(len(node)) - np.repeat(np.cumsum(count) - count, count)
    at = node[order]
    middle = (count - 1) / 2
    straight = np.abs(toward[order] - places.x[at]) <= _STRAIGHT
    middle[at[straight]] = rank[straight]
    widest = np.maximum(np.maximum(middle, count - 1 - middle), 1)
    step = np.minimum(places.width * (_USED_WIDTH / 2) / widest, _ATTACH_STEP)
    met = np.empty(len(node))
    met[order] = places.x[at] + (rank - middle[at]) * step[at]
    return met


def _bends(trunks: Trunks, x: Floats, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """In each run of dummies, `first` to `last`, those not straight below the one before.

    Answers the runs' numbers and the dummies.
    """
    same = trunks.owner[1:] == trunks.owner[:-1]
    dummies = np.flatnonzero(same & (np.abs(x[1:] - x[:-1]) > _STRAIGHT)) + 1
    begin = np.searchsorted(dummies, first, side="right")
    count = np.searchsorted(dummies, last, side="right") - begin
    run = np.repeat(np.arange(len(first)), count)
    step = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
    return run, dummies[begin[run] + step]


def _alternating(a: Floats, b: Floats) -> Floats:
    return np.column_stack([a, b]).ravel()


def _in_turn(*pieces: tuple[Ints, Floats, Floats]) -> tuple[Floats, Ints]:
    """Joins pieces of (route, x, y): in a route, what is in an earlier piece comes first.

    Where a node is as high as its band, its border and the band's are one point.
    """
    route, x, y = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.argsort(route, kind="stable")
    route, points = route[order], np.column_stack([x, y])[order]
    distinct = np.ones(len(route), bool)
    distinct[1:] = (np.abs(np.diff(points, axis=0)) > _STRAIGHT).any(axis=1)
    distinct[1:] |= route[1:] != route[:-1]
    ptr = np.searchsorted(route[distinct], np.arange(len(pieces[0][0]) + 1))
    return points[distinct], ptr
