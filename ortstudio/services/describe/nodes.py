"""Facts about a node."""

from __future__ import annotations

from ortstudio.analysis.nodes import NodeRef, Operator
from ortstudio.analysis.operators import Formal
from ortstudio.analysis.words import count
from ortstudio.model.graph import Graph, GraphRef, op_text
from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import AttributeType, data_type_text
from ortstudio.services.describe.facts import Fact, Section, not_set, place, sections
from ortstudio.services.describe.graphs import value_fact
from ortstudio.services.document import Document

MOST_ELEMENTS = 32
"""Elements of a list attribute that are written out."""


def describe_node(document: Document, ref: Ref) -> tuple[Section, ...]:
    """A node: what it is, what goes in and out, its attributes."""
    graph = document.graphs[ref.graph]
    nodes = graph.nodes
    inputs, outputs = _formals(document, graph, ref.row)
    implicit = nodes.implicit_inputs.row(ref.row).tolist()
    return sections(
        Section("Node", _identity(document, ref, graph)),
        Section("Description", text=nodes.doc_strings.get(ref.row, "")),
        _ends(document, ref, "Inputs", nodes.inputs.row(ref.row).tolist(), inputs),
        _ends(document, ref, "Outputs", nodes.outputs.row(ref.row).tolist(), outputs),
        Section("Read by its graphs", tuple(value_fact(document, ref.graph, i) for i in implicit)),
        Section("Attributes", _attributes(document, ref, graph)),
        Section(
            "Metadata", tuple(Fact(*entry) for entry in nodes.metadata.get(ref.row, {}).items())
        ),
        _runtime(document, ref, graph),
    )


def _identity(document: Document, ref: Ref, graph: Graph) -> tuple[Fact, ...]:
    nodes, row = graph.nodes, ref.row
    domain = nodes.domains[row]
    facts = [
        Fact("Operator", op_text(domain, nodes.op_types[row]), mono=True),
        Fact("Name", not_set(nodes.names[row]), mono=bool(nodes.names[row])),
        Fact("Domain", domain or "ai.onnx", mono=True),
    ]
    since = int(nodes.since_versions[row])
    if since:
        tip = "The opset version that introduced this form of the operator"
        facts.append(Fact("Since version", str(since), tip=tip))
    body = document.called_by(ref)
    if body is not None:
        title = document.graph_title(body)
        facts.append(Fact("Local function", title, Ref(RefKind.GRAPH, body), mono=True))
    if nodes.overloads.get(row):
        facts.append(Fact("Overload", nodes.overloads[row], mono=True))
    facts += [
        Fact("Index", str(int(nodes.indices[row]))),
        Fact("Graph", graph.path, Ref(RefKind.GRAPH, ref.graph), mono=True),
    ]
    if document.model.ort is not None and ref.graph < len(document.model.ort.graphs):
        provider = document.model.ort.graphs[ref.graph].execution_providers[row]
        if provider:
            tip = "Assigned when the file was saved; loading assigns anew"
            facts.append(Fact("Saved for", provider, tip=tip))
    return (*facts, place(int(nodes.offsets[row])))


def _formals(
    document: Document, graph: Graph, row: int
) -> tuple[tuple[Formal, ...], tuple[Formal, ...]]:
    nodes = graph.nodes
    since = int(nodes.since_versions[row])
    signature = document.known.operators.signature(nodes.domains[row], nodes.op_types[row], since)
    return (signature.inputs, signature.outputs) if signature else ((), ())


def _ends(
    document: Document, ref: Ref, title: str, values: list[int], formals: tuple[Formal, ...]
) -> Section:
    facts = []
    for place_, value in enumerate(values):
        formal = formals[min(place_, len(formals) - 1)] if formals else None
        name = str(place_) if formal is None else formal.name
        if formal is not None and formal.variadic:
            name = f"{formal.name}[{place_ - len(formals) + 1}]"
        facts.append(value_fact(document, ref.graph, value, name))
    return Section(title, tuple(facts))


def _attributes(document: Document, ref: Ref, graph: Graph) -> tuple[Fact, ...]:
    at = graph.nodes.attributes
    facts = []
    for k in graph.nodes.attribute_rows.row(ref.row).tolist():
        value = at.value(k)
        tip = at.doc_strings.get(k, "")
        if k in at.references:
            facts.append(Fact(at.names[k], f"the function's {at.references[k]}", tip=tip))
        elif isinstance(value, GraphRef):
            facts.append(_graph_fact(document, ref, at.names[k], value))
        elif at.types[k] == AttributeType.GRAPHS and isinstance(value, tuple):
            found = [g for g in value if isinstance(g, GraphRef)]
            facts += [_graph_fact(document, ref, at.names[k], g) for g in found]
        else:
            facts.append(Fact(at.names[k], attribute_text(value), mono=True, tip=tip))
    return tuple(facts)


def _graph_fact(document: Document, ref: Ref, name: str, value: GraphRef) -> Fact:
    place_ = document.referred(ref.graph, value)
    graph = document.graphs[place_]
    text = f"graph of {count(len(graph.nodes), 'node')}"
    return Fact(name, text, Ref(RefKind.GRAPH, place_), tip=graph.path)


def attribute_text(value: object) -> str:
    """A value in one line; of a long list its beginning and its length."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Tensor):
        return f"{data_type_text(value.data_type)}{list(value.dims)}"
    if isinstance(value, SparseTensor):
        return f"sparse {data_type_text(value.values.data_type)}{list(value.dims)}"
    if isinstance(value, tuple):
        texts = [attribute_text(item) for item in value[:MOST_ELEMENTS]]
        more = f", … {len(value):,} in all" if len(value) > MOST_ELEMENTS else ""
        return "[" + ", ".join(texts) + more + "]"
    return str(value)


def _runtime(document: Document, ref: Ref, graph: Graph) -> Section:
    """The resolver entry that it uses, and the saved optimizations that name it."""
    nodes, row = graph.nodes, ref.row
    op = Operator(nodes.domains[row], nodes.op_types[row], int(nodes.since_versions[row]))
    me = NodeRef(graph.path, int(nodes.indices[row]))
    facts = [
        Fact("Kernel types", ", ".join(use.words), Ref(RefKind.RESOLVER, 0, i))
        for i, use in enumerate(document.resolver)
        if use.entry.op_id == op.op_id
    ]
    facts += [
        Fact("Saved optimization", saved.text, Ref(RefKind.OPTIMIZATION, 0, i))
        for i, saved in enumerate(document.optimizations)
        if any(role.node == me for role in saved.roles)
    ]
    return Section("In the runtime", tuple(facts))
