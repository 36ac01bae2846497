"""Which elements of a strip stand exactly below each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from ortstudio.analysis.layout.ordering import Layers
from ortstudio.analysis.layout.strips import Strip


def blocks(strip: Strip, layers: Layers) -> list[int]:
    """The block of each element: a vertical run that is placed as one, numbered without gaps.

    A single element at the bottom is in the block of the single one at the top, so that strips
    hang straight below each other. No other run reaches it: joined, the two could have to stand on
    both sides of a third. Trunks come first, so that they are straight, then what lies on the path
    with most nodes, as long as it is in the middle of its neighbours' lines.
    """
    position = _positions(strip, layers)
    hangs = len(layers) > 1 and len(layers[0]) == 1 and len(layers[-1]) == 1
    nodes_up = _most_nodes(strip, strip.parents, range(len(strip)))
    nodes_down = _most_nodes(strip, strip.children, range(len(strip) - 1, -1, -1))
    above = [-1] * len(strip)
    for uppers, lowers in pairwise(layers[:-1] if hangs else layers):
        wishes = [
            (not line, -nodes_up[upper] - nodes_down[lower], position[upper], position[lower])
            for line, upper, lower in _candidates(strip, uppers, lowers, position)
        ]
        for upper, lower in _without_crossings(wishes):
            above[lowers[lower]] = uppers[upper]
    if hangs:
        above[layers[-1][0]] = layers[0][0]
    return _numbered(above)


def _positions(strip: Strip, layers: Layers) -> list[int]:
    position = [0] * len(strip)
    for layer in layers:
        for i, element in enumerate(layer):
            position[element] = i
    return position


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


def _candidates(
    strip: Strip, uppers: list[int], lowers: list[int], position: list[int]
) -> Iterator[tuple[bool, int, int]]:
    """Segments within a trunk, and those that are in the middle at both ends; whether a trunk's."""
    middles = {upper: _middles(strip.children[upper], position) for upper in uppers}
    for lower in lowers:
        for upper in _middles(strip.parents[lower], position):
            line = strip.dummy[upper] and strip.dummy[lower]
            if line or lower in middles[upper]:
                yield line, upper, lower


def _middles(elements: list[int], position: list[int]) -> list[int]:
    """The median of the elements by position, or the two next to it."""
    if len(elements) <= 2:
        return elements
    elements = sorted(elements, key=position.__getitem__)
    return elements[(len(elements) - 1) // 2 : len(elements) // 2 + 1]


def _without_crossings(wishes: list[tuple[bool, int, int, int]]) -> Iterator[tuple[int, int]]:
    """Pairs of positions above and below, one to one and in the same order; best wishes first."""
    uppers: list[int] = []
    lowers: list[int] = []
    for _, _, upper, lower in sorted(wishes):
        i = bisect_left(uppers, upper)
        fits_right = i == len(uppers) or (uppers[i] > upper and lowers[i] > lower)
        if fits_right and (i == 0 or lowers[i - 1] < lower):
            uppers.insert(i, upper)
            lowers.insert(i, lower)
            yield upper, lower


def _most_nodes(strip: Strip, neighbours: list[list[int]], order: range) -> list[int]:
    """For each element the most nodes on a path that ends in it."""
    most = [0] * len(strip)
    for element in order:
        before = max([most[end] for end in neighbours[element]], default=0)
        most[element] = before + (not strip.dummy[element])
    return most
