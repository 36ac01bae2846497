"""Finding nodes by words: in names, operators, domains, values, element types and shapes."""

from __future__ import annotations

from ortstudio.model.graph import Graph


def search_texts(graph: Graph) -> list[str]:
    """For each node all that it can be found by, in lower case; made once for many searches."""
    nodes = graph.nodes
    values = [
        f"{name} {value_type or ''}".casefold()
        for name, value_type in zip(graph.values.names, graph.values.types, strict=True)
    ]
    values.append("")
    columns = zip(nodes.names, nodes.ops, nodes.outputs.lists(), nodes.inputs.lists(), strict=True)
    return [
        " ".join((name.casefold(), op.casefold(), *(values[i] for i in (*outputs, *inputs))))
        for name, op, outputs, inputs in columns
    ]


def matching(texts: list[str], query: str) -> list[int]:
    """The rows whose text holds every word of the query; none for an empty one."""
    words = query.casefold().split()
    if not words:
        return []
    return [row for row, text in enumerate(texts) if all(word in text for word in words)]
