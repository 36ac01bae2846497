"""Facts about graphs and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.words import count
from ortstudio.model.graph import MAIN_PATH, Graph
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe.facts import Fact, Section, number, place, sections
from ortstudio.services.document import Document

MOST_OPS = 40
MOST_USERS = 60


def describe_graph(document: Document, ref: Ref) -> tuple[Section, ...]:
    """A graph: what goes in and out, and what it is made of."""
    graph = document.graphs[ref.graph]
    ops = Counter(graph.nodes.ops).most_common()
    shown = tuple(Fact(op, number(uses), mono=True) for op, uses in ops[:MOST_OPS])
    more = f"and {count(len(ops) - MOST_OPS, 'more operator')}" if len(ops) > MOST_OPS else ""
    facts = [
        Fact("Path", graph.path, mono=True),
        Fact("Name", graph.name or _no_name(document), mono=bool(graph.name)),
        Fact("Nodes", number(len(graph.nodes))),
        Fact("Values", number(len(graph.values))),
        Fact("Initializers", number(len(graph.initializers))),
    ]
    if graph.sparse_initializers:
        facts.append(Fact("Sparse initializers", number(len(graph.sparse_initializers))))
    return sections(
        Section("Graph", (*facts, place(graph.offset))),
        _parent(document, ref.graph),
        Section("Description", text=_doc(document, graph)),
        Section("Inputs", tuple(value_fact(document, ref.graph, i) for i in graph.inputs.tolist())),
        Section(
            "Outputs", tuple(value_fact(document, ref.graph, i) for i in graph.outputs.tolist())
        ),
        Section("Operators", shown, more),
    )


def _no_name(document: Document) -> str:
    return "the ORT format does not keep it" if document.model.ort else "not set"


def _doc(document: Document, graph: Graph) -> str:
    if graph.path == MAIN_PATH and document.model.graph_doc_string:
        return document.model.graph_doc_string
    return graph.doc_string


def _parent(document: Document, graph: int) -> Section | None:
    node, parent = document.parent(graph), document.graphs[graph].parent
    if node is None or parent is None:
        return None
    text = node_text(document.graphs[node.graph], node.row)
    return Section("Hangs on", (Fact(parent.attribute, text, node),))


def linked_nodes(document: Document, nodes: Sequence[NodeRef]) -> tuple[Fact, ...]:
    """The first of some nodes, each by its index and leading to it."""
    facts = []
    for node in nodes[:MOST_USERS]:
        found = document.find_node(node)
        if found is not None:
            graph = document.graphs[found.graph]
            facts.append(Fact(str(node.index), node_text(graph, found.row), found))
    return tuple(facts)


def value_fact(document: Document, graph: int, value: int, name: str = "") -> Fact:
    """A value as one line: its name (or the parameter's) and its type, leading to it."""
    found = document.graphs[graph]
    if value < 0:
        return Fact(name, "left out")
    type_text = str(found.values.types[value] or document.outer_type(graph, value) or "")
    text = found.values.names[value]
    if name:
        return Fact(name, text, _value_ref(graph, value), mono=True, note=type_text)
    return Fact(text, type_text or "type not stated", _value_ref(graph, value), mono=True)


def _value_ref(graph: int, value: int) -> Ref:
    return Ref(RefKind.VALUE, graph, value)


def describe_value(document: Document, ref: Ref) -> tuple[Section, ...]:
    """A value: its type, what makes it and what reads it."""
    graph = document.graphs[ref.graph]
    name = graph.values.names[ref.row]
    type_text = str(graph.values.types[ref.row] or document.outer_type(ref.graph, ref.row) or "")
    facts = [
        Fact("Name", name, mono=True),
        Fact("Type", type_text or "not stated", mono=bool(type_text)),
    ]
    denotation = graph.values.denotations.get(ref.row)
    if denotation:
        facts.append(Fact("Denotation", denotation))
    return sections(
        Section("Value", tuple(facts)),
        Section("Description", text=graph.values.doc_strings.get(ref.row, "")),
        Section("Comes from", _origins(document, ref, graph, name)),
        Section("Read by", *_readers(ref, graph)),
    )


def _origins(document: Document, ref: Ref, graph: Graph, name: str) -> tuple[Fact, ...]:
    facts = []
    producer = int(graph.producers[ref.row])
    if producer >= 0:
        made_by = Ref(RefKind.NODE, ref.graph, producer)
        facts.append(Fact("Node", node_text(graph, producer), made_by))
    row = graph.initializers.rows.get(name)
    if row is not None:
        is_default = ref.row in graph.inputs
        label = "Default" if is_default else "Initializer"
        facts.append(Fact(label, name, Ref(RefKind.INITIALIZER, ref.graph, row), mono=True))
    for row, sparse in enumerate(graph.sparse_initializers):
        if sparse.values.name == name:
            found = Ref(RefKind.SPARSE_INITIALIZER, ref.graph, row)
            facts.append(Fact("Sparse initializer", name, found, mono=True))
    if ref.row in graph.inputs:
        facts.append(Fact("Graph", "an input", Ref(RefKind.GRAPH, ref.graph)))
    if not facts:
        outer = document.outer_value(ref.graph, ref.row)
        if outer is not None:
            facts.append(Fact("Outer graph", name, _value_ref(*outer), mono=True))
        else:
            facts.append(Fact("", "Nothing in the model makes it"))
    return tuple(facts)


def _readers(ref: Ref, graph: Graph) -> tuple[tuple[Fact, ...], str]:
    rows = graph.consumers.row(ref.row).tolist()
    facts = [
        Fact(f"{k + 1}", node_text(graph, row), Ref(RefKind.NODE, ref.graph, row))
        for k, row in enumerate(rows[:MOST_USERS])
    ]
    if ref.row in graph.outputs:
        facts.append(Fact("Graph", "an output", Ref(RefKind.GRAPH, ref.graph)))
    more = len(rows) - MOST_USERS
    if not facts:
        return (), "Nothing reads it."
    return tuple(facts), f"{count(len(rows), 'node')}, the first {MOST_USERS}" if more > 0 else ""
