"""Which nodes XNNPACK would take, by rules of ours.

They follow the list of operators that the documentation of ONNX Runtime's XNNPACK execution
provider gives, and the conditions of its source: two-dimensional convolutions and pools whose
channels and sizes are known, constant weights, floats or 8 bits with one sign throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ortstudio.analysis.accelerators import (
    Accelerator,
    Cause,
    Estimate,
    NotTaken,
    estimate,
    is_fixed,
    pieces,
)
from ortstudio.analysis.checks.order import running_order
from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.quantized_nodes import DEQUANTIZE, QUANTIZE, NodeView
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.types import DataType, data_type_text

BASIS = "rules of ORT Studio, after the documented list of operators"


class Left(NamedTuple):
    """Why a node is not taken."""

    cause: Cause
    why: str


def xnnpack_estimate(model: Model, *, sizes_fixed: bool = False) -> Estimate:
    """What XNNPACK would take; with `sizes_fixed` as if every size were known before a run."""
    graph = model.main
    left = _left(graph, sizes_fixed)
    nodes = graph.nodes
    rows = [
        NotTaken(NodeRef(graph.path, int(nodes.indices[row])), nodes.ops[row], *why)
        for row, why in left.items()
    ]
    found = pieces(graph, [row not in left for row in range(len(nodes))])
    return estimate(model, Accelerator.XNNPACK, found, rows, (), BASIS)


def _left(graph: Graph, sizes_fixed: bool) -> dict[int, Left]:
    """The rows that are not taken, in the order of the file, and why."""
    view, taken, why = _Nodes(graph, sizes_fixed), set[int](), dict[int, Left]()
    for row in running_order(graph):
        found = _judged(view, row, taken)
        if found is None:
            taken |= {row, *view.around(row)}
        else:
            why[row] = found
    waiting = Left(Cause.LIMIT, "It waits for its own result")
    return {row: why.get(row, waiting) for row in range(len(graph.nodes)) if row not in taken}


class _Nodes(NodeView):
    """The nodes of a graph, and whether its sizes count as known."""

    def __init__(self, graph: Graph, sizes_fixed: bool) -> None:
        super().__init__(graph)
        self.sizes_fixed = sizes_fixed


Rule = Callable[[_Nodes, int], Left | None]


def _judged(nodes: _Nodes, row: int, taken: set[int]) -> Left | None:
    """Why a node is not taken; None where it is."""
    op = nodes.op(row)
    if op in ("Relu", "Clip"):
        return _activation(nodes, row, taken)
    if op in (QUANTIZE, DEQUANTIZE):
        return Left(Cause.OPERATOR, "It belongs to no operator that XNNPACK takes quantized")
    rule = _RULES.get(op)
    if rule is None:
        return Left(Cause.OPERATOR, f"XNNPACK has no {op}")
    return rule(nodes, row) or _types(nodes, row)


def _limit(why: str) -> Left:
    return Left(Cause.LIMIT, why)


def _types(nodes: _Nodes, row: int) -> Left | None:
    """Floats, or 8 bits all signed or all unsigned."""
    found, eight = nodes.data_types(row), {DataType.UINT8, DataType.INT8}
    quantized = nodes.is_quantized(row)
    if found <= {DataType.FLOAT} or (quantized and len(found) == 1 and found <= eight):
        return None
    names = " and ".join(sorted(map(data_type_text, found)))
    if quantized and found <= eight:
        return _limit(f"Its data and weights are {names}: XNNPACK wants one sign for both")
    return _limit(f"It computes on {names}, XNNPACK on float or, quantized, on 8 bits")


def _activation(nodes: _Nodes, row: int, taken: set[int]) -> Left | None:
    """Taken with the float convolution or pool whose result it alone reads."""
    maker = nodes.maker(nodes.input(row, 0))
    if (
        maker not in taken
        or nodes.op(maker) not in ("Conv", "MaxPool", "AveragePool")
        or nodes.readers(maker) != [row]
    ):
        why = f"XNNPACK takes {nodes.op(row)} only as a part of the convolution or pool before it"
        return Left(Cause.OPERATOR, why)
    limits = [nodes.input(row, place) for place in (1, 2)]
    if any(value >= 0 and not nodes.is_initializer(value) for value in limits):
        return _limit("Its limits are no constants")
    return None


def _window(nodes: _Nodes, row: int, since: int) -> Left | None:
    """What convolutions and pools have in common: an image of known size, and how it is padded."""
    if 0 < nodes.since(row) < since:
        return _limit(f"It is of a version of {nodes.op(row)} before {since}")
    if nodes.attributes(row).get("auto_pad") == b"SAME_LOWER":
        return _limit("It pads SAME_LOWER")
    dims = nodes.dims(nodes.input(row, 0))
    if dims is None:
        return Left(Cause.DYNAMIC, "The shape of its input is not known")
    if len(dims) != 4:
        return Left(Cause.RANK, f"Its input has {len(dims)} dimensions, not the 4 of an image")
    if not nodes.sizes_fixed and not all(map(is_fixed, dims[1:])):
        return Left(Cause.DYNAMIC, "Channels, height or width of its input are not fixed")
    return None


def _convolution(nodes: _Nodes, row: int) -> Left | None:
    op = nodes.op(row)
    weights, bias = (3, 8) if "QLinear" in op else (1, 2)
    if not nodes.is_constant(row, weights):
        return _limit("Its weights are no constant")
    if nodes.input(row, bias) >= 0 and not nodes.is_constant(row, bias):
        return _limit("Its bias is no constant")
    return _window(nodes, row, 1 if "QLinear" in op else 11)


def _pool(nodes: _Nodes, row: int) -> Left | None:
    attributes = nodes.attributes(row)
    if attributes.get("ceil_mode"):
        return _limit("It rounds sizes up")
    if attributes.get("kernel_shape") == (1, 1):
        return _limit("Its window is a single element")
    if len(nodes.outputs(row)) > 1:
        return _limit("It gives indices too")
    if nodes.op(row) == "AveragePool" and attributes.get("count_include_pad"):
        return _limit("It counts the padding in")
    return _window(nodes, row, 1 if "QLinear" in nodes.op(row) else 11)


def _softmax(nodes: _Nodes, row: int) -> Left | None:
    dims = nodes.dims(nodes.input(row, 0))
    if not dims:
        return Left(Cause.DYNAMIC, "The shape of its input is not known")
    since = nodes.since(row)
    axis = nodes.attributes(row).get("axis", -1 if since >= 13 else 1)
    if since >= 13 and axis not in (-1, len(dims) - 1):
        return _limit("It does not go along the last axis")
    if not nodes.sizes_fixed and not is_fixed(dims[-1]):
        return Left(Cause.DYNAMIC, "The size of its last axis is not fixed")
    return None


def _gemm(nodes: _Nodes, row: int) -> Left | None:
    attributes = nodes.attributes(row)
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
        return _limit("It scales its matrices")
    if nodes.input(row, 2) >= 0 and not nodes.is_constant(row, 2):
        return _limit("Its bias is no constant")
    return _product(nodes, row)


def _product(nodes: _Nodes, row: int) -> Left | None:
    """A matrix, or a batch of them, by a constant matrix."""
    if not nodes.is_constant(row, 1):
        return _limit("Its second matrix is no constant")
    dims, by = nodes.dims(nodes.input(row, 0)), nodes.dims(nodes.input(row, 1))
    if dims is None or by is None:
        return Left(Cause.DYNAMIC, "The shapes of its inputs are not known")
    if len(by) > 2 or len(dims) - len(by) not in (0, 1):
        return Left(Cause.RANK, f"It multiplies {len(dims)} dimensions by {len(by)}")
    return None


_POINTS = (b"asymmetric", b"half_pixel", b"align_corners", b"pytorch_half_pixel")


def _resize(nodes: _Nodes, row: int) -> Left | None:
    attributes, dims = nodes.attributes(row), nodes.dims(nodes.input(row, 0))
    if dims is None or len(dims) != 4:
        return Left(Cause.RANK, "Its input is not known to have 4 dimensions")
    if not nodes.sizes_fixed and not is_fixed(dims[1]):
        return Left(Cause.DYNAMIC, "The channels of its input are not fixed")
    if attributes.get("mode", b"nearest") != b"linear":
        return _limit("It is not linear")
    known = attributes.get("coordinate_transformation_mode", b"half_pixel") in _POINTS
    if not known or any(attributes.get(n) for n in ("antialias", "exclude_outside", "axes")):
        return _limit("It has an option that XNNPACK does not have")
    if not any(nodes.is_initializer(nodes.input(row, place)) for place in (1, 2, 3)):
        return _limit("Neither its scales nor its sizes are constants")
    return None


_RULES: dict[str, Rule] = {
    "Conv": _convolution,
    "ConvTranspose": _convolution,
    "QLinearConv": _convolution,
    "com.microsoft.QLinearConvTranspose": _convolution,
    "MaxPool": _pool,
    "AveragePool": _pool,
    "com.microsoft.QLinearAveragePool": _pool,
    "Softmax": _softmax,
    "com.microsoft.QLinearSoftmax": _softmax,
    "Gemm": _gemm,
    "MatMul": _product,
    "Resize": _resize,
}
