"""Where the elements of a strip stand from left to right."""

from __future__ import annotations

from itertools import pairwise

from ortstudio.analysis.layout.blocks import blocks
from ortstudio.analysis.layout.ordering import Layers
from ortstudio.analysis.layout.strips import Strip
from ortstudio.analysis.layout.types import Spacing
from ortstudio.analysis.layout.watch import Watch

_LINE_WEIGHT = 2.0
"""A slanted line that goes on over layers disturbs more than one between two nodes."""
_RELAXATIONS = 8
_MOVES = 6
_LARGE = 20_000
"""Blocks from which on fewer rounds must do."""


ROUNDS = _RELAXATIONS + _MOVES
"""How often a strip is gone through at most."""


def coordinates(strip: Strip, layers: Layers, spacing: Spacing, watch: Watch) -> list[float]:
    """The centre of each element. The single element of the top or bottom layer is at 0."""
    block = blocks(strip, layers)
    row = _Row(strip, layers, block, spacing)
    rounds = 1 if len(row) < _LARGE else 2
    x = row.packed()
    for _ in range(_RELAXATIONS // rounds):
        x = row.relaxed(x)
        watch.did(len(strip))
    for turn in range(_MOVES // rounds):
        row.move(x, rightward=turn % 2 == 0)
        watch.did(len(strip))
    origin = x[block[_anchor(layers)]]
    return [x[number] - origin for number in block]


def _anchor(layers: Layers) -> int:
    return layers[-1][0] if len(layers[-1]) == 1 and len(layers[0]) > 1 else layers[0][0]


class _Row:
    """The blocks from left to right with what they keep apart from and what draws them."""

    def __init__(self, strip: Strip, layers: Layers, block: list[int], spacing: Spacing) -> None:
        count = max(block) + 1
        apart = _distances(strip, layers, block, spacing)
        self.left: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        self.right: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for (a, b), distance in apart.items():
            self.right[a].append((b, distance))
            self.left[b].append((a, distance))
        self.order = _left_to_right(self.left, self.right)
        self.pull: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for (a, b), weight in _pulls(strip, block).items():
            self.pull[a].append((b, weight))
            self.pull[b].append((a, weight))

    def __len__(self) -> int:
        return len(self.order)

    def packed(self) -> list[float]:
        """As narrow as possible, with the slack shared out evenly to both sides."""
        x = self._pushed_right([0.0] * len(self))
        y = self._pushed_left([max(x)] * len(self))
        return [(a + b) / 2 for a, b in zip(x, y, strict=True)]

    def relaxed(self, x: list[float]) -> list[float]:
        """Every block half way to the mean of what draws it, then pushed apart again."""
        wish = x[:]
        for number, pulls in enumerate(self.pull):
            if pulls:
                weight = sum([w for _, w in pulls])
                wish[number] = (x[number] + sum([x[end] * w for end, w in pulls]) / weight) / 2
        # Both ways of pushing keep the distances, so their mean does.
        pushed = zip(self._pushed_right(wish), self._pushed_left(wish), strict=True)
        return [(a + b) / 2 for a, b in pushed]

    def move(self, x: list[float], rightward: bool) -> None:
        """Each block to the median of what draws it, as far as its neighbours leave room."""
        for number in self.order if rightward else reversed(self.order):
            if self.pull[number]:
                low, high = _weighted_median([(x[end], w) for end, w in self.pull[number]])
                wish = min(max(x[number], low), high)
                least = max([x[a] + d for a, d in self.left[number]], default=wish)
                most = min([x[b] - d for b, d in self.right[number]], default=wish)
                x[number] = min(max(wish, least), most)

    def _pushed_right(self, x: list[float]) -> list[float]:
        x = x[:]
        for number in self.order:
            for a, distance in self.left[number]:
                if x[number] < x[a] + distance:
                    x[number] = x[a] + distance
        return x

    def _pushed_left(self, x: list[float]) -> list[float]:
        x = x[:]
        for number in reversed(self.order):
            for b, distance in self.right[number]:
                if x[number] > x[b] - distance:
                    x[number] = x[b] - distance
        return x


def _distances(
    strip: Strip, layers: Layers, block: list[int], spacing: Spacing
) -> dict[tuple[int, int], float]:
    """How far apart the centres of neighbouring blocks must be, (left, right) → distance."""
    apart: dict[tuple[int, int], float] = {}
    room = [spacing.line / 2 if dummy else spacing.node / 2 for dummy in strip.dummy]
    half = [width / 2 + gap for width, gap in zip(strip.width, room, strict=True)]
    for layer in layers:
        for a, b in pairwise(layer):
            pair = block[a], block[b]
            apart[pair] = max(apart.get(pair, 0.0), half[a] + half[b])
    return apart


def _left_to_right(
    left: list[list[tuple[int, float]]], right: list[list[tuple[int, float]]]
) -> list[int]:
    """The blocks so that each comes after all that stand to its left."""
    waiting = [len(row) for row in left]
    order = [number for number, count in enumerate(waiting) if count == 0]
    for number in order:
        for other, _ in right[number]:
            waiting[other] -= 1
            if waiting[other] == 0:
                order.append(other)
    return order


def _pulls(strip: Strip, block: list[int]) -> dict[tuple[int, int], float]:
    """How strongly segments draw two blocks together."""
    pulls: dict[tuple[int, int], float] = {}
    for upper, children in enumerate(strip.children):
        for lower in children:
            if block[upper] != block[lower]:
                pair = block[upper], block[lower]
                line = strip.dummy[upper] or strip.dummy[lower]
                pulls[pair] = pulls.get(pair, 0.0) + (_LINE_WEIGHT if line else 1.0)
    return pulls


def _weighted_median(places: list[tuple[float, float]]) -> tuple[float, float]:
    """The least and the greatest place with no more than half of the weight on either side."""
    places.sort()
    half = sum([weight for _, weight in places]) / 2
    before = 0.0
    for i, (place, weight) in enumerate(places):
        before += weight
        if before > half:
            return place, place
        if before == half:
            return place, places[i + 1][0]
    raise AssertionError("the weights of all places are more than half of themselves")
