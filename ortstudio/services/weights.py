"""Whether a model's weights are all there and fit into one file, from what the headers say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.errors import MissingError, RefusedError, Where
from ortstudio.model.graph import ExternalData, Graph, SparseTensor, Storage, Tensor
from ortstudio.model.model import Model

ORT_BYTES = (1 << 31) - 1
"""FlatBuffers count in signed 32 bits, and the ORT format has no external data."""


def check_external_data(model: Model) -> tuple[Path, ...]:
    """The files beside the model that hold its weights.

    Raises MissingError for the first tensor whose bytes are not all there, RefusedError for one
    that points outside the model's folder.
    """
    path = Path(model.source.path)
    sizes: dict[str, int | None] = {}
    for tensor in _external_tensors(model):
        data = tensor.data
        assert isinstance(data, ExternalData)
        if data.location not in sizes:
            sizes[data.location] = _size(path, tensor.name, data.location)
        _check_range(path, tensor, data, sizes[data.location])
    return tuple(path.parent / location for location in sizes)


def check_weights(model: Model) -> None:
    """Raises RefusedError where the weights alone pass what an ORT-format file can hold."""
    total = sum(sum(graph.initializers.sizes) for graph in model.graphs)
    if total <= ORT_BYTES:
        return
    used = {name for graph in model.graphs for name in _used(graph)}
    total = sum(
        size
        for graph in model.graphs
        for name, size in zip(graph.initializers.names, graph.initializers.sizes, strict=True)
        if name in used
    )
    if total > ORT_BYTES:
        raise RefusedError(
            f"An ORT-format file cannot pass 2 GiB, and this model has {size_text(total)} of"
            " weights",
            where=Where(model.source.path),
            hint="Use fewer bits for each weight, split the model, or stay with ONNX and external"
            " data.",
        )


def _used(graph: Graph) -> list[str]:
    """Names that a node reads or that leave the graph: other weights are dropped."""
    nodes = graph.nodes
    ids = [*nodes.inputs.flat.tolist(), *nodes.implicit_inputs.flat.tolist()]
    return graph.value_names([*ids, *graph.outputs.tolist()])


def _external_tensors(model: Model) -> Iterator[Tensor]:
    """Every tensor of a model whose elements are in another file."""
    bodies = [function.body for function in model.onnx.functions] if model.onnx else []
    for graph in [*model.graphs, *bodies]:
        initializers = graph.initializers
        for row, data in initializers.elsewhere.items():
            if isinstance(data, ExternalData):
                yield initializers[row]
        for value in [*graph.sparse_initializers, *graph.nodes.attributes.others.values()]:
            yield from _external_of(value)


def _external_of(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor) and value.storage is Storage.EXTERNAL:
        yield value
    elif isinstance(value, SparseTensor):
        yield from _external_of(value.values)
        yield from _external_of(value.indices)
    elif isinstance(value, tuple):
        for item in value:
            yield from _external_of(item)


def _size(model: Path, name: str, location: str) -> int | None:
    """Bytes of an external file, None where there is none."""
    inside = Path(os.path.normpath(location))
    if inside.is_absolute() or ".." in inside.parts:
        raise RefusedError(
            f"The tensor {name} is to be read from outside the model's folder: {location}",
            where=Where(str(model)),
            hint="Put the file beside the model and correct the location in it.",
        )
    try:
        return (model.parent / location).stat().st_size
    except (OSError, ValueError):
        return None


def _check_range(model: Path, tensor: Tensor, data: ExternalData, size: int | None) -> None:
    if size is None:
        raise MissingError(
            f"The file {data.location}, which holds the tensor {tensor.name}, is missing",
            where=Where(str(model)),
            hint="Put it beside the model.",
        )
    needed = tensor.size_bytes if data.length is None else data.length
    if data.offset < 0 or needed < 0 or data.offset + needed > size:
        raise MissingError(
            f"The tensor {tensor.name} needs bytes {data.offset} to {data.offset + needed} of"
            f" {data.location}, which has {size}",
            where=Where(str(model)),
            hint="Fetch the whole file.",
        )
