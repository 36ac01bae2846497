"""Cuts a layered graph where a layer holds a single element, and finds pieces that are equal.

A net of repeated blocks falls into thousands of strips of which a handful differ; each kind needs
to be arranged only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ortstudio.analysis.layout.edges import rows
from ortstudio.analysis.layout.trunks import Trunks
from ortstudio.analysis.layout.types import Floats
from ortstudio.analysis.layout.watch import Watch
from ortstudio.model.arrays import Ints


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
class Strips:
    """All elements in one order, `elements`, and the strips as runs in it.

    Strip `i` is `elements[start[i]:end[i]]`; the single element that ends it also begins the next
    one. `kind` is equal for strips that are equal; `first_of_kind` is one strip of each kind.
    `of_element` names the strip that an element stands in, the lower one where it is in two.
    """

    elements: Ints
    start: Ints
    end: Ints
    kind: Ints
    first_of_kind: list[int]
    of_element: Ints
    _layer: Ints
    _features: Floats
    _segments: Ints
    _segment_start: Ints

    def strip(self, i: int) -> Strip:
        """Strip `i` for itself."""
        run = slice(self.start[i], self.end[i])
        upper, lower = self._segments[self._segment_start[i] : self._segment_start[i + 1]].T
        layer = self._layer[run] - self._layer[run.start]
        size = len(layer)
        return Strip(
            rows(int(layer[-1]) + 1, layer, np.arange(size)),
            rows(size, lower, upper),
            rows(size, upper, lower),
            self._features[run, 0].tolist(),
            (self._features[run, 2] != 0).tolist(),
        )


def cut(trunks: Trunks, width: Floats, height: Floats, top: Ints, watch: Watch) -> Strips:
    """The strips. Sizes are those of all elements; `top` holds layers that must begin a strip."""
    nodes = len(trunks.first) - 1
    dummy = np.arange(len(trunks.owner)) >= nodes
    elements = np.lexsort((trunks.owner, dummy, trunks.layer))
    layer = trunks.layer[elements]
    count = np.bincount(layer)
    begins = count == 1
    begins[top] = True
    of_slot = (np.cumsum(begins) - 1)[layer]
    first_layer = np.flatnonzero(begins)
    start = np.searchsorted(layer, first_layer)
    end = np.append(start[1:], len(elements))
    end[:-1][~np.isin(first_layer[1:], top)] += 1

    features = np.column_stack([width[elements], height[elements], dummy[elements]])
    segments, segment_start = _segments(trunks, elements, of_slot, start)
    kind, first_of_kind = _kinds(layer, features, start, end, segments, segment_start, watch)
    of_element = np.empty(len(elements), np.int64)
    of_element[elements] = of_slot
    return Strips(
        elements,
        start,
        end,
        kind,
        first_of_kind,
        of_element,
        layer,
        features,
        segments,
        segment_start,
    )


def _segments(trunks: Trunks, elements: Ints, of_slot: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Segments by strip, as rows of (upper, lower) numbered within it; where each strip's begin."""
    slot = np.empty(len(elements), np.int64)
    slot[elements] = np.arange(len(elements))
    ends = np.column_stack([slot[trunks.upper], slot[trunks.lower]])
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    strip = of_slot[ends[:, 0]]
    segment_start = np.searchsorted(strip, np.arange(len(start) + 1))
    return ends - start[strip, np.newaxis], segment_start


def _kinds(
    layer: Ints,
    features: Floats,
    start: Ints,
    end: Ints,
    segments: Ints,
    segment_start: Ints,
    watch: Watch,
) -> tuple[Ints, list[int]]:
    """A number for each strip, and the first strip of each number."""
    found: dict[tuple[bytes, bytes, bytes], int] = {}
    first_of_kind: list[int] = []
    kind: list[int] = []
    bounds = pairwise(segment_start.tolist())
    for a, b, (c, d) in zip(start.tolist(), end.tolist(), bounds, strict=True):
        depths = layer[a:b] - layer[a]
        key = (depths.tobytes(), features[a:b].tobytes(), segments[c:d].tobytes())
        number = found.setdefault(key, len(found))
        if number == len(first_of_kind):
            first_of_kind.append(len(kind))
        kind.append(number)
        watch.tick(b - a)
    return np.array(kind, np.int64), first_of_kind
