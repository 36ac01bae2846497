"""Whether nodes stand in the order in which they can run, and whether there is one."""

from __future__ import annotations

import heapq

import numpy as np

from ortstudio.format.arrays import Ints
from ortstudio.model.graph import Graph


def dependencies(graph: Graph) -> tuple[Ints, Ints]:
    """Rows of producers and of the nodes that read from them, once for each reading."""
    nodes = graph.nodes
    ids = np.concatenate([nodes.inputs.flat, nodes.implicit_inputs.flat]).astype(np.int64)
    readers = np.concatenate([nodes.inputs.owners, nodes.implicit_inputs.owners])
    makers = np.where(ids >= 0, graph.producers[ids], -1)
    return makers[makers >= 0], readers[makers >= 0]


def is_sorted(graph: Graph) -> bool:
    """Whether every node stands after all that it reads from."""
    makers, readers = dependencies(graph)
    return bool((makers < readers).all())


def is_cyclic(graph: Graph) -> bool:
    """Whether some nodes wait for each other."""
    return len(running_order(graph)) < len(graph.nodes)


def running_order(graph: Graph) -> list[int]:
    """Rows of the nodes, each after all that it reads from; of those that can run, lowest index.

    Nodes that wait for each other, and all that wait for them, are left out.
    """
    makers, readers = dependencies(graph)
    by_maker = np.argsort(makers, kind="stable")
    ends = np.searchsorted(makers[by_maker], np.arange(len(graph.nodes) + 1)).tolist()
    following = readers[by_maker].tolist()
    waiting = np.bincount(readers, minlength=len(graph.nodes)).tolist()
    indices = graph.nodes.indices.tolist()
    ready = [(indices[row], row) for row, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        _, row = heapq.heappop(ready)
        order.append(row)
        for reader in following[ends[row] : ends[row + 1]]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, (indices[reader], reader))
    return order
