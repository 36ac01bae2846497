"""Rows of a comparison in few words: what happened alike is told once, with a count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.initializers import RECOMPUTED
from ortstudio.analysis.pairing.rows import ModelRow, NamedRow, NodeRow, RowKind
from ortstudio.analysis.words import listed
from ortstudio.model.graph import MAIN_PATH
from ortstudio.model.model import Model

Row = TypeVar("Row", NodeRow, NamedRow, ModelRow)

MOST_OPERATORS = 6
SHOWN_NAMES = 4
ARROW = " → "
SHOWN_CHARACTERS = 40
NOTHING = "nothing"

ORDER: tuple[RowKind, ...] = (
    "fused",
    "split",
    "changed",
    "folded",
    "inlined",
    "added",
    "removed",
    "kept",
)
"""Kinds, the most interesting first."""


@dataclass(frozen=True, slots=True)
class Group(Generic[Row]):
    """Rows of one kind that say the same."""

    rows: tuple[Row, ...]

    @property
    def first(self) -> Row:
        """The first of them."""
        return self.rows[0]


def grouped(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[Group[Row]]:
    """Rows of one kind and one key together: kinds in the order of interest, keys by count."""
    found: dict[tuple[RowKind, Hashable], list[Row]] = {}
    for row in rows:
        found.setdefault((row.kind, key(row)), []).append(row)
    groups = [Group(tuple(members)) for members in found.values()]
    return sorted(groups, key=lambda g: (ORDER.index(g.first.kind), -len(g.rows)))


class Nodes:
    """The nodes of one model in words."""

    def __init__(self, model: Model) -> None:
        self._graphs = {graph.path: graph for graph in model.graphs}

    def op(self, ref: NodeRef) -> str:
        """`Conv`, `com.microsoft.FusedConv`."""
        nodes = self._graphs[ref.graph].nodes
        return nodes.ops[nodes.rows_by_index[ref.index]]

    def label(self, ref: NodeRef) -> str:
        """The name, or the index where it has none; the graph too where that is a subgraph."""
        nodes = self._graphs[ref.graph].nodes
        name = nodes.names[nodes.rows_by_index[ref.index]] or f"#{ref.index}"
        return name if ref.graph == MAIN_PATH else f"{name} in {ref.graph}"

    def text(self, ref: NodeRef) -> str:
        """`Conv 'c'`, `Conv #3 in /if_0/then_branch`."""
        graph = self._graphs[ref.graph]
        text = node_text(graph, graph.nodes.rows_by_index[ref.index])
        return text if ref.graph == MAIN_PATH else f"{text} in {ref.graph}"


def node_key(row: NodeRow, a: Nodes, b: Nodes) -> Hashable:
    """What rows have in common that did the same to other nodes."""
    said = row.rewrite or row.reason
    return tuple(map(a.op, row.a)), tuple(map(b.op, row.b)), said, row.portability


def operators(refs: Sequence[NodeRef], nodes: Nodes) -> str:
    """`Conv + Relu`, `2 Add + Mul`; of many the first few."""
    found = Counter(map(nodes.op, refs))
    texts = [op if number == 1 else f"{number} {op}" for op, number in found.items()]
    if len(texts) > MOST_OPERATORS:
        texts[MOST_OPERATORS:] = [f"{len(texts) - MOST_OPERATORS} more"]
    return " + ".join(texts) or NOTHING


def what_became(group: Group[NodeRow], a: Nodes, b: Nodes) -> str:
    """`Conv + Relu → com.microsoft.FusedConv`, or one side where there is no other."""
    row = group.first
    sides = [operators(refs, nodes) for refs, nodes in ((row.a, a), (row.b, b)) if refs]
    return sides[0] if len(set(sides)) == 1 else ARROW.join(sides)


def names_of(group: Group[NodeRow], a: Nodes, b: Nodes) -> str:
    """Whose it is: of one row all nodes, of several what each became, or was."""
    if len(group.rows) == 1:
        row = group.first
        sides = [listed([n.label(r) for r in refs], 12) for refs, n in ((row.a, a), (row.b, b))]
        texts = [text for text in sides if text]
        return texts[0] if len(set(texts)) == 1 else ARROW.join(texts)
    labels = [b.label(row.b[0]) if row.b else a.label(row.a[0]) for row in group.rows]
    return listed(labels, SHOWN_NAMES)


def counts_text(counts: Mapping[str, int]) -> str:
    """`31 fused, 12 folded, 45 kept`."""
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in ORDER if counts[kind]) or "none"


def named_text(row: NamedRow) -> str:
    """`w`, `w → v`, with the graph where that is a subgraph."""
    texts = [
        end.name if end.graph == MAIN_PATH else f"{end.name} in {end.graph}"
        for end in (row.a, row.b)
        if end is not None
    ]
    return texts[0] if len(set(texts)) == 1 else ARROW.join(texts)


_NODE_NAME = re.compile(r" ('[^']*'|#\d+)")
_SIZE = re.compile(r"( \([\d.,]+ \w+\)|: [\d.,]+ \w+ that the source had not)$")


def gist(reason: str) -> str:
    """A reason without the names of nodes and without sizes: what several have in common."""
    text = _SIZE.sub("", _NODE_NAME.sub("", reason))
    return text.partition(":")[0] if text.startswith(RECOMPUTED) else text


def fact_text(row: ModelRow) -> str:
    """The fact, with its value where only one side has it."""
    if row.kind in ("added", "removed") and len(row.a + row.b) <= SHOWN_CHARACTERS:
        return f"{row.name} ({row.a or row.b})"
    return row.name
