"""Where the elements of a strip stand from left to right."""

from __future__ import annotations

from itertools import pairwise
from math import inf

from ortstudio.analysis.layout.blocks import blocks
from ortstudio.analysis.layout.ordering import Layers
from ortstudio.analysis.layout.strips import Strip
from ortstudio.analysis.layout.types import Spacing
from ortstudio.analysis.layout.watch import Watch

_LINE_WEIGHT = 2
"""A slanted line that goes on over layers disturbs more than one between two nodes."""
_RELAXATIONS = 2
_MOVES = 2
"""More rounds of either shorten no lines any more, on any net that was tried."""

ROUNDS = _RELAXATIONS + _MOVES
"""How often a strip is gone through."""

Distances = list[list[tuple[int, float]]]


def coordinates(strip: Strip, layers: Layers, spacing: Spacing, watch: Watch) -> list[float]:
    """The centre of each element. The single element of the top or bottom layer is at 0."""
    block = blocks(strip, layers, watch)
    row = _Row(strip, layers, block, spacing, watch)
    x = row.packed()
    for _ in range(_RELAXATIONS):
        x = row.relaxed(x)
        watch.did(len(strip))
    for turn in range(_MOVES):
        row.move(x, rightward=turn % 2 == 0)
        watch.did(len(strip))
    origin = x[block[_anchor(layers)]]
    return [x[number] - origin for number in block]


def _anchor(layers: Layers) -> int:
    return layers[-1][0] if len(layers[-1]) == 1 and len(layers[0]) > 1 else layers[0][0]


class _Row:
    """The blocks from left to right with what they keep apart from and what draws them."""

    def __init__(
        self, strip: Strip, layers: Layers, block: list[int], spacing: Spacing, watch: Watch
    ) -> None:
        count = max(block) + 1
        self.left: Distances = [[] for _ in range(count)]
        self.right: Distances = [[] for _ in range(count)]
        for (a, b), distance in _distances(strip, layers, block, spacing, watch).items():
            self.right[a].append((b, distance))
            self.left[b].append((a, distance))
        self.rightward = _left_to_right(self.left, self.right)
        self.leftward = self.rightward[::-1]
        self.pull = _pulls(strip, block, count, watch)
        self.watch = watch

    def packed(self) -> list[float]:
        """As narrow as possible, with the slack shared out evenly to both sides."""
        x = self._pushed_right([0.0] * len(self.pull))
        y = self._pushed_left([max(x)] * len(self.pull))
        return [(a + b) / 2 for a, b in zip(x, y, strict=True)]

    def relaxed(self, x: list[float]) -> list[float]:
        """Every block half way to the mean of what draws it, then pushed apart again."""
        wish = x[:]
        for number, ends in enumerate(self.pull):
            if ends:
                wish[number] = (x[number] + sum([x[end] for end in ends]) / len(ends)) / 2
        # Both ways of pushing keep the distances, so their mean does.
        pushed = zip(self._pushed_right(wish), self._pushed_left(wish), strict=True)
        return [(a + b) / 2 for a, b in pushed]

    def move(self, x: list[float], rightward: bool) -> None:
        """Each block to the median of what draws it, as far as its neighbours leave room."""
        for part in self.watch.parts(self.rightward if rightward else self.leftward):
            for number in part:
                if self.pull[number]:
                    places = sorted([x[end] for end in self.pull[number]])
                    low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
                    wish = min(max(x[number], low), high)
                    least = max([x[a] + d for a, d in self.left[number]], default=-inf)
                    most = min([x[b] - d for b, d in self.right[number]], default=inf)
                    x[number] = min(max(wish, least), most)

    def _pushed_right(self, x: list[float]) -> list[float]:
        x = x[:]
        for part in self.watch.parts(self.rightward):
            for number in part:
                for a, distance in self.left[number]:
                    if x[number] < x[a] + distance:
                        x[number] = x[a] + distance
        return x

    def _pushed_left(self, x: list[float]) -> list[float]:
        x = x[:]
        for part in self.watch.parts(self.leftward):
            for number in part:
                for b, distance in self.right[number]:
                    if x[number] > x[b] - distance:
                        x[number] = x[b] - distance
        return x


def _distances(
    strip: Strip, layers: Layers, block: list[int], spacing: Spacing, watch: Watch
) -> dict[tuple[int, int], float]:
    """How far apart the centres of neighbouring blocks must be, (left, right) → distance."""
    apart: dict[tuple[int, int], float] = {}
    room = [spacing.line / 2 if dummy else spacing.node / 2 for dummy in strip.dummy]
    half = [width / 2 + gap for width, gap in zip(strip.width, room, strict=True)]
    for layer in layers:
        for a, b in pairwise(layer):
            pair = block[a], block[b]
            apart[pair] = max(apart.get(pair, 0.0), half[a] + half[b])
        watch.tick(len(layer))
    return apart


def _left_to_right(left: Distances, right: Distances) -> list[int]:
    """The blocks so that each comes after all that stand to its left."""
    waiting = [len(row) for row in left]
    order = [number for number, count in enumerate(waiting) if count == 0]
    for number in order:
        for other, _ in right[number]:
            waiting[other] -= 1
            if waiting[other] == 0:
                order.append(other)
    return order


def _pulls(strip: Strip, block: list[int], count: int, watch: Watch) -> list[list[int]]:
    """For each block those that segments draw it to, as often as they weigh."""
    pulls: list[list[int]] = [[] for _ in range(count)]
    for part in watch.parts(range(len(strip))):
        for upper in part:
            a = block[upper]
            for lower in strip.children[upper]:
                b = block[lower]
                if a != b:
                    weight = _LINE_WEIGHT if strip.dummy[upper] or strip.dummy[lower] else 1
                    pulls[a] += [b] * weight
                    pulls[b] += [a] * weight
    return pulls
