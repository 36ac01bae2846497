"""Edges over several layers: one line for each source, or named stubs where lines would not help.

A line that passes a layer takes room in it. The piece that does is a dummy, as layered drawing
calls it; the dummies of all edges that leave one node form its trunk, from which targets branch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints

_FAR = 80
"""Layers. A shared value read from further away than this is not worth following by eye."""
_SHARED = 4
"""So many far consumers make a value a shared one: a mask, a table, a scalar used by all blocks."""
_DUMMIES_PER_NODE = 12
_DUMMIES_AT_LEAST = 12_000


@dataclass(frozen=True, slots=True)
class Trunks:
    """What stands in layers (elements: the nodes 0 … n - 1, then all dummies) and what joins them.

    Node `i` has the dummies `first[i]` up to `first[i + 1]`, one in each layer below its own.
    Segment `j` leads from element `upper[j]` to `lower[j]` in the next layer.
    """

    first: Ints
    owner: Ints
    layer: Ints
    upper: Ints
    lower: Ints


def find_portals(n: int, layer: Ints, source: Ints, target: Ints) -> NDArray[np.bool_]:
    """Which edges are drawn as stubs.

    Those of values shared from afar, and the longest ones where their dummies would outnumber the
    nodes many times.
    """
    span = layer[target] - layer[source]
    far = span > _FAR
    shared = np.bincount(source[far], minlength=n) >= _SHARED
    portal: NDArray[np.bool_] = far & shared[source]
    kept = np.flatnonzero(~portal)
    affordable = _longest_affordable(n, source[kept], span[kept])
    portal |= span > affordable
    return portal


def grow(n: int, layer: Ints, source: Ints, target: Ints) -> Trunks:
    """The elements and segments that draw these edges."""
    span = layer[target] - layer[source]
    reach = np.ones(n, np.int64)
    np.maximum.at(reach, source, span)
    first = n + np.concatenate([[0], np.cumsum(reach - 1)])
    owner = np.repeat(np.arange(n), reach - 1)
    dummies = np.arange(n, first[-1])
    step = dummies - first[owner] + 1
    above = np.where(step == 1, owner, dummies - 1)
    last = np.where(span == 1, source, first[source] + span - 2)
    return Trunks(
        first,
        np.concatenate([np.arange(n), owner]),
        np.concatenate([layer, layer[owner] + step]),
        np.concatenate([last, above]),
        np.concatenate([target, dummies]),
    )


def _longest_affordable(n: int, source: Ints, span: Ints) -> int:
    """The largest span for which all edges up to it need no more dummies than allowed."""
    if not len(span):
        return 0
    by_source = np.lexsort((span, source))
    source, span = source[by_source], span[by_source]
    begins = np.concatenate([[True], source[1:] != source[:-1]])
    # Sharing a trunk, an edge costs only what it is longer than the next shorter one.
    cost = span - np.where(begins, 1, np.concatenate([[1], span[:-1]]))
    by_span = np.argsort(span, kind="stable")
    total = np.cumsum(cost[by_span])
    budget = max(_DUMMIES_PER_NODE * n, _DUMMIES_AT_LEAST)
    too_far = int(np.searchsorted(total, budget, side="right"))
    if too_far == len(span):
        return int(span[by_span[-1]])
    return int(span[by_span[too_far]]) - 1
