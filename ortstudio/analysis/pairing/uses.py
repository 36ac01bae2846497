"""Which nodes use a constant, and which rows of a comparison these stand in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.constants import Constant
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.analysis.words import listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model


class Use(NamedTuple):
    """A node that reads a value of its graph: the node's row, and the value."""

    graph: Graph
    row: int
    value: int

    @property
    def position(self) -> int:
        """As which input it reads the value; -1 for one that only its subgraphs read."""
        inputs = self.graph.nodes.inputs.row(self.row).tolist()
        return inputs.index(self.value) if self.value in inputs else -1

    @property
    def op_type(self) -> str:
        """The operator."""
        return self.graph.nodes.op_types[self.row]


class Uses:
    """Who uses the constants of one model, and the row that each of its nodes stands in."""

    def __init__(
        self, model: Model, rows: Sequence[NodeRow], refs: Sequence[Sequence[NodeRef]]
    ) -> None:
        self.model = model
        self.rows = rows
        self.graphs = {graph.path: graph for graph in reversed(model.graphs)}
        self._refs = refs
        self._consumers: dict[Graph, list[list[int]]] = {}

    @cached_property
    def _numbers(self) -> dict[str, dict[int, int]]:
        """The number of the row of each node: graph's path → `Node.index` → number."""
        found: dict[str, dict[int, int]] = {path: {} for path in self.graphs}
        for number, row in enumerate(self._refs):
            for ref in row:
                found[ref.graph][ref.index] = number
        return found

    def places(self, constant: Constant) -> list[tuple[int, Use]]:
        """The numbers of the rows that use it, each with the user."""
        numbers = self._numbers[constant.graph.path]
        indices = constant.graph.nodes.indices
        found = [(numbers.get(int(indices[use.row]), -1), use) for use in self.uses(constant)]
        return [(number, use) for number, use in found if number >= 0]

    def uses(self, constant: Constant) -> list[Use]:
        """Who reads it. Of reading further inside, the node that holds the subgraph."""
        graph = constant.graph
        value = graph.values.ids.get(constant.name, -1)
        if value < 0:
            return []
        if graph not in self._consumers:
            self._consumers[graph] = graph.consumers.lists()
        return [Use(graph, row, value) for row in self._consumers[graph][value]]

    def row_of(self, ref: NodeRef) -> NodeRow | None:
        """The row that a node stands in."""
        number = self._numbers[ref.graph].get(ref.index)
        return None if number is None else self.rows[number]

    def locate(self, ref: NodeRef) -> tuple[Graph, int]:
        """The graph of a node and its row there."""
        graph = self.graphs[ref.graph]
        return graph, graph.nodes.rows_by_index[ref.index]

    def words(self, refs: Sequence[NodeRef]) -> str:
        """Nodes in words, of many the first few."""
        return listed([node_text(*self.locate(ref)) for ref in refs], 3) or "it"
