"""Sizes that a model itself suggests for what its inputs leave open."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from ortstudio.model.graph import Graph
from ortstudio.model.model import Model

MOST = 6
"""So many are worth trying."""


def suggested_sizes(model: Model, inputs: Collection[str]) -> tuple[int, ...]:
    """The sizes in what nodes hold that read an input: weights, and lists in attributes.

    A scaler has a number for each feature, a matrix product a row; the model takes no other size.
    """
    graph = model.main
    ids, read = graph.values.ids, graph.nodes.inputs
    wanted = [ids[name] for name in inputs if name in ids]
    readers = np.unique(read.owners[np.isin(read.flat, wanted)])
    found: dict[int, None] = {}
    for row in readers.tolist():
        found |= dict.fromkeys(_sizes(graph, row))
    return tuple(size for size in found if size > 1)[:MOST]


def _sizes(graph: Graph, row: int) -> Iterator[int]:
    for name in graph.value_names(graph.nodes.inputs.row(row).tolist()):
        tensor = graph.initializers.rows.get(name)
        if tensor is not None:
            yield from graph.initializers[tensor].dims
    for value in graph.nodes.attribute_values(row).values():
        if isinstance(value, tuple) and all(isinstance(one, int | float) for one in value):
            yield len(value)
