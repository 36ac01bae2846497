"""Which nodes use a constant, and which rows of a comparison these stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.constants import Constant
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.analysis.words import listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model


class Use(NamedTuple):
    """A node that reads a value: its graph, its row there, and as which input (-1: implicitly)."""

    graph: Graph
    row: int
    position: int

    @property
    def ref(self) -> NodeRef:
        """What names the node."""
        return NodeRef(self.graph.path, int(self.graph.nodes.indices[self.row]))

    @property
    def op_type(self) -> str:
        """The operator."""
        return self.graph.nodes.op_types[self.row]


def uses(graph: Graph, name: str) -> Iterator[Use]:
    """Who reads the value of that name in its own graph; reading it further inside is implicit."""
    value = graph.values.ids.get(name, -1)
    if value < 0:
        return
    for row in graph.consumers.row(value).tolist():
        inputs = graph.nodes.inputs.row(row).tolist()
        yield Use(graph, row, inputs.index(value) if value in inputs else -1)


class Uses:
    """Who uses the constants of one model, and the row that each of its nodes stands in."""

    def __init__(
        self, model: Model, rows: Sequence[NodeRow], refs: Sequence[Sequence[NodeRef]]
    ) -> None:
        self.model = model
        self.rows = rows
        self.graphs = {graph.path: graph for graph in reversed(model.graphs)}
        self._refs = refs

    @cached_property
    def _of_node(self) -> dict[NodeRef, int]:
        return {ref: i for i, row in enumerate(self._refs) for ref in row}

    def places(self, constant: Constant) -> list[tuple[int, Use]]:
        """The numbers of the rows that use it, each with the user."""
        found = [(self._of_node.get(use.ref, -1), use) for use in self.uses(constant)]
        return [(number, use) for number, use in found if number >= 0]

    def uses(self, constant: Constant) -> list[Use]:
        """Who reads it."""
        return list(uses(constant.graph, constant.name))

    def row_of(self, ref: NodeRef) -> NodeRow | None:
        """The row that a node stands in."""
        number = self._of_node.get(ref)
        return None if number is None else self.rows[number]

    def locate(self, ref: NodeRef) -> tuple[Graph, int]:
        """The graph of a node and its row there."""
        graph = self.graphs[ref.graph]
        return graph, graph.nodes.rows_by_index[ref.index]

    def words(self, refs: Sequence[NodeRef]) -> str:
        """Nodes in words, of many the first few."""
        return listed([node_text(*self.locate(ref)) for ref in refs], 3) or "it"
