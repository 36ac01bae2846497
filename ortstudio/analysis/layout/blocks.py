"""Which elements of a strip stand exactly below each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from ortstudio.analysis.layout.ordering import Layers, positions
from ortstudio.analysis.layout.strips import Strip
from ortstudio.analysis.layout.watch import Watch

_MINOR = 0.5
"""A path with no more than this share of the nodes of the longest beside it is a side branch."""


def blocks(strip: Strip, layers: Layers, watch: Watch) -> list[int]:
    """The block of each element: a vertical run that is placed as one, numbered without gaps.

    A single element at the bottom is in the block of the single one at the top, so that strips
    hang straight below each other. No other run reaches it: joined, the two could have to stand on
    both sides of a third.
    """
    hangs = len(layers) > 1 and len(layers[0]) == 1 and len(layers[-1]) == 1
    alignment = _Alignment(strip, layers, watch)
    above = [-1] * len(strip)
    for uppers, lowers in pairwise(layers[:-1] if hangs else layers):
        for upper, lower in alignment.pairs(uppers, lowers):
            above[lower] = upper
        watch.tick(len(uppers))
    if hangs:
        above[layers[-1][0]] = layers[0][0]
    return _numbered(above)


def _numbered(above: list[int]) -> list[int]:
    block: list[int] = []
    count = 0
    for upper in above:
        if upper < 0:
            block.append(count)
            count += 1
        else:
            block.append(block[upper])
    return block


class _Alignment:
    """Chooses which segments of a strip are to be vertical."""

    def __init__(self, strip: Strip, layers: Layers, watch: Watch) -> None:
        self._strip = strip
        self._position = positions(strip, layers)
        upward = range(len(strip) - 1, -1, -1)
        self._nodes_up = _most_nodes(strip, strip.children, upward[::-1], watch)
        self._nodes_down = _most_nodes(strip, strip.parents, upward, watch)

    def pairs(self, uppers: list[int], lowers: list[int]) -> Iterator[tuple[int, int]]:
        """Elements of two neighbouring layers, one to one and without crossings.

        Trunks come first, so that they are straight, then what lies on the path with most nodes.
        """
        position = self._position
        taken: list[tuple[int, int]] = []
        for _, _, upper, lower in sorted(self._wishes(uppers, lowers)):
            pair = position[upper], position[lower]
            i = bisect_left(taken, pair)
            right_of_left = i == 0 or (taken[i - 1][0] < pair[0] and taken[i - 1][1] < pair[1])
            left_of_right = i == len(taken) or (pair[0] < taken[i][0] and pair[1] < taken[i][1])
            if right_of_left and left_of_right:
                taken.insert(i, pair)
                yield upper, lower

    def _wishes(self, uppers: list[int], lowers: list[int]) -> Iterator[tuple[bool, int, int, int]]:
        """Segments within a trunk or in the middle at both ends; the best is least."""
        strip = self._strip
        middles = {
            upper: self._middles(strip.children[upper], self._nodes_down) for upper in uppers
        }
        for lower in lowers:
            for upper in self._middles(strip.parents[lower], self._nodes_up):
                in_trunk = strip.dummy[upper] and strip.dummy[lower]
                if in_trunk or lower in middles[upper]:
                    nodes = self._nodes_up[upper] + self._nodes_down[lower]
                    yield not in_trunk, -nodes, upper, lower

    def _middles(self, elements: list[int], nodes: list[int]) -> list[int]:
        """The median of the elements by position, or the two next to it, side branches left out."""
        if len(elements) <= 1:
            return elements
        least = _MINOR * max([nodes[element] for element in elements])
        major = [element for element in elements if nodes[element] > least]
        major.sort(key=self._position.__getitem__)
        return major[(len(major) - 1) // 2 : len(major) // 2 + 1]


def _most_nodes(strip: Strip, following: list[list[int]], order: range, watch: Watch) -> list[int]:
    """For each element the most nodes on a path that ends in it, passed on in this order."""
    most = [0] * len(strip)
    for part in watch.parts(order):
        for element in part:
            nodes = most[element] = most[element] + (not strip.dummy[element])
            for end in following[element]:
                if most[end] < nodes:
                    most[end] = nodes
    return most
