"""The order of elements within the layers of a strip, for few crossings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ortstudio.analysis.layout.crossings import crossings, saved_by_swap
from ortstudio.analysis.layout.strips import Strip
from ortstudio.analysis.layout.watch import Watch

_SWEEPS = 6
_PATIENCE = 3
_SWAP_ROUNDS = 4
_BEGINNINGS = 4
_LARGE = 20_000
"""Elements from which on a strip gets a single attempt, without swaps."""

ROUNDS = _BEGINNINGS * _SWEEPS
"""How often a strip is gone through at most."""

Layers = list[list[int]]


def ordered(strip: Strip, watch: Watch) -> Layers:
    """The layers of the strip, each in the best order found."""
    first = _by_preorder(strip)
    best, fewest = first, _Order(strip, first).crossings(watch)
    for layers, downward in _beginnings(first, len(strip) > _LARGE):
        if fewest == 0:
            break
        found, count = _improved(_Order(strip, layers), downward, watch)
        if count < fewest:
            best, fewest = found, count
    return best


def _by_preorder(strip: Strip) -> Layers:
    """Depth first, lines to far targets last: free of crossings where branches only nest."""
    key = [-1] * len(strip)
    count = 0
    for root in range(len(strip)):
        stack = [root]
        while stack:
            element = stack.pop()
            if key[element] < 0:
                key[element] = count
                count += 1
                stack.extend(reversed(strip.children[element]))
    return [sorted(layer, key=key.__getitem__) for layer in strip.layers]


def _beginnings(first: Layers, single: bool) -> Iterator[tuple[Layers, bool]]:
    """Orders to improve, and whether to sweep downward first."""
    yield first, True
    if not single:
        mirrored = [layer[::-1] for layer in first]
        yield mirrored, True
        yield first, False
        yield mirrored, False


def _improved(order: _Order, downward: bool, watch: Watch) -> tuple[Layers, int]:
    """The best order that sweeps reach from this one, and its crossings."""
    best, fewest, vain = order.copy(), order.crossings(watch), 0
    for sweep in range(_SWEEPS):
        order.sweep(downward == (sweep % 2 == 0), _mean if sweep % 4 < 2 else _median, watch)
        if len(order.strip) <= _LARGE:
            order.swap_adjacent(watch)
        count = order.crossings(watch)
        watch.did(len(order.strip))
        if count < fewest:
            best, fewest, vain = order.copy(), count, 0
        else:
            vain += 1
        if fewest == 0 or vain == _PATIENCE:
            break
    return best, fewest


class _Order:
    """An order of all layers, with the position of each element in its layer."""

    def __init__(self, strip: Strip, layers: Layers) -> None:
        self.strip = strip
        self.layers = [layer[:] for layer in layers]
        self.position = [0] * len(strip)
        for layer in layers:
            for i, element in enumerate(layer):
                self.position[element] = i

    def copy(self) -> Layers:
        return [layer[:] for layer in self.layers]

    def crossings(self, watch: Watch) -> int:
        count = 0
        for layer in self.layers:
            count += crossings(layer, self.strip.children, self.position)
            watch.tick(len(layer))
        return count

    def sweep(self, downward: bool, middle: Callable[[list[int]], float], watch: Watch) -> None:
        """Sort each layer by where its elements' neighbours in the layer just passed stand."""
        neighbours = self.strip.parents if downward else self.strip.children
        position = self.position
        for number in range(len(self.layers))[:: 1 if downward else -1]:
            layer = self.layers[number]
            if len(layer) > 1:
                places = [[position[end] for end in neighbours[element]] for element in layer]
                self.layers[number] = layer = _resorted(layer, places, middle)
                for i, element in enumerate(layer):
                    position[element] = i
            watch.tick(len(layer))

    def swap_adjacent(self, watch: Watch) -> None:
        """Swap adjacent elements where that saves crossings, a few rounds in each layer."""
        for layer in self.layers:
            for _ in range(_SWAP_ROUNDS):
                watch.tick(len(layer))
                if not self._swap_round(layer):
                    break

    def _swap_round(self, layer: list[int]) -> bool:
        parents, children, position = self.strip.parents, self.strip.children, self.position
        swapped = False
        for i in range(len(layer) - 1):
            left, right = layer[i], layer[i + 1]
            saved = saved_by_swap(parents[left], parents[right], position)
            saved += saved_by_swap(children[left], children[right], position)
            if saved > 0:
                layer[i], layer[i + 1] = right, left
                position[left], position[right] = i + 1, i
                swapped = True
        return swapped


def _resorted(
    layer: list[int], places: list[list[int]], middle: Callable[[list[int]], float]
) -> list[int]:
    """The layer sorted by the middle of each element's places; those without any stay."""
    movable = [i for i, row in enumerate(places) if row]
    by_middle = sorted(movable, key=[middle(row) if row else 0.0 for row in places].__getitem__)
    result = layer[:]
    for slot, i in zip(movable, by_middle, strict=True):
        result[slot] = layer[i]
    return result


def _mean(places: list[int]) -> float:
    return sum(places) / len(places)


def _median(places: list[int]) -> float:
    places = sorted(places)
    half = len(places) // 2
    if len(places) % 2:
        return places[half]
    return (places[half - 1] + places[half]) / 2
