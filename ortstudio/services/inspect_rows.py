"""Nodes and initializers as rows of JSON."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.model.graph import Graph, GraphRef
from ortstudio.model.model import Model
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.model.types import AttributeType, data_type_text
from ortstudio.services.strict_json import json_float

Json = dict[str, object]


def node_rows(model: Model) -> list[Json]:
    """Every node of every graph."""
    return [row for graph in model.graphs for row in _nodes(model, graph)]


def _nodes(model: Model, graph: Graph) -> Iterator[Json]:
    nodes = graph.nodes
    names = [*graph.values.names, ""]
    columns = zip(
        nodes.indices.tolist(),
        nodes.names,
        nodes.domains,
        nodes.op_types,
        nodes.since_versions.tolist(),
        nodes.inputs.lists(),
        nodes.outputs.lists(),
        nodes.attribute_rows.lists(),
        strict=True,
    )
    attributes = _attribute_values(model, graph)
    for index, name, domain, op_type, since, inputs, outputs, rows in columns:
        yield {
            "graph": graph.path,
            "index": index,
            "name": name,
            "domain": domain,
            "op_type": op_type,
            "since_version": since or None,
            "inputs": [names[i] for i in inputs],
            "outputs": [names[i] for i in outputs],
            "attributes": dict(attributes[row] for row in rows),
        }


def _attribute_values(model: Model, graph: Graph) -> list[tuple[str, object]]:
    """Name and value of every attribute of a graph, by columns: there may be very many."""
    at = graph.nodes.attributes
    floats, ints = at.floats_column.lists(), at.ints_column.lists()
    values: list[tuple[str, object]] = []
    for row, (name, kind) in enumerate(zip(at.names, at.types.tolist(), strict=True)):
        if kind == AttributeType.INT:
            value: object = ints[row][0] if ints[row] else 0
        elif kind == AttributeType.INTS:
            value = ints[row]
        elif kind == AttributeType.FLOAT:
            value = json_float(floats[row][0]) if floats[row] else 0.0
        elif kind == AttributeType.FLOATS:
            value = [json_float(number) for number in floats[row]]
        else:
            value = _attribute_value(model, at.value(row))
        values.append((name, value))
    return values


def _attribute_value(model: Model, value: object) -> object:
    """A value that is no number: text, what describes a tensor, the path of a graph, a type."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, GraphRef):
        return {"graph": model.graphs[value.index].path}
    if isinstance(value, Tensor):
        return tensor_json(value)
    if isinstance(value, SparseTensor):
        return {"values": tensor_json(value.values), "indices": tensor_json(value.indices)}
    if isinstance(value, tuple):
        return [_attribute_value(model, item) for item in value]
    return None if value is None else str(value)


def tensor_json(tensor: Tensor) -> Json:
    """A constant without its elements."""
    return {
        "name": tensor.name,
        "data_type": data_type_text(tensor.data_type),
        "dims": list(tensor.dims),
        "size_bytes": tensor.size_bytes,
    }


def initializer_rows(model: Model) -> list[Json]:
    """Every initializer of every graph, dense and sparse."""
    return [row for graph in model.graphs for row in _initializers(graph)]


def _initializers(graph: Graph) -> Iterator[Json]:
    tensors = graph.initializers
    columns = zip(
        tensors.names, tensors.data_types.tolist(), tensors.dims.lists(), tensors.sizes, strict=True
    )
    for name, data_type, dims, size in columns:
        yield {
            "graph": graph.path,
            "name": name,
            "data_type": data_type_text(data_type),
            "dims": dims,
            "size_bytes": size,
        }
    for sparse in graph.sparse_initializers:
        yield {
            "graph": graph.path,
            "name": sparse.values.name,
            "data_type": data_type_text(sparse.values.data_type),
            "dims": list(sparse.dims),
            "size_bytes": sparse.values.size_bytes + sparse.indices.size_bytes,
            "sparse": True,
        }
