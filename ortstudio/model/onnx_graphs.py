"""Trees of ONNX graphs: read level by level, subgraphs tied to their nodes, made into `Graph`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ortstudio.format.arrays import Ints, Ragged, ints, offsets_of
from ortstudio.format.protobuf import Messages
from ortstudio.model.graph import Graph, GraphRef, Nodes, Parent, Values, subgraph_path
from ortstudio.model.onnx_bodies import GRAPH, Holder, Layout, Totals, read_level
from ortstudio.model.onnx_scopes import Draft, Place, link_scopes, number_values, type_values
from ortstudio.model.onnx_types import TypeReader
from ortstudio.model.types import AttributeType

MAX_DEPTH = 1000
"""How deep graphs may nest. ONNX Runtime's and protobuf's own parsers stop near 31."""
MAX_PATH_CHARACTERS = 1 << 26
"""What the paths of all subgraphs may take; each repeats those of the graphs around it."""

Since = Callable[[str, str, int], int]
"""(domain, operator, imported opset version) → the version that last changed the operator."""


class Root(NamedTuple):
    """A main graph or a function: the path of its body, and the opsets that it imports."""

    path: str
    opsets: Mapping[str, int]


def read_trees(
    messages: Messages, layout: Layout, roots: Sequence[Root], totals: Totals, since: Since | None
) -> list[tuple[Graph, ...]]:
    """For each message the graph in it, followed by all graphs inside, level by level."""
    types = TypeReader()
    trees: list[list[Draft]] = [[] for _ in roots]
    places = [Place(i, 0, root.path, None) for i, root in enumerate(roots)]
    budget = MAX_PATH_CHARACTERS
    for depth in range(MAX_DEPTH + 1):
        level = read_level(messages, layout if depth == 0 else GRAPH, types, totals)
        drafts = [Draft(place, body) for place, body in zip(places, level.bodies, strict=True)]
        for draft in drafts:
            trees[draft.place.root].append(draft)
        places = _hang(level.holders if depth < MAX_DEPTH else [], drafts, trees, budget)
        budget -= sum(len(place.path) for place in places)
        if len(places) < len(level.graphs):
            _report_depth(level.graphs, len(places))
        if not places:
            break
        messages = level.graphs.take(np.arange(len(places)))
    for tree in trees:
        _finish(tree, messages, types)
    return [
        tuple(_graph(draft, roots[draft.place.root].opsets, since) for draft in tree)
        for tree in trees
    ]


def _finish(tree: list[Draft], messages: Messages, types: TypeReader) -> None:
    for draft in tree:
        number_values(draft)
    link_scopes(tree, messages.walk)
    for draft in tree:
        parent = draft.place.parent
        type_values(draft, None if parent is None else tree[parent.graph], types)


def _report_depth(messages: Messages, first: int) -> None:
    part = int(np.searchsorted(messages.rows, first))
    messages.walk.report(
        f"Graphs are nested deeper than {MAX_DEPTH}, or their names are too long:"
        " what is below is left out",
        int(messages.starts[part]),
        lambda: messages.path(part),
    )


def _hang(
    holders: list[Holder], drafts: list[Draft], trees: list[list[Draft]], budget: int
) -> list[Place]:
    """Places for the graphs of the next level, as far as their paths stay within the budget."""
    places = []
    sizes = [len(tree) for tree in trees]
    for holder in holders:
        draft = drafts[holder.body]
        nodes, (root, index, around, _) = draft.body.nodes, draft.place
        name, attribute = nodes.names[holder.node], nodes.attributes.names[holder.attribute]
        references = draft.graphs.setdefault(holder.attribute, [])
        is_list = nodes.attributes.types[holder.attribute] == AttributeType.GRAPHS
        position = len(references) if is_list else None
        unique = name not in draft.repeated_names
        path = subgraph_path(around, name, holder.node, unique, attribute, position)
        budget -= len(path)
        if budget < 0:
            break
        references.append(GraphRef(sizes[root]))
        places.append(Place(root, sizes[root], path, Parent(index, holder.node, attribute)))
        sizes[root] += 1
    return places


def _graph(draft: Draft, opsets: Mapping[str, int], since: Since | None) -> Graph:
    body, place = draft.body, draft.place
    declared = draft.declared.tolist()
    denotations = {
        value: found.denotation
        for value, found in zip(declared, body.declarations.types, strict=True)
        if found.denotation and value >= 0
    }
    doc_strings = {
        declared[row]: text
        for row, text in body.declarations.doc_strings.items()
        if declared[row] >= 0
    }
    return Graph(
        path=place.path,
        name=body.name,
        doc_string=body.doc_string,
        offset=body.offset,
        parent=place.parent,
        values=Values(list(draft.ids), draft.types, doc_strings, denotations),
        inputs=draft.inputs,
        outputs=draft.outputs,
        nodes=_nodes(draft, opsets, since),
        initializers=body.initializers,
        sparse_initializers=tuple(body.sparse_initializers),
        metadata=body.metadata,
    )


def _nodes(draft: Draft, opsets: Mapping[str, int], since: Since | None) -> Nodes:
    nodes = draft.body.nodes
    return Nodes(
        names=nodes.names,
        op_types=nodes.op_types,
        domains=nodes.domains,
        since_versions=_since_versions(nodes.domains, nodes.op_types, opsets, since),
        indices=np.arange(len(nodes.names)),
        offsets=nodes.offsets,
        inputs=Ragged(nodes.input_ptr, draft.node_inputs),
        outputs=Ragged(nodes.output_ptr, draft.node_outputs),
        implicit_inputs=_implicit_inputs(draft),
        attribute_rows=nodes.attribute_rows,
        attributes=replace(
            nodes.attributes, others={**nodes.attributes.others, **_references(draft)}
        ),
        doc_strings=nodes.doc_strings,
        metadata=nodes.metadata,
        overloads=nodes.overloads,
    )


def _references(draft: Draft) -> dict[int, GraphRef | tuple[GraphRef, ...]]:
    types = draft.body.nodes.attributes.types
    return {
        row: tuple(found) if types[row] == AttributeType.GRAPHS else found[0]
        for row, found in draft.graphs.items()
        if found
    }


def _implicit_inputs(draft: Draft) -> Ragged:
    counts = np.zeros(len(draft.body.nodes.names), np.int64)
    flat: list[int] = []
    for row in sorted(draft.implicit):
        found = [draft.ids[name] for name in draft.implicit[row]]
        counts[row] = len(found)
        flat += found
    return Ragged(offsets_of(counts), ints(flat))


def _since_versions(
    domains: list[str], op_types: list[str], opsets: Mapping[str, int], since: Since | None
) -> Ints:
    if since is None:
        return np.zeros(len(domains), np.int64)
    known: dict[tuple[str, str], int] = {}
    versions = []
    for domain, op_type in zip(domains, op_types, strict=True):
        version = known.get((domain, op_type))
        if version is None:
            opset = opsets.get(domain)
            version = 0 if opset is None else since(domain, op_type, opset)
            known[domain, op_type] = version
        versions.append(version)
    return ints(versions)
