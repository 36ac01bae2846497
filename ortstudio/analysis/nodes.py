"""Nodes by what they are: the names that answers use for nodes, and nodes grouped by operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ortstudio.format.arrays import Ints, ints
from ortstudio.model.graph import Graph, op_id, op_text


@dataclass(frozen=True, slots=True, order=True)
class NodeRef:
    """What names a node everywhere: its graph's path and its index."""

    graph: str
    index: int


class Operator(NamedTuple):
    """One version of one operator."""

    domain: str
    op_type: str
    since_version: int

    @property
    def op_id(self) -> str:
        """`domain:op_type:since_version`."""
        return op_id(*self)

    @property
    def text(self) -> str:
        """`Conv`, or `com.microsoft.FusedConv` outside the ONNX domain."""
        return op_text(self.domain, self.op_type)


@dataclass(frozen=True, slots=True, eq=False)
class Users:
    """The nodes of one operator: their rows, in each graph that has any."""

    rows: tuple[tuple[Graph, Ints], ...]

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self.rows)

    def refs(self) -> Iterator[NodeRef]:
        """The names of the nodes, in the order of the file."""
        for graph, rows in self.rows:
            for index in graph.nodes.indices[rows].tolist():
                yield NodeRef(graph.path, index)


def by_operator(graphs: Sequence[Graph]) -> dict[Operator, Users]:
    """All nodes of the graphs by their operator."""
    found: dict[Operator, list[tuple[Graph, Ints]]] = {}
    for graph in graphs:
        nodes = graph.nodes
        codes: dict[tuple[str, str, int], int] = {}
        keys = zip(nodes.domains, nodes.op_types, nodes.since_versions.tolist(), strict=True)
        of_row = ints([codes.setdefault(key, len(codes)) for key in keys])
        order = np.argsort(of_row, kind="stable")
        ends = np.searchsorted(of_row[order], np.arange(len(codes) + 1))
        for key, code in codes.items():
            found.setdefault(Operator(*key), []).append((graph, order[ends[code] : ends[code + 1]]))
    return {operator: Users(tuple(rows)) for operator, rows in found.items()}


def node_text(graph: Graph, row: int) -> str:
    """`Conv 'conv1'`, or `Conv #3` for a node without a name."""
    nodes = graph.nodes
    name = nodes.names[row]
    return f"{nodes.ops[row]} {name!r}" if name else f"{nodes.ops[row]} #{nodes.indices[row]}"
