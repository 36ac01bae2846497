"""Renames values of the main graph of an ONNX model, in every graph that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence
from typing import TYPE_CHECKING

from ortstudio.errors import RefusedError

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

Names = Mapping[str, str]


def rename_values(model: ModelProto, names: Names) -> None:
    """Give values of the main graph other names.

    A subgraph that has a value of its own by the old name means that one, and keeps it. Local
    functions see no value of the graph. Raises RefusedError for a model with training information,
    which names values too.
    """
    if names and len(model.training_info):
        raise RefusedError("Values of a model with training information cannot be renamed")
    _rename(model.graph, names)


def _rename(graph: GraphProto, names: Names) -> None:
    if not names:
        return
    for inner in _inner(graph):
        own = _own(inner)
        _rename(inner, {old: new for old, new in names.items() if old not in own})
    for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        value.name = names.get(value.name, value.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = names.get(sparse.values.name, sparse.values.name)
    for annotation in graph.quantization_annotation:
        annotation.tensor_name = names.get(annotation.tensor_name, annotation.tensor_name)
        for entry in annotation.quant_parameter_tensor_names:
            entry.value = names.get(entry.value, entry.value)
    for node in graph.node:
        _rename_all(node.input, names)
        _rename_all(node.output, names)
        _rename_shards(node, names)


def _rename_all(found: MutableSequence[str], names: Names) -> None:
    if not names.keys().isdisjoint(found):
        found[:] = [names.get(name, name) for name in found]


def _rename_shards(node: NodeProto, names: Names) -> None:
    # ONNX has them since IR version 11.
    for configuration in getattr(node, "device_configurations", ()):
        for shard in configuration.sharding_spec:
            shard.tensor_name = names.get(shard.tensor_name, shard.tensor_name)


def _inner(graph: GraphProto) -> Iterator[GraphProto]:
    """The graphs in the attributes of a graph's nodes."""
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield attribute.g
            yield from attribute.graphs


def _own(graph: GraphProto) -> set[str]:
    """The values that a graph itself brings."""
    own = {value.name for value in (*graph.input, *graph.initializer)}
    own.update(sparse.values.name for sparse in graph.sparse_initializer)
    own.update(name for node in graph.node for name in node.output)
    return own
