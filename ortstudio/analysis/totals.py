"""How much of everything a model holds, nested graphs counted in, and what fills its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.nodes import node_text
from ortstudio.analysis.words import listed, share, size_text
from ortstudio.format.arrays import Ints
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.tensor import Span, SparseTensor, StringData, Tensor, TypedData
from ortstudio.model.types import data_type_text


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over all graphs; bodies of model-local functions are left out.

    `ops` and `bytes_by_type` have the largest first. `parameters` are elements of initializers; of
    a sparse one only those that are stored count, and its bytes are those of values and indices.
    """

    nodes: int
    ops: Mapping[str, int]
    initializers: int
    sparse_initializers: int
    parameters: int
    initializer_bytes: int
    bytes_by_type: Mapping[str, int]


def totals(model: Model) -> Totals:
    """Count. No weights are read."""
    ops: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    parameters = 0
    for graph in model.graphs:
        ops.update(graph.nodes.ops)
        dense = graph.initializers
        parameters += sum(max(0, elements) for elements in dense.element_counts)
        for data_type, size in zip(dense.data_types.tolist(), dense.sizes, strict=True):
            sizes[data_type] += size
        for sparse in graph.sparse_initializers:
            parameters += max(0, sparse.values.dims[0]) if sparse.values.dims else 1
            for part in (sparse.values, sparse.indices):
                sizes[part.data_type] += part.size_bytes
    return Totals(
        nodes=sum(len(graph.nodes) for graph in model.graphs),
        ops=_largest_first(ops),
        initializers=sum(len(graph.initializers) for graph in model.graphs),
        sparse_initializers=sum(len(graph.sparse_initializers) for graph in model.graphs),
        parameters=parameters,
        initializer_bytes=sum(sizes.values()),
        bytes_by_type=_largest_first(Counter({data_type_text(k): v for k, v in sizes.items()})),
    )


def _largest_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


_USES = {
    "attributes": "attributes",
    "attribute_tensors": "tensors in attributes",
    "container": "the container",
    "functions": "local functions",
    "graph": "graph records",
    "initializer_data": "weights",
    "initializers": "the weights' names and shapes",
    "kernel_hashes": "kernel hashes",
    "kernel_type_resolver": "the kernel type resolver",
    "metadata": "metadata",
    "node_edges": "the edges between nodes",
    "nodes": "node records",
    "padding": "padding",
    "runtime_optimizations": "saved optimizations",
    "values": "the types and shapes of values",
}


def use_text(use: str) -> str:
    """A key of `Model.sizes` in words."""
    return _USES.get(use, use.replace("_", " "))


def what_dominates(model: Model) -> str:
    """What fills the file, in one sentence: uses until four fifths are told, and the biggest thing.

    Takes a moment for a large file, as `Model.sizes` does.
    """
    whole = sum(model.sizes.values())
    told, uses = 0, []
    for use, size in sorted(model.sizes.items(), key=lambda row: -row[1]):
        if told >= 0.8 * whole:
            break
        told += size
        uses.append(use)
    if not uses:
        return "The file is empty."
    parts = [f"{use_text(use)} {share(model.sizes[use], whole)}" for use in uses]
    return f"{size_text(whole)}: {listed(parts)}{_biggest(model, uses[0])}."


def _biggest(model: Model, use: str) -> str:
    """The one thing that most bytes of a use belong to; empty where there is none.

    Bytes are those of the values themselves, which for numbers are more than an `.onnx` takes.
    """
    if use == "attributes":
        columns = [attribute_bytes(graph) for graph in model.graphs]
    elif use == "initializer_data":
        columns = [graph.initializers.data_lengths for graph in model.graphs]
    else:
        return ""
    whole = sum(int(sizes.sum()) for sizes in columns)
    for graph, sizes in zip(model.graphs, columns, strict=True):
        for row in np.nonzero(2 * sizes > whole)[0].tolist():
            name = (
                node_text(graph, row)
                if use == "attributes"
                else repr(graph.initializers.names[row])
            )
            return f"; of the {use_text(use)}, {share(int(sizes[row]), whole)} are for {name}"
    return ""


def attribute_bytes(graph: Graph) -> Ints:
    """Bytes of the attribute values of each node, without their names and tables."""
    at = graph.nodes.attributes
    size = at.floats_column.lengths * 4 + at.ints_column.lengths * 8
    for row, value in at.others.items():
        size[row] += _value_bytes(value)
    owners = graph.nodes.attribute_rows.owners
    rows = graph.nodes.attribute_rows.flat
    return np.bincount(owners, size[rows], minlength=len(graph.nodes)).astype(np.int64)


def _value_bytes(value: object) -> int:
    """Bytes of one value as stored; a string counts with its length and offset in an `.ort`."""
    if isinstance(value, bytes):
        return len(value) + 8
    if isinstance(value, Tensor):
        return _value_bytes(value.data)
    if isinstance(value, SparseTensor):
        return _value_bytes(value.values) + _value_bytes(value.indices)
    if isinstance(value, Span):
        return value.length
    if isinstance(value, (StringData, TypedData)):
        return sum(span.length for span in value.spans)
    if isinstance(value, tuple):
        return sum(_value_bytes(part) for part in value)
    return 0
