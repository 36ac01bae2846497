"""Which layer each node stands in."""

from __future__ import annotations

import numpy as np

from ortstudio.analysis.layout.edges import Edges, rows
from ortstudio.analysis.layout.watch import Watch
from ortstudio.format.arrays import Ints


def layers(n: int, edges: Edges, watch: Watch) -> Ints:
    """The layer of each node: every edge leads downward, and no component leaves one empty.

    A node stands as high as its inputs allow, unless it shortens more edges than it lengthens by
    standing just above its first consumer: so constants and masks come down to where they are
    used, with whatever leads to them alone.
    """
    children = rows(n, edges.source, edges.target)
    layer = _longest_paths(children, edges.order, watch)
    pulled = _pulled(n, edges, children, watch)
    for part in watch.parts(edges.order[::-1]):
        for node in part:
            if pulled[node]:
                layer[node] = min([layer[child] for child in children[node]]) - 1
    return np.array(layer, np.int64)


def _longest_paths(children: list[list[int]], order: list[int], watch: Watch) -> list[int]:
    layer = [0] * len(children)
    for part in watch.parts(order):
        for node in part:
            below = layer[node] + 1
            for child in children[node]:
                if layer[child] < below:
                    layer[child] = below
    return layer


def _pulled(n: int, edges: Edges, children: list[list[int]], watch: Watch) -> list[bool]:
    """Whether a node has more outputs than inputs that would stay behind if it moved down.

    An input comes along if the node is its only consumer and nothing holds it, all the way up.
    """
    held = np.bincount(edges.target, minlength=n).tolist()
    for part in watch.parts(edges.order):
        for node in part:
            if held[node] == 0 and len(children[node]) == 1:
                held[children[node][0]] -= 1
    outputs = [len(row) for row in children]
    return [out > inputs for out, inputs in zip(outputs, held, strict=True)]
