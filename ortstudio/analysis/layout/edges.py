"""Puts any edges into the form that layers need: distinct, without loops and cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.layout.watch import Watch
from ortstudio.format.arrays import Ints, Ragged, distinct


@dataclass(frozen=True, slots=True)
class Edges:
    """An acyclic graph, its edges sorted by source and target; `order` is a topological one."""

    source: Ints
    target: Ints
    order: list[int]


def acyclic(n: int, source: Ints, target: Ints, watch: Watch) -> Edges:
    """The given edges once each, no self loops; those that close a cycle are turned round."""
    source, target = _distinct(n, source, target)
    if (source < target).all():
        return Edges(source, target, list(range(n)))
    order = _reverse_postorder(rows(n, source, target), _roots_first(n, target), watch)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    # In reverse postorder exactly the edges back to a node still being visited point upward.
    back = rank[source] > rank[target]
    upper, lower = np.where(back, target, source), np.where(back, source, target)
    return Edges(*_distinct(n, upper, lower), order)


def rows(n: int, key: Ints, value: Ints) -> list[list[int]]:
    """For each key 0 … n - 1 its values, in the order given."""
    ptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(key, minlength=n), out=ptr[1:])
    return Ragged(ptr, value[np.argsort(key, kind="stable")]).lists()


def _distinct(n: int, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    keep = source != target
    pairs = distinct(source[keep] * np.int64(n) + target[keep])
    return pairs // max(n, 1), pairs % max(n, 1)


def _roots_first(n: int, target: Ints) -> list[int]:
    has_input = np.zeros(n, bool)
    has_input[target] = True
    order: list[int] = np.argsort(has_input, kind="stable").tolist()
    return order


def _reverse_postorder(children: list[list[int]], starts: list[int], watch: Watch) -> list[int]:
    seen = [False] * len(children)
    finished: list[int] = []
    for start in starts:
        if not seen[start]:
            _visit(start, children, seen, finished, watch)
    finished.reverse()
    return finished


def _visit(
    start: int, children: list[list[int]], seen: list[bool], finished: list[int], watch: Watch
) -> None:
    seen[start] = True
    path = [(start, iter(children[start]))]
    while path:
        node, rest = path[-1]
        for child in rest:
            if not seen[child]:
                seen[child] = True
                path.append((child, iter(children[child])))
                break
        else:
            watch.tick(1)
            path.pop()
            finished.append(node)
