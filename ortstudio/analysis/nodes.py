"""Nodes by what they are: the names that answers use for nodes, and nodes grouped by operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from ortstudio.model.graph import Graph, op_id, op_text
from ortstudio.model.model import Model


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


Users = list[tuple[int, int]]
"""The nodes of one operator: number of the graph, row in it."""


def by_operator(graphs: Sequence[Graph]) -> dict[Operator, Users]:
    """All nodes of the graphs by their operator, in the order of the file."""
    found: dict[tuple[str, str, int], Users] = {}
    for number, graph in enumerate(graphs):
        nodes = graph.nodes
        keys = zip(nodes.domains, nodes.op_types, nodes.since_versions.tolist(), strict=True)
        for key, place in zip(keys, zip(repeat(number), range(len(nodes))), strict=True):
            users = found.get(key)
            if users is None:
                found[key] = [place]
            else:
                users.append(place)
    return {Operator(*key): users for key, users in found.items()}


def refs(graphs: Sequence[Graph], users: Iterable[tuple[int, int]]) -> Iterator[NodeRef]:
    """The names of the nodes."""
    for number, row in users:
        graph = graphs[number]
        yield NodeRef(graph.path, int(graph.nodes.indices[row]))


def all_graphs(model: Model) -> tuple[Graph, ...]:
    """The model's graphs and those of its local functions."""
    functions = model.onnx.functions if model.onnx else ()
    return (*model.graphs, *(graph for function in functions for graph in function.graphs))


def node_text(graph: Graph, row: int) -> str:
    """`Conv 'conv1'`, or `Conv #3` for a node without a name."""
    nodes = graph.nodes
    name = nodes.names[row]
    return f"{nodes.ops[row]} {name!r}" if name else f"{nodes.ops[row]} #{nodes.indices[row]}"
