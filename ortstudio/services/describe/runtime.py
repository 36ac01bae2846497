"""Facts about what only the runtime needs: resolver entries and saved optimizations."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.words import count
from ortstudio.model.refs import Ref
from ortstudio.services.describe.facts import Fact, Section, place, sections
from ortstudio.services.describe.graphs import MOST_USERS, linked_nodes
from ortstudio.services.document import Document

_SIDES = {"input": "Before it", "target": "Target", "output": "After it"}
_REPLAYS = {"yes": "Yes", "no": "No", "when enabled": "Only when enabled"}


def describe_resolver_entry(document: Document, ref: Ref) -> tuple[Section, ...]:
    """One operator's kernel type strings, and the nodes that use them."""
    use = document.resolver[ref.row]
    strings = tuple(
        Fact(string.name, words, mono=False, tip=", ".join(string.args))
        for string, words in zip(use.entry.kernel_type_strs, use.words, strict=True)
    )
    return sections(
        Section("Kernel type resolver", (Fact("Operator", use.entry.op_id, mono=True),), use.note),
        Section(
            "Type strings",
            strings,
            "A kernel is chosen by the types that its type strings stand for; in a build without"
            " operator schemas only this entry tells which values those are.",
        ),
        Section("Used by", *_nodes(document, use.nodes)),
    )


def _nodes(document: Document, nodes: Sequence[NodeRef]) -> tuple[tuple[Fact, ...], str]:
    more = len(nodes) > MOST_USERS
    text = f"{count(len(nodes), 'node')}, the first {MOST_USERS}" if more else ""
    return linked_nodes(document, nodes), text


def describe_optimization(document: Document, ref: Ref) -> tuple[Section, ...]:
    """One saved optimization: which nodes become what, and whether that happens."""
    saved = document.optimizations[ref.row]
    record = saved.record
    roles = []
    for role in saved.roles:
        found = None if role.node is None else document.find_node(role.node)
        if role.node is None:
            roles.append(Fact(_SIDES[role.side], "none"))
        elif found is None:
            roles.append(Fact(_SIDES[role.side], f"node {role.node.index}, which is not there"))
        else:
            text = node_text(document.graphs[found.graph], found.row)
            roles.append(Fact(_SIDES[role.side], text, found))
    return sections(
        Section(
            "Saved optimization",
            (
                Fact("Optimizer", record.optimizer, mono=True),
                Fact("Action", record.action, mono=True),
                Fact("Graph", saved.graph, mono=True),
                place(record.offset),
            ),
            saved.text,
        ),
        Section("On loading", (Fact("Replayed", _REPLAYS[saved.replays]),), saved.why + "."),
        Section("Nodes", tuple(roles)),
        Section("Makes", tuple(Fact("Operator", op, mono=True) for op in record.produced_op_ids)),
    )
