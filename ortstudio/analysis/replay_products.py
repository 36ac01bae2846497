"""The operators and types that a replay of saved runtime optimizations would bring into a model.

What the runtime makes of them afterwards for the sake of the layout is left out: an extended
minimal build always has those kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.kernel_types import tracked
from ortstudio.analysis.nodes import NodeRef, Operator
from ortstudio.analysis.replay_actions import action_of
from ortstudio.analysis.required_types import Types, types_of
from ortstudio.analysis.resolver import parse_op_id
from ortstudio.model.graph import Graph, onnx_domain
from ortstudio.model.model import Model, OptimizationRecord

_QUANTIZED_MATMUL = Operator("", "QLinearMatMul", 10)
_MATMUL_TO_FLOAT = Operator("com.microsoft", "MatMulIntegerToFloat", 1)


@dataclass(frozen=True, slots=True)
class Product:
    """An operator that replay makes, or one of the file that it makes work on quantized data.

    `target` is the node that it stands for; `types` is None where a build keeps all.
    """

    operator: Operator
    types: Types | None
    target: NodeRef


def products(model: Model) -> Iterator[Product]:
    """What the records of all graphs make, of those whose nodes the file holds."""
    if model.ort is None:
        return
    for graph, ort_graph in zip(model.graphs, model.ort.graphs, strict=True):
        for record in ort_graph.runtime_optimizations:
            if record.target in graph.nodes.rows_by_index:
                yield from _Record(record, graph, model.graphs).products()


@dataclass(frozen=True, slots=True)
class _Record:
    record: OptimizationRecord
    graph: Graph
    graphs: Sequence[Graph]

    def products(self) -> Iterator[Product]:
        target = self.record.target
        assert target is not None
        row = self.graph.nodes.rows_by_index[target]
        name = NodeRef(self.graph.path, target)
        for operator in self._made():
            yield Product(operator, self._types_made(operator), name)
        if self._edits():
            nodes = self.graph.nodes
            domain, since = nodes.domains[row], int(nodes.since_versions[row])
            operator = Operator(onnx_domain(domain), nodes.op_types[row], since)
            types = types_of(operator, [row], self.graph, self.graphs, instead=self._instead())
            yield Product(operator, types, name)

    def _made(self) -> list[Operator]:
        """The operators that the record names, or should: of a MatMul it says nothing."""
        record = self.record
        stated = [parse_op_id(op) for op in record.produced_op_ids]
        if not stated and record.action == "MatMul" and self._is_quantizing():
            ends = self._rows(record.nodes[record.target_position + 1 :])
            return [_QUANTIZED_MATMUL if ends else _MATMUL_TO_FLOAT]
        return [operator for operator in stated if operator is not None]

    def _is_quantizing(self) -> bool:
        return action_of(self.record.optimizer, "drop") is not None

    def _edits(self) -> bool:
        """Whether the target itself is left, to work on what is quantized."""
        return self._is_quantizing() and self.record.action.startswith("drop")

    def _types_made(self, operator: Operator) -> Types | None:
        """By the first of the values that are dequantized: all such operators take its type."""
        if tracked(operator.domain, operator.op_type) is None:
            return None
        ends = self._rows(self.record.nodes[: self.record.target_position])
        return types_of(operator, ends[:1], self.graph, self.graphs) if ends else None

    def _instead(self) -> dict[int, int]:
        """Quantized values, by the values that they are dequantized to or quantized from."""
        nodes, place = self.graph.nodes, self.record.target_position
        found = {}
        for row in self._rows(self.record.nodes[:place]):
            found[int(nodes.outputs.row(row)[0])] = int(nodes.inputs.row(row)[0])
        for row in self._rows(self.record.nodes[place + 1 :]):
            found[int(nodes.inputs.row(row)[0])] = int(nodes.outputs.row(row)[0])
        return found

    def _rows(self, indices: Sequence[int]) -> list[int]:
        """The rows of those nodes that there are, none without an input and an output."""
        nodes = self.graph.nodes
        rows = [nodes.rows_by_index[index] for index in indices if index in nodes.rows_by_index]
        return [row for row in rows if len(nodes.inputs.row(row)) and len(nodes.outputs.row(row))]
