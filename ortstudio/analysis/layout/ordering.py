"""The order of elements within the layers of a strip, for few crossings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ortstudio.analysis.layout.crossings import ascending, crossings, saved_by_swap
from ortstudio.analysis.layout.strips import Strip
from ortstudio.analysis.layout.watch import Watch

ROUNDS = 24
"""How often a strip is gone through at most."""
_PATIENCE = 3
"""Sweeps in vain after which an attempt ends."""
_NO_WISH = -1.0

Layers = list[list[int]]
Middle = Callable[[list[int], list[int]], float]


@dataclass(frozen=True, slots=True)
class _Effort:
    """What a strip is worth: orders to begin with, sweeps for each, rounds of swaps in a sweep."""

    beginnings: int
    sweeps: int
    swap_rounds: int


def ordered(strip: Strip, watch: Watch) -> Layers:
    """The layers of the strip, each in the best order found."""
    first = _by_preorder(strip, watch)
    at_first = _Order(strip, first).crossings(watch)
    best, fewest = first, at_first
    effort = _effort(sum(map(len, strip.children)))
    for layers, downward in _beginnings(first)[: effort.beginnings if fewest else 0]:
        order = _Order(strip, layers)
        for count in _sweeps(order, at_first, downward, effort, watch):
            if count < fewest:
                best, fewest = order.copy(), count
            if fewest == 0:
                return best
    return best


def _effort(segments: int) -> _Effort:
    if segments <= 6_000:
        return _Effort(beginnings=4, sweeps=6, swap_rounds=2)
    if segments <= 12_000:
        return _Effort(beginnings=1, sweeps=6, swap_rounds=2)
    return _Effort(beginnings=1, sweeps=4, swap_rounds=0)


def positions(strip: Strip, layers: Layers) -> list[int]:
    """The place of each element in its layer."""
    position = [0] * len(strip)
    for layer in layers:
        for i, element in enumerate(layer):
            position[element] = i
    return position


def _by_preorder(strip: Strip, watch: Watch) -> Layers:
    """Depth first, lines to far targets last: free of crossings where branches only nest."""
    key = [-1] * len(strip)
    count = 0
    for root in range(len(strip)):
        stack = [root]
        while stack:
            element = stack.pop()
            if key[element] < 0:
                watch.tick(1)
                key[element] = count
                count += 1
                stack.extend(reversed(strip.children[element]))
    return [sorted(layer, key=key.__getitem__) for layer in strip.layers]


def _beginnings(first: Layers) -> list[tuple[Layers, bool]]:
    """Orders to improve, and whether to sweep downward first."""
    mirrored = [layer[::-1] for layer in first]
    return [(first, True), (mirrored, True), (first, False), (mirrored, False)]


def _sweeps(
    order: _Order, fewest: int, downward: bool, effort: _Effort, watch: Watch
) -> Iterator[int]:
    """The crossings after each sweep, as long as sweeps still help; `fewest` are those before."""
    vain = 0
    for number in range(effort.sweeps):
        order.sweep(downward == (number % 2 == 0), _mean if number % 4 < 2 else _median, watch)
        order.swap_adjacent(effort.swap_rounds, watch)
        watch.did(len(order.strip))
        count = order.crossings(watch)
        yield count
        fewest, vain = min(count, fewest), 0 if count < fewest else vain + 1
        if vain == _PATIENCE:
            return


class _Order:
    """An order of all layers, with the position of each element in its layer."""

    def __init__(self, strip: Strip, layers: Layers) -> None:
        self.strip = strip
        self.layers = [layer[:] for layer in layers]
        self.position = positions(strip, layers)

    def copy(self) -> Layers:
        return [layer[:] for layer in self.layers]

    def crossings(self, watch: Watch) -> int:
        count = 0
        for layer in self.layers:
            count += crossings(layer, self.strip.children, self.position)
            watch.tick(len(layer))
        return count

    def sweep(self, downward: bool, middle: Middle, watch: Watch) -> None:
        """Sort each layer by where its elements' neighbours in the layer just passed stand."""
        neighbours = self.strip.parents if downward else self.strip.children
        position = self.position
        for number in range(len(self.layers))[:: 1 if downward else -1]:
            layer = self.layers[number]
            if len(layer) > 1:
                wish = [middle(neighbours[element], position) for element in layer]
                self.layers[number] = layer = _resorted(layer, wish)
                for i, element in enumerate(layer):
                    position[element] = i
            watch.tick(len(layer))

    def swap_adjacent(self, rounds: int, watch: Watch) -> None:
        """Swap adjacent elements where that saves crossings, so many rounds in each layer."""
        for layer in self.layers:
            for _ in range(rounds):
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


def _resorted(layer: list[int], wish: list[float]) -> list[int]:
    """The layer sorted by the places that its elements wish for; those without a wish stay."""
    movable = [i for i, place in enumerate(wish) if place >= 0]
    result = layer[:]
    for slot, i in zip(movable, sorted(movable, key=wish.__getitem__), strict=True):
        result[slot] = layer[i]
    return result


def _mean(elements: list[int], position: list[int]) -> float:
    if len(elements) > 1:
        return sum([position[element] for element in elements]) / len(elements)
    return position[elements[0]] if elements else _NO_WISH


def _median(elements: list[int], position: list[int]) -> float:
    if len(elements) > 1:
        places = ascending(elements, position)
        half = len(places) // 2
        return places[half] if len(places) % 2 else (places[half - 1] + places[half]) / 2
    return position[elements[0]] if elements else _NO_WISH
