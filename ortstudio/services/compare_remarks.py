"""Why two models that agree as they are stored differ once they are loaded."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.words import listed
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services.sessions import Level

_ZERO_POINT = 2
"""The place of it among the inputs of QuantizeLinear, QLinearConv and others."""


def at_load(level: Level, a: Model, b: Model) -> Iterator[str]:
    """What is to be said of outputs that agree at level disable only."""
    yield (
        "At level disable the outputs agree: they differ for what ONNX Runtime does at load, at"
        f" level {level.value}"
    )
    for (one, saved), (other, quantized) in ((("A", a), ("B", b)), (("B", b), ("A", a))):
        ops = dict.fromkeys(op for op in _on_int8(saved) if op.startswith("QLinear"))
        if ops and "QuantizeLinear" in _on_int8(quantized):
            yield (
                f"{one} computes on int8 ({listed(list(ops))}), as --target arm has it. Of the int8"
                f" in {other} ONNX Runtime makes uint8 at load, unless the processor is an ARM, and"
                " sums of such products may saturate"
            )


def _on_int8(model: Model) -> list[str]:
    """The operators, one for each node, whose zero point is an int8."""
    return [op for graph in model.graphs for op in _of_graph(graph)]


def _of_graph(graph: Graph) -> Iterator[str]:
    nodes, constants = graph.nodes, graph.initializers
    for row, op in enumerate(nodes.op_types):
        read = nodes.inputs.row(row).tolist()
        name = graph.values.names[read[_ZERO_POINT]] if len(read) > _ZERO_POINT else None
        constant = constants.rows.get(name) if name else None
        if constant is not None and constants.data_types[constant] == DataType.INT8:
            yield op
