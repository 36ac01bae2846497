"""Our view of an ONNX model in the plain form of the oracle, to compare the two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ortstudio.format.onnx_messages import TensorProto
from ortstudio.format.protowire import decode_varints
from ortstudio.format.source import Source
from ortstudio.model.graph import Function, Graph, GraphRef
from ortstudio.model.model import Model
from ortstudio.model.tensor import ExternalData, Span, SparseTensor, StringData, Tensor, TypedData
from ortstudio.model.types import (
    MapType,
    OpaqueType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)

Plain = dict[str, Any]


def model(m: Model, expected: Plain) -> Plain:
    """`expected` says which values are declared: we know types of others too."""
    assert m.onnx is not None
    return {
        "ir_version": m.ir_version,
        "opset_imports": [(o.domain, o.version) for o in m.opset_imports],
        "producer_name": m.producer_name,
        "producer_version": m.producer_version,
        "domain": m.domain,
        "model_version": m.model_version,
        "doc_string": m.doc_string,
        "metadata": m.metadata,
        "graph": graph(m.source, m.graphs, m.main, expected["graph"]),
        "functions": [
            function(m.source, f, plain)
            for f, plain in zip(m.onnx.functions, expected["functions"], strict=True)
        ],
        "has_training_info": m.onnx.has_training_info,
    }


def graph(source: Source, graphs: tuple[Graph, ...], g: Graph, expected: Plain) -> Plain:
    return {
        "name": g.name,
        "doc_string": g.doc_string,
        "inputs": g.value_names(g.inputs.tolist()),
        "outputs": g.value_names(g.outputs.tolist()),
        "values": values(g, expected["values"]),
        "initializers": [tensor(source, t) for t in g.initializers],
        "sparse_initializers": [sparse(source, t) for t in g.sparse_initializers],
        "metadata": g.metadata,
        "nodes": nodes(source, graphs, g, expected["nodes"]),
    }


def function(source: Source, f: Function, expected: Plain) -> Plain:
    body = graph(source, f.graphs, f.body, expected)
    defaults = {name: plain(source, value) for name, value in f.attribute_defaults.items()}
    return {
        "domain": f.domain,
        "name": f.name,
        "overload": f.overload,
        "doc_string": f.doc_string,
        "attributes": list(f.attributes),
        "attribute_defaults": defaults,
        "opset_imports": [(o.domain, o.version) for o in f.opset_imports],
        "inputs": body["inputs"],
        "outputs": body["outputs"],
        "values": body["values"],
        "metadata": body["metadata"],
        "nodes": body["nodes"],
    }


def values(g: Graph, names: Iterable[str]) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for name in names:
        i = g.values.ids[name]
        found[name] = {"type": type_text(g.values.types[i])}
        if i in g.values.doc_strings:
            found[name]["doc_string"] = g.values.doc_strings[i]
        if i in g.values.denotations:
            found[name]["denotation"] = g.values.denotations[i]
    return found


def nodes(
    source: Source, graphs: tuple[Graph, ...], g: Graph, expected: list[Plain]
) -> list[Plain]:
    n = g.nodes
    assert n.indices.tolist() == list(range(len(n)))
    return [
        {
            "name": n.names[i],
            "op_type": n.op_types[i],
            "domain": n.domains[i],
            "overload": n.overloads.get(i, ""),
            "doc_string": n.doc_strings.get(i, ""),
            "metadata": n.metadata.get(i, {}),
            "inputs": g.value_names(n.inputs.row(i).tolist()),
            "outputs": g.value_names(n.outputs.row(i).tolist()),
            "attributes": [
                attribute(source, graphs, g, row, plain_row)
                for row, plain_row in zip(
                    n.attribute_rows.row(i).tolist(), expected[i]["attributes"], strict=True
                )
            ],
        }
        for i in range(len(n))
    ]


def attribute(
    source: Source, graphs: tuple[Graph, ...], g: Graph, row: int, expected: Plain
) -> Plain:
    a = g.nodes.attributes
    value = a.value(row)
    if isinstance(value, GraphRef):
        held: object = graph(source, graphs, graphs[value.index], expected["value"])
    elif isinstance(value, tuple) and value and isinstance(value[0], GraphRef):
        held = [
            graph(source, graphs, graphs[ref.index], inner)
            for ref, inner in zip(value, expected["value"], strict=True)
        ]
    else:
        held = plain(source, value)
    reference = a.references.get(row, "")
    return {
        "name": a.names[row],
        "type": int(a.types[row]),
        "doc_string": a.doc_strings.get(row, ""),
        "reference": reference,
        "value": None if reference else held,
    }


def plain(source: Source, value: object) -> object:
    if isinstance(value, Tensor):
        return tensor(source, value)
    if isinstance(value, SparseTensor):
        return sparse(source, value)
    if isinstance(value, tuple):
        return [plain(source, item) for item in value]
    if isinstance(value, int | float | bytes) or value is None:
        return value
    assert isinstance(value, ValueType)
    return type_text(value)


def tensor(source: Source, t: Tensor) -> Plain:
    held: object = None
    if isinstance(t.data, ExternalData):
        held = ("external", external(t.data))
    elif isinstance(t.data, Span):
        held = ("raw", source.payload(*t.data))
    elif isinstance(t.data, StringData):
        held = ("strings", [source.payload(*span) for span in t.data.spans])
    elif isinstance(t.data, TypedData):
        held = ("typed", typed(source, t.data))
    return {
        "name": t.name,
        "data_type": t.data_type,
        "dims": list(t.dims),
        "doc_string": t.doc_string,
        "data": held,
    }


def external(data: ExternalData) -> Mapping[str, str]:
    said = {"location": data.location, "offset": str(data.offset), "length": str(data.length)}
    return said | ({"checksum": data.checksum} if data.checksum else {})


def typed(source: Source, data: TypedData) -> list[Any]:
    assert all(data.packed)
    content = np.frombuffer(b"".join(source.payload(*span) for span in data.spans), np.uint8)
    if data.field_number == TensorProto.FLOAT_DATA.number:
        return list(content.view("<f4").tolist())
    if data.field_number == TensorProto.DOUBLE_DATA.number:
        return list(content.view("<f8").tolist())
    varints, _, bad = decode_varints(content)
    assert not bad.any()
    unsigned = data.field_number == TensorProto.UINT64_DATA.number
    return list((varints if unsigned else varints.view(np.int64)).tolist())


def sparse(source: Source, t: SparseTensor) -> Plain:
    return {
        "values": tensor(source, t.values),
        "indices": tensor(source, t.indices),
        "dims": list(t.dims),
    }


def type_text(t: ValueType | None) -> str | None:
    if isinstance(t, TensorType | SparseTensorType):
        kind = "tensor_type" if isinstance(t, TensorType) else "sparse_tensor_type"
        shape = "" if t.dims is None else f"[{', '.join(map(repr, t.dims))}]"
        return f"{kind}:{t.elem_type}{shape}"
    if isinstance(t, SequenceType):
        return f"sequence_type({type_text(t.element)})"
    if isinstance(t, OptionalType):
        return f"optional_type({type_text(t.element)})"
    if isinstance(t, MapType):
        return f"map({t.key_type},{type_text(t.value)})"
    if isinstance(t, OpaqueType):
        return f"opaque({t.domain},{t.name})"
    return None
