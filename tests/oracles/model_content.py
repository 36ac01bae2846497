"""All that a model says, flat, so that two models can be held against each other line by line."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model, OrtGraph
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.services.reading import read_model


def differences(a: Path, b: Path) -> list[str]:
    """What one model says and the other does not; none where they say the same."""
    ours, theirs = set(said(read_model(a))), set(said(read_model(b)))
    return [f"only {a.name}: {line}" for line in sorted(ours - theirs)] + [
        f"only {b.name}, the other: {line}" for line in sorted(theirs - ours)
    ]


def said(model: Model) -> Iterator[str]:
    """Every fact in a line of its own. The order of the file counts where it means something."""
    assert model.error is None
    for name in ("ir_version", "producer_name", "producer_version", "domain", "model_version"):
        yield f"{name} {getattr(model, name)!r}"
    yield f"docs {model.doc_string!r} {model.graph_doc_string!r}"
    yield from (f"import {row.domain!r} {row.version}" for row in model.opset_imports)
    yield from (f"metadata {key!r} {value!r}" for key, value in model.metadata.items())
    for graph in model.graphs:
        yield from (f"{graph.path} {line}" for line in _graph(model.source, graph))
    if model.ort is not None:
        yield f"format {model.ort.format_version_text}"
        yield from (f"resolver {entry}" for entry in model.ort.resolver or ())
        for graph, ort in zip(model.graphs, model.ort.graphs, strict=True):
            yield from (f"{graph.path} {line}" for line in _ort(ort))


def _graph(source: Source, graph: Graph) -> Iterator[str]:
    values = graph.values
    yield f"inputs {graph.value_names(graph.inputs.tolist())}"
    yield f"outputs {graph.value_names(graph.outputs.tolist())}"
    for name, of in zip(values.names, values.types, strict=True):
        yield f"value {name!r} {of}"
    for tensor in graph.initializers:
        yield f"initializer {tensor_text(source, tensor)}"
    for sparse in graph.sparse_initializers:
        yield f"sparse initializer {_sparse(source, sparse)}"
    for row in range(len(graph.nodes)):
        yield f"node {_node(source, graph, row)}"


def _node(source: Source, graph: Graph, row: int) -> str:
    nodes = graph.nodes
    ends = [
        graph.value_names(column.row(row).tolist())
        for column in (nodes.inputs, nodes.outputs, nodes.implicit_inputs)
    ]
    attributes = {
        name: plain(source, value) for name, value in sorted(nodes.attribute_values(row).items())
    }
    what = nodes.indices[row], nodes.names[row], nodes.ops[row], nodes.since_versions[row]
    return f"{what} {ends} {attributes} {nodes.doc_strings.get(row)}"


def plain(source: Source, value: object) -> object:
    """An attribute's value as text or number."""
    if isinstance(value, Tensor):
        return tensor_text(source, value)
    if isinstance(value, SparseTensor):
        return _sparse(source, value)
    return value


def tensor_text(source: Source, tensor: Tensor) -> str:
    """Name, type, shape, and a digest of the elements."""
    return f"{tensor.name!r} {elements_text(source, tensor)}"


def elements_text(source: Source, tensor: Tensor) -> str:
    """The same without the name."""
    array = open_elements(source, tensor).array()
    content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return f"{tensor.data_type} {tensor.dims} {sha256(content).hexdigest()}"


def _sparse(source: Source, sparse: SparseTensor) -> str:
    return (
        f"{tensor_text(source, sparse.values)} {tensor_text(source, sparse.indices)} {sparse.dims}"
    )


def _ort(graph: OrtGraph) -> Iterator[str]:
    yield f"providers {graph.execution_providers}"
    counts = graph.input_arg_counts
    yield f"argument counts {[counts.row(row).tolist() for row in range(len(counts))]}"
    for record in graph.runtime_optimizations:
        yield f"saved {record.optimizer} {record.action} {record.nodes} {record.produced_op_ids}"
    for name in ("input_edges", "output_edges"):
        column = getattr(graph, name)
        for place, index in enumerate(graph.edge_nodes.tolist()):
            ends = column.row(place).reshape(-1, 3).tolist()
            yield f"{name} of {index} {sorted(map(tuple, ends))}"
