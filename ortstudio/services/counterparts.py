"""The same-named thing in the other model: what selecting on one side selects on the other."""

from __future__ import annotations

from ortstudio.model.graph import Graph
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document


def counterpart(ours: Document, ref: Ref, theirs: Document) -> Ref | None:
    """What bears the same name in the other model; None where nothing does.

    A node is found by its outputs first, then by its name: a node that stands for several fused
    ones keeps the output of the last of them, and often not its name.
    """
    if ref.kind in (RefKind.MODEL, RefKind.OPSETS, RefKind.METADATA):
        return ref
    if ref.kind in (RefKind.RESOLVER, RefKind.OPTIMIZATION):
        return None
    graph = ours.graphs[ref.graph]
    number = theirs.graph_numbers.get(graph.path)
    if number is None:
        return None
    if ref.kind is RefKind.GRAPH:
        return Ref(RefKind.GRAPH, number)
    row = _row(ref, graph, theirs.graphs[number])
    return None if row is None else Ref(ref.kind, number, row)


def _row(ref: Ref, graph: Graph, other: Graph) -> int | None:
    if ref.kind is RefKind.NODE:
        return _node_row(ref.row, graph, other)
    if ref.kind is RefKind.VALUE:
        return other.values.ids.get(graph.values.names[ref.row])
    if ref.kind is RefKind.INITIALIZER:
        return other.initializers.rows.get(graph.initializers.names[ref.row])
    name = graph.sparse_initializers[ref.row].values.name
    names = [sparse.values.name for sparse in other.sparse_initializers]
    return names.index(name) if name in names else None


def _node_row(row: int, graph: Graph, other: Graph) -> int | None:
    for name in graph.value_names(graph.nodes.outputs.row(row).tolist()):
        value = other.values.ids.get(name) if name else None
        if value is not None and other.producers[value] >= 0:
            return int(other.producers[value])
    return other.nodes.rows_by_name.get(graph.nodes.names[row])
