"""Which outputs of a model come out of a quantizer, and how far apart its values are."""

from __future__ import annotations

import numpy as np

from ortstudio.errors import StudioError
from ortstudio.model.elements import open_elements
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.tensor import Tensor

_QUANTIZERS = frozenset({"QuantizeLinear", "DynamicQuantizeLinear", "QGemm"})
_MOVERS = frozenset(
    {
        *("Identity", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Split"),
        *("Concat", "Expand", "Tile", "DepthToSpace", "SpaceToDepth", "MaxPool", "Relu", "Cast"),
    }
)
"""Operators that move values, leave some out, or write them in another type."""


def output_steps(model: Model) -> dict[str, float]:
    """Output → quantization step, for the outputs of the main graph that have one.

    It is 1 for integers, the scale for floats behind a DequantizeLinear.
    """
    graph, found = model.main, {}
    for value in graph.outputs.tolist():
        step = _step(model, graph, value)
        if step:
            found[graph.values.names[value]] = step
    return found


def _step(model: Model, graph: Graph, value: int) -> float:
    """The greatest step of the quantizers that the value comes from, 0 where there is none."""
    greatest, seen, pending = 0.0, set[int](), [(value, 1.0)]
    while pending:
        value, step = pending.pop()
        row = int(graph.producers[value]) if value >= 0 else -1
        if row < 0 or row in seen:
            continue
        seen.add(row)
        op, inputs = graph.nodes.op_types[row], graph.nodes.inputs.row(row).tolist()
        if op in _QUANTIZERS or op.startswith("QLinear"):
            greatest = max(greatest, step)
        elif op in _MOVERS:
            pending += [(i, step) for i in (inputs if op == "Concat" else inputs[:1])]
        elif op == "DequantizeLinear" and len(inputs) > 1:
            pending.append((inputs[0], step * _greatest(model, graph, inputs[1])))
    return greatest


def _greatest(model: Model, graph: Graph, value: int) -> float:
    """The greatest scale where it is a constant, else 0."""
    tensor = constant(graph, value)
    if tensor is None:
        return 0.0
    try:
        scales = open_elements(model.source, tensor).array().astype(np.float64)
    except StudioError:
        return 0.0
    return float(np.max(np.abs(scales), initial=0.0))


def constant(graph: Graph, value: int) -> Tensor | None:
    """The tensor that a value is, of an initializer or a `Constant` node; None where it is none."""
    row = graph.initializers.rows.get(graph.values.names[value])
    if row is not None:
        return graph.initializers[row]
    node = int(graph.producers[value])
    if node >= 0 and graph.nodes.op_types[node] == "Constant":
        held = graph.nodes.attribute_values(node).get("value")
        return held if isinstance(held, Tensor) else None
    return None
