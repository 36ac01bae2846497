"""One graph looked at node by node, with what stands quantized around each."""

from __future__ import annotations

from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.types import DataType, Dim, TensorType, data_type_text

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"

_DATA_INPUTS = {"Conv": 2, "ConvTranspose": 2, "Gemm": 2, "MatMul": 2}
"""How many inputs hold data or weights, where that is not one."""


class NodeView:
    """Answers about the nodes of a graph, by row."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes = graph.nodes
        self._inputs = graph.nodes.inputs.lists()
        self._outputs = graph.nodes.outputs.lists()
        self._makers = graph.producers.tolist()
        self._initializers = graph.initializers.rows
        self._sparse = {sparse.values.name for sparse in graph.sparse_initializers}

    def op(self, row: int) -> str:
        """`Conv`, `com.microsoft.QLinearAveragePool`."""
        return self.nodes.ops[row]

    def since(self, row: int) -> int:
        """The version of the operator; 0 where it is not known."""
        return int(self.nodes.since_versions[row])

    def input(self, row: int, place: int) -> int:
        """The id of an input; -1 where it is left out."""
        inputs = self._inputs[row]
        return inputs[place] if place < len(inputs) else -1

    def inputs(self, row: int) -> list[int]:
        """The ids of all inputs, -1 for what is left out."""
        return self._inputs[row]

    def outputs(self, row: int) -> list[int]:
        """The ids of the outputs that are made."""
        return [value for value in self._outputs[row] if value >= 0]

    def maker(self, value: int) -> int:
        """The row of the node that makes a value; -1 where none does."""
        return self._makers[value] if value >= 0 else -1

    def readers(self, row: int) -> list[int]:
        """The rows that read what a node makes, and -1 where it leaves the graph."""
        made = self.outputs(row)
        leaving = [-1 for value in self.graph.outputs.tolist() if value in made]
        return [r for value in made for r in self.graph.consumers.row(value).tolist()] + leaving

    def attributes(self, row: int) -> dict[str, object]:
        """Name → value."""
        return dict(self.nodes.attribute_values(row))

    def type_of(self, value: int) -> TensorType | None:
        """The type of a value that is a tensor. An initializer's shape is its own."""
        if value < 0:
            return None
        row = self._initializers.get(self.graph.values.names[value])
        if row is not None:
            tensor = self.graph.initializers[row]
            return TensorType(tensor.data_type, tensor.dims)
        of = self.graph.values.types[value]
        return of if isinstance(of, TensorType) else None

    def dims(self, value: int) -> tuple[Dim, ...] | None:
        """The shape of a value; None where not even the rank is known."""
        of = self.type_of(value)
        return None if of is None else of.dims

    def is_initializer(self, value: int) -> bool:
        """Whether a value is a constant of the graph."""
        name = self.graph.values.names[value] if value >= 0 else ""
        return name in self._initializers or name in self._sparse

    def is_constant(self, row: int, place: int) -> bool:
        """Whether an input is a constant; of a quantized node also one that is dequantized."""
        value = self.input(row, place)
        maker = self.maker(value)
        if maker >= 0 and self.op(maker) == DEQUANTIZE and self.around(row):
            value = self.input(maker, 0)
        return self.is_initializer(value)

    def around(self, row: int) -> list[int]:
        """The dequantizers before a node and the one quantizer behind it, where it has both."""
        before = [self.maker(value) for value in self._inputs[row]]
        before = [maker for maker in before if maker >= 0 and self.op(maker) == DEQUANTIZE]
        if not before:
            return []
        readers = self.readers(row)
        if len(readers) != 1 or readers[0] < 0 or self.op(readers[0]) != QUANTIZE:
            return []
        return [*before, *readers]

    def is_quantized(self, row: int) -> bool:
        """Whether a node computes on quantized numbers, alone or with what stands around it."""
        return "QLinear" in self.op(row) or bool(self.around(row))

    def data_types(self, row: int) -> set[int]:
        """Element types of data, weights and result: quantized, those of the numbers held."""
        around, op = self.around(row), self.op(row)
        count = _DATA_INPUTS.get(op, 1)
        if around:
            values = [self.input(maker, 0) for maker in around[:-1]][:count]
            values += self.outputs(around[-1])
        elif "QLinear" in op:
            places = (0, 3) if "Conv" in op else (0,)
            values = [*(self.input(row, place) for place in places), *self.outputs(row)]
        else:
            values = self._inputs[row][:count]
        return {of.elem_type for of in map(self.type_of, values) if of is not None}


def quantized_types(model: Model) -> frozenset[str]:
    """The element types of 8 and 16 bits that activations are quantized to.

    Where a value states none, the zero point has it too.
    """
    found: set[int] = set()
    for graph in model.graphs:
        view = NodeView(graph)
        for row, op in enumerate(graph.nodes.op_types):
            if op == QUANTIZE or op.startswith("QLinear"):
                values = [*view.outputs(row), view.input(row, 2)] if op == QUANTIZE else []
                types = map(view.type_of, values or view.outputs(row))
                found |= {of.elem_type for of in types if of is not None}
    return frozenset(data_type_text(kind) for kind in found & _QUANTIZED)


_QUANTIZED = {DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16}
