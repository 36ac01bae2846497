"""What there is to say of anything in a model, as plain facts that a face can show."""

from __future__ import annotations

from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe.facts import Section
from ortstudio.services.describe.graphs import describe_graph, describe_value
from ortstudio.services.describe.models import (
    KIND_TEXT,
    describe_metadata,
    describe_model,
    describe_opsets,
)
from ortstudio.services.describe.nodes import describe_node
from ortstudio.services.describe.runtime import describe_optimization, describe_resolver_entry
from ortstudio.services.describe.tensors import describe_initializer, describe_sparse_initializer
from ortstudio.services.document import Document

_BY_KIND = {
    RefKind.MODEL: describe_model,
    RefKind.OPSETS: describe_opsets,
    RefKind.METADATA: describe_metadata,
    RefKind.GRAPH: describe_graph,
    RefKind.NODE: describe_node,
    RefKind.VALUE: describe_value,
    RefKind.INITIALIZER: describe_initializer,
    RefKind.SPARSE_INITIALIZER: describe_sparse_initializer,
    RefKind.RESOLVER: describe_resolver_entry,
    RefKind.OPTIMIZATION: describe_optimization,
}


def describe(document: Document, ref: Ref) -> tuple[Section, ...]:
    """Everything about one thing, top to bottom. No weights are read."""
    return _BY_KIND[ref.kind](document, ref)


def heading(document: Document, ref: Ref) -> tuple[str, str]:
    """What a thing is called, and what it is in a few words."""
    model = document.model
    if ref.kind is RefKind.MODEL:
        return document.path.name, KIND_TEXT[model.kind]
    if ref.kind is RefKind.OPSETS:
        return "Opset imports", document.path.name
    if ref.kind is RefKind.METADATA:
        return "Metadata", document.path.name
    if ref.kind is RefKind.RESOLVER:
        return document.resolver[ref.row].entry.op_id, "kernel type resolver entry"
    if ref.kind is RefKind.OPTIMIZATION:
        return document.optimizations[ref.row].record.action, "saved runtime optimization"
    graph = document.graphs[ref.graph]
    if ref.kind is RefKind.GRAPH:
        if ref.graph == 0:
            return graph.name or document.path.stem, "main graph"
        return document.graph_title(ref.graph), "subgraph" if graph.parent else "local function"
    if ref.kind is RefKind.NODE:
        name = graph.nodes.names[ref.row]
        return name or f"#{int(graph.nodes.indices[ref.row])}", graph.nodes.ops[ref.row]
    if ref.kind is RefKind.VALUE:
        return graph.values.names[ref.row], "value"
    if ref.kind is RefKind.INITIALIZER:
        return graph.initializers.names[ref.row], "initializer"
    return graph.sparse_initializers[ref.row].values.name, "sparse initializer"
