"""What a script reads from an `.ort` with the runtime's own bindings, written to be quick.

Run by path it prints what `inspect --json` says of the same file, as far as the bindings know it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import onnxruntime.tools.ort_format_model  # noqa: F401  (puts the bindings on sys.path)
from ort_flatbuffers_py.fbs.InferenceSession import InferenceSession
from ort_flatbuffers_py.fbs.TensorTypeAndShape import TensorTypeAndShape

Table: TypeAlias = Any
"""An object of the bindings, which have no types."""
Row = tuple[object, ...]
Dims = tuple[int | str | None, ...]


def open_graph(content: bytes) -> Table:
    """The main graph."""
    return InferenceSession.GetRootAsInferenceSession(content, 0).Model().Graph()


def read_nodes(graph: Table) -> list[Row]:
    """Name, domain, operator, version, inputs, outputs and attributes of every node."""
    rows: list[Row] = []
    for i in range(graph.NodesLength()):
        node = graph.Nodes(i)
        rows.append(
            (
                _text(node.Name()),
                _text(node.Domain()),
                _text(node.OpType()),
                node.SinceVersion(),
                [_text(node.Inputs(k)) for k in range(node.InputsLength())],
                [_text(node.Outputs(k)) for k in range(node.OutputsLength())],
                dict(_attribute(node.Attributes(k)) for k in range(node.AttributesLength())),
            )
        )
    return rows


def read_values(graph: Table) -> list[tuple[str, int, Dims]]:
    """Name, element type and shape of every value; all are tensors in the benchmark's models."""
    rows: list[tuple[str, int, Dims]] = []
    for i in range(graph.NodeArgsLength()):
        value = graph.NodeArgs(i)
        union = value.Type().Value()
        kind = TensorTypeAndShape()
        kind.Init(union.Bytes, union.Pos)
        shape = kind.Shape()
        dims = () if shape is None else tuple(_dim(shape.Dim(k)) for k in range(shape.DimLength()))
        rows.append((_text(value.Name()), kind.ElemType(), dims))
    return rows


def _text(raw: bytes | None) -> str:
    return raw.decode() if raw else ""


def _dim(dim: Table) -> int | str | None:
    value = dim.Value()
    kind = value.DimType()
    if kind == 1:
        return int(value.DimValue())
    return _text(value.DimParam()) if kind == 2 else None


def _attribute(attribute: Table) -> tuple[str, object]:
    kind = attribute.Type()
    if kind == 1:
        value: object = attribute.F()
    elif kind == 2:
        value = attribute.I()
    elif kind == 3:
        value = attribute.S()
    elif kind == 6:
        value = [attribute.Floats(k) for k in range(attribute.FloatsLength())]
    else:
        value = [attribute.Ints(k) for k in range(attribute.IntsLength())]
    return _text(attribute.Name()), value


def answer(path: str) -> dict[str, object]:
    """Counts, types and bytes, as `inspect --json` gives them."""
    content = Path(path).read_bytes()
    session = InferenceSession.GetRootAsInferenceSession(content, 0)
    graph = session.Model().Graph()
    nodes, values = read_nodes(graph), read_values(graph)
    tensors = [graph.Initializers(i) for i in range(graph.InitializersLength())]
    types = {name: [elem_type, list(dims)] for name, elem_type, dims in values}
    ends = {
        "inputs": [_text(graph.Inputs(i)) for i in range(graph.InputsLength())],
        "outputs": [_text(graph.Outputs(i)) for i in range(graph.OutputsLength())],
    }
    sizes: Counter[int] = Counter()
    for tensor in tensors:
        sizes[tensor.DataType()] += tensor.RawDataLength()
    return {
        "format_version": _text(session.OrtVersion()),
        "nodes": len(nodes),
        "ops": Counter(row[2] for row in nodes),
        "values": len(values),
        **{side: [[name, types.get(name)] for name in names] for side, names in ends.items()},
        "initializers": len(tensors),
        "bytes_by_type": sizes,
    }


if __name__ == "__main__":
    print(json.dumps(answer(sys.argv[1])))
