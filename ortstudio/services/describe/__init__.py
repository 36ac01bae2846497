"""What there is to say of anything in a model, as plain facts that a face can show."""

from __future__ import annotations

from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe.facts import Section
from ortstudio.services.describe.graphs import describe_graph, describe_value
from ortstudio.services.describe.models import (
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
