"""Our reader of `.onnx` against the `onnx` package, on many nodes and on large weights."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import onnx

from ortstudio.format.source import Source
from ortstudio.model.onnx_reader import read_onnx
from tests.bench.measure import Claim, calls_in_turns
from tests.bench.models import node_heavy, weight_heavy

NODES = 50_000
WEIGHTS_MB = 100
ROUNDS = 5


def claims() -> Iterator[Claim]:
    """The same questions to both; then merely opening, where onnx reads every weight."""
    path = node_heavy(NODES, ".onnx")
    ours, theirs, load = _medians(
        lambda: read_onnx(Source.open(path)),
        lambda: _rows(onnx.load(path)),
        lambda: onnx.load(path),
    )
    text = f"reading the nodes, attributes, values and types of {NODES:,} nodes"
    detail = f"{ours:.2f} s against {theirs:.2f} s, of which {load:.2f} s is parsing"
    yield Claim(text, theirs / ours, 2, at_most=False, detail=detail)

    path = weight_heavy(WEIGHTS_MB, ".onnx")
    ours, theirs = _medians(lambda: read_onnx(Source.open(path)), lambda: _rows(onnx.load(path)))
    detail = f"{ours * 1e3:.1f} ms against {theirs * 1e3:.0f} ms"
    yield Claim(f"opening {WEIGHTS_MB} MB", theirs / ours, 5, at_most=False, detail=detail)


def _medians(*calls: Callable[[], object]) -> list[float]:
    times = calls_in_turns({str(i): call for i, call in enumerate(calls)}, ROUNDS)
    return [statistics.median(found) for found in times.values()]


def _rows(model: onnx.ModelProto) -> tuple[list[object], list[object]]:
    """What our columns hold, out of the package's objects."""
    graph = model.graph
    nodes: list[object] = [
        (
            node.name,
            node.domain,
            node.op_type,
            list(node.input),
            list(node.output),
            {found.name: onnx.helper.get_attribute_value(found) for found in node.attribute},
        )
        for node in graph.node
    ]
    values: list[object] = [
        (
            value.name,
            value.type.tensor_type.elem_type,
            [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim],
        )
        for value in [*graph.input, *graph.output, *graph.value_info]
    ]
    values += [(found.name, found.data_type, list(found.dims)) for found in graph.initializer]
    return nodes, values
