"""Finds room for what is written beside edges: never over a node, an edge or another text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.routes import Routes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def label_spots(routes: Routes, labels: Sequence[str]) -> Ints:
    """For each segment the route whose label it may carry, -1 for none: int64[m].

    A value is labelled where it leaves its node, once, however many edges carry it on.
    """
    spots = np.full(len(routes.segments), -1, np.int64)
    drawn = routes.index.all_ids()
    begins = drawn[drawn == routes.ptr[routes.owner[drawn]]]
    whole = begins[routes.pieces[begins, 1] == routes.segments[begins, 1]]
    numbers = {"": 0}
    label_of = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    whole = whole[label_of[routes.owner[whole]] > 0]
    owners = routes.owner[whole]
    values = routes.source[owners] * len(numbers) + label_of[owners]
    _, first = np.unique(values, return_index=True)
    spots[whole[first]] = owners[first]
    return spots


def place_labels(
    segments: Floats, widths: Floats, rects: Floats, lines: Floats
) -> tuple[Floats, Bools]:
    """Rectangles (float64[k, 4]) beside the given segments, and which of them are free.

    `rects` and `lines` are what they must not touch, and they do not touch each other. Whether one
    is free depends only on its surroundings, not on the view, so that none comes and goes.
    """
    leaning = np.where(segments[:, 2] > segments[:, 0], -1.0, 1.0)
    first, second = (_beside(segments, widths, side) for side in (leaning, -leaning))
    free = _free(first, rects, lines)
    placed = np.where(free[:, np.newaxis], first, second)
    free[~free] = _free(second[~free], rects, lines)
    meets = _touch(placed, placed) & free
    return placed, free & ~np.tril(meets, -1).any(axis=1)


def _beside(segments: Floats, widths: Floats, side: Floats) -> Floats:
    """Label rectangles right (1) or left (-1) of the segments' upper ends."""
    x, y = segments[:, 0], segments[:, 1]
    down = np.minimum((segments[:, 3] - y) / 2, dim.EDGE_LABEL_DROP)
    left = x + np.where(side > 0, dim.LABEL_OFFSET, -dim.LABEL_OFFSET - widths)
    top = y + down - dim.EDGE_LABEL_HEIGHT / 2
    return np.column_stack([left, top, widths, np.full(len(widths), dim.EDGE_LABEL_HEIGHT)])


def _free(labels: Floats, rects: Floats, lines: Floats) -> Bools:
    blocked: Bools = np.any(_touch(labels, rects), axis=1) | _crossed(labels, lines)
    return ~blocked


def _touch(a: Floats, b: Floats) -> Bools:
    """bool[k, n]: which rectangles of `a` overlap which of `b`."""
    a, b = a[:, np.newaxis], b[np.newaxis]
    apart = (a[..., :2] + a[..., 2:] <= b[..., :2]) | (b[..., :2] + b[..., 2:] <= a[..., :2])
    either: Bools = np.any(apart, axis=-1)
    return ~either


def _crossed(rects: Floats, lines: Floats) -> Bools:
    """bool[k]: through which rectangles a line passes, by separating axes."""
    half = rects[:, 2:] / 2
    centre = rects[:, :2] + half
    reach = (lines[:, 2:] - lines[:, :2]) / 2
    middle, wide = lines[:, :2] + reach, np.abs(reach)
    # Nearly all pairs are apart already on one of the first two axes.
    near = np.ones((len(rects), len(lines)), bool)
    for axis in (1, 0):
        away = np.abs(middle[:, axis] - centre[:, axis, np.newaxis])
        near &= away <= half[:, axis, np.newaxis] + wide[:, axis]
    label, line = np.nonzero(near)
    apart = middle[line] - centre[label]
    cross = np.abs(reach[line, 0] * apart[:, 1] - reach[line, 1] * apart[:, 0])
    touching = half[label, 0] * wide[line, 1] + half[label, 1] * wide[line, 0]
    crossed = np.zeros(len(rects), bool)
    crossed[label[cross <= touching]] = True
    return crossed
