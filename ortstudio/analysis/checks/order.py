"""Whether nodes stand in the order in which they can run, and whether there is one."""

from __future__ import annotations

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
    """Whether some nodes wait for each other: what is left when all that can run has run."""
    makers, readers = dependencies(graph)
    order = np.argsort(makers, kind="stable")
    ends = np.searchsorted(makers[order], np.arange(len(graph.nodes) + 1)).tolist()
    following = readers[order].tolist()
    waiting = np.bincount(readers, minlength=len(graph.nodes)).tolist()
    ready = [row for row, count in enumerate(waiting) if not count]
    for row in ready:
        for reader in following[ends[row] : ends[row + 1]]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    return len(ready) < len(waiting)
