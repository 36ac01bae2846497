"""An ONNX model as plain values, read with the `onnx` package, which shares no code with us.

Types are written in a notation of the oracle's own, subgraphs stand where their attribute is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    StringStringEntryProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
)

Plain = dict[str, Any]


def text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode("utf-8", "backslashreplace")


def model(m: ModelProto) -> Plain:
    return {
        "ir_version": m.ir_version if m.HasField("ir_version") else None,
        "opset_imports": [(domain(o.domain), o.version) for o in m.opset_import],
        "producer_name": m.producer_name if m.HasField("producer_name") else None,
        "producer_version": m.producer_version if m.HasField("producer_version") else None,
        "domain": m.domain if m.HasField("domain") else None,
        "model_version": m.model_version if m.HasField("model_version") else None,
        "doc_string": m.doc_string if m.HasField("doc_string") else None,
        "metadata": entries(m.metadata_props),
        "graph": graph(m.graph),
        "functions": [function(f) for f in m.functions],
        "has_training_info": bool(m.training_info),
    }


def domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def entries(props: Iterable[StringStringEntryProto]) -> dict[str, str]:
    return {prop.key: prop.value for prop in props}


def graph(g: GraphProto) -> Plain:
    return {
        "name": g.name,
        "doc_string": g.doc_string,
        "inputs": [value.name for value in g.input],
        "outputs": [value.name for value in g.output],
        "values": values([*g.input, *g.output, *g.value_info]),
        "initializers": [tensor(t) for t in g.initializer],
        "sparse_initializers": [sparse(t) for t in g.sparse_initializer],
        "metadata": entries(g.metadata_props),
        "nodes": [node(n) for n in g.node],
    }


def function(f: FunctionProto) -> Plain:
    return {
        "domain": f.domain,
        "name": f.name,
        "overload": f.overload,
        "doc_string": f.doc_string,
        "attributes": list(f.attribute),
        "attribute_defaults": {a.name: attribute(a)["value"] for a in f.attribute_proto},
        "opset_imports": [(domain(o.domain), o.version) for o in f.opset_import],
        "inputs": list(f.input),
        "outputs": list(f.output),
        "values": values(f.value_info),
        "metadata": entries(f.metadata_props),
        "nodes": [node(n) for n in f.node],
    }


def values(declared: Iterable[ValueInfoProto]) -> dict[str, Plain]:
    """By name, the first declaration with a type winning."""
    found: dict[str, Plain] = {}
    for value in declared:
        has_type = value.type.WhichOneof("value") is not None
        if value.name and has_type and value.name not in found:
            found[value.name] = {"type": type_text(value.type)}
        if value.name in found:
            if value.doc_string:
                found[value.name]["doc_string"] = value.doc_string
            if value.type.denotation:
                found[value.name]["denotation"] = value.type.denotation
    return found


def node(n: NodeProto) -> Plain:
    return {
        "name": n.name,
        "op_type": n.op_type,
        "domain": domain(n.domain),
        "overload": n.overload,
        "doc_string": n.doc_string,
        "metadata": entries(n.metadata_props),
        "inputs": list(n.input),
        "outputs": list(n.output),
        "attributes": [attribute(a) for a in n.attribute],
    }


def attribute(a: AttributeProto) -> Plain:
    held: dict[int, Any] = {
        AttributeProto.FLOAT: lambda: a.f,
        AttributeProto.INT: lambda: a.i,
        AttributeProto.STRING: lambda: a.s,
        AttributeProto.TENSOR: lambda: tensor(a.t),
        AttributeProto.GRAPH: lambda: graph(a.g),
        AttributeProto.SPARSE_TENSOR: lambda: sparse(a.sparse_tensor),
        AttributeProto.TYPE_PROTO: lambda: type_text(a.tp),
        AttributeProto.FLOATS: lambda: list(a.floats),
        AttributeProto.INTS: lambda: list(a.ints),
        AttributeProto.STRINGS: lambda: list(a.strings),
        AttributeProto.TENSORS: lambda: [tensor(t) for t in a.tensors],
        AttributeProto.GRAPHS: lambda: [graph(g) for g in a.graphs],
        AttributeProto.SPARSE_TENSORS: lambda: [sparse(t) for t in a.sparse_tensors],
        AttributeProto.TYPE_PROTOS: lambda: [type_text(t) for t in a.type_protos],
    }
    return {
        "name": a.name,
        "type": a.type,
        "doc_string": a.doc_string,
        "reference": a.ref_attr_name,
        "value": None if a.ref_attr_name else held[a.type](),
    }


_DATA = ["float_data", "int32_data", "int64_data", "double_data", "uint64_data"]


def tensor(t: TensorProto) -> Plain:
    held: object = None
    if t.data_location == TensorProto.EXTERNAL:
        held = ("external", entries(t.external_data))
    elif t.HasField("raw_data"):
        held = ("raw", t.raw_data)
    elif t.string_data:
        held = ("strings", list(t.string_data))
    else:
        for name in _DATA:
            if getattr(t, name):
                held = ("typed", list(getattr(t, name)))
    return {
        "name": t.name,
        "data_type": t.data_type,
        "dims": list(t.dims),
        "doc_string": t.doc_string,
        "data": held,
    }


def sparse(t: SparseTensorProto) -> Plain:
    return {"values": tensor(t.values), "indices": tensor(t.indices), "dims": list(t.dims)}


def type_text(t: TypeProto) -> str | None:
    kind = t.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        held = getattr(t, kind)
        return f"{kind}:{held.elem_type}{shape(held) if held.HasField('shape') else ''}"
    if kind in ("sequence_type", "optional_type"):
        held = getattr(t, kind)
        return f"{kind}({type_text(held.elem_type)})"
    if kind == "map_type":
        return f"map({t.map_type.key_type},{type_text(t.map_type.value_type)})"
    if kind == "opaque_type":
        return f"opaque({t.opaque_type.domain},{t.opaque_type.name})"
    return None


def shape(held: TypeProto.Tensor | TypeProto.SparseTensor) -> str:
    dims = []
    for dim in held.shape.dim:
        kind = dim.WhichOneof("value")
        dims.append(
            repr((getattr(dim, kind) or None) if kind == "dim_param" else dim.dim_value)
            if kind
            else "None"
        )
    return f"[{', '.join(dims)}]"
