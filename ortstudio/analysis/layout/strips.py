"""Cuts a layered graph where a layer holds a single element, and finds pieces that are equal.

A net of repeated blocks falls into thousands of strips of which a handful differ; each kind needs
to be arranged only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ortstudio.analysis.layout.edges import rows
from ortstudio.analysis.layout.trunks import Trunks
from ortstudio.analysis.layout.types import Floats
from ortstudio.analysis.layout.watch import Watch
from ortstudio.format.arrays import Ints


@dataclass(frozen=True, slots=True)
class Strip:
    """One piece, its elements numbered from 0 layer by layer: nodes first, then dummies."""

    layers: list[list[int]]
    parents: list[list[int]]
    children: list[list[int]]
    width: list[float]
    dummy: list[bool]

    def __len__(self) -> int:
        return len(self.width)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What strips are made of, strip after strip: elements by layer, and the segments below them.

    Rows of `segments` are (upper, lower) numbered within the strip; those of strip `i` begin at
    `first_segment[i]`.
    """

    layer: Ints
    width: Floats
    height: Floats
    dummy: NDArray[np.bool_]
    segments: Ints
    first_segment: Ints


@dataclass(frozen=True, slots=True)
class Strips:
    """All elements in one order, `elements`, and the strips as runs in it.

    Strip `i` is `elements[start[i]:end[i]]`; the single element that ends it also begins the next
    one. `kind` is equal for strips that are equal; `first_of_kind` is one strip of each kind.
    `of_element` names the strip that an element stands in, the lower one where it is in two.
    """

    elements: Ints
    of_element: Ints
    start: Ints
    end: Ints
    kind: Ints
    first_of_kind: list[int]
    columns: _Columns

    def strip(self, i: int, watch: Watch) -> Strip:
        """Strip `i` for itself."""
        columns = self.columns
        run = slice(self.start[i], self.end[i])
        layer = columns.layer[run] - columns.layer[run.start]
        upper, lower = columns.segments[columns.first_segment[i] : columns.first_segment[i + 1]].T
        size = len(layer)
        layers = rows(int(layer[-1]) + 1, layer, np.arange(size))
        watch.check()
        parents = rows(size, lower, upper)
        watch.check()
        children = rows(size, upper, lower)
        width, dummy = columns.width[run], columns.dummy[run]
        return Strip(layers, parents, children, width.tolist(), dummy.tolist())


def cut(trunks: Trunks, width: Floats, height: Floats, top: Ints, watch: Watch) -> Strips:
    """The strips. Sizes are those of all elements; `top` holds layers that must begin a strip."""
    dummy = np.arange(len(trunks.owner)) >= len(trunks.first) - 1
    elements = np.lexsort((trunks.owner, dummy, trunks.layer))
    layer = trunks.layer[elements]
    begins = np.bincount(layer) == 1
    begins[top] = True
    first_layer = np.flatnonzero(begins)
    start = np.searchsorted(layer, first_layer)
    end = np.append(start[1:], len(elements))
    end[:-1][~np.isin(first_layer[1:], top)] += 1

    of_element = (np.cumsum(begins) - 1)[trunks.layer]
    segments, first_segment = _segments(trunks, elements, of_element, start)
    sizes = width[elements], height[elements]
    columns = _Columns(layer, *sizes, dummy[elements], segments, first_segment)
    kind, first_of_kind = _kinds(columns, start, end, watch)
    return Strips(elements, of_element, start, end, kind, first_of_kind, columns)


def _segments(trunks: Trunks, elements: Ints, of_element: Ints, start: Ints) -> tuple[Ints, Ints]:
    """The segments by strip, numbered within it, and where each strip's begin."""
    slot = np.empty(len(elements), np.int64)
    slot[elements] = np.arange(len(elements))
    order = np.lexsort((slot[trunks.lower], slot[trunks.upper]))
    upper, lower = trunks.upper[order], trunks.lower[order]
    strip = of_element[upper]
    ends = np.column_stack([slot[upper], slot[lower]]) - start[strip, np.newaxis]
    return ends, np.searchsorted(strip, np.arange(len(start) + 1))


def _kinds(columns: _Columns, start: Ints, end: Ints, watch: Watch) -> tuple[Ints, list[int]]:
    """A number for each strip, and the first strip of each number."""
    look = np.column_stack([columns.width, columns.height, columns.dummy])
    found: dict[tuple[bytes, bytes, bytes], int] = {}
    first_of_kind: list[int] = []
    kind: list[int] = []
    segments = pairwise(columns.first_segment.tolist())
    for a, b, (c, d) in zip(start.tolist(), end.tolist(), segments, strict=True):
        depths = columns.layer[a:b] - columns.layer[a]
        key = (depths.tobytes(), look[a:b].tobytes(), columns.segments[c:d].tobytes())
        number = found.setdefault(key, len(found))
        if number == len(first_of_kind):
            first_of_kind.append(len(kind))
        kind.append(number)
        watch.tick(b - a)
    return np.array(kind, np.int64), first_of_kind
