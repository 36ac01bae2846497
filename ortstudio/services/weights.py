"""Whether a model's weights are all there and fit into one file, from what the headers say."""

from __future__ import annotations

from pathlib import Path

from ortstudio.errors import MissingError, RefusedError, Where
from ortstudio.model.external import check_range, external_tensors, locate
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.tensor import ExternalData, Tensor

ORT_BYTES = (1 << 31) - 1
"""FlatBuffers count in signed 32 bits, and the ORT format has no external data."""


def check_external_data(model: Model) -> tuple[Path, ...]:
    """The files beside the model that hold its weights, from where the model's path begins.

    Raises MissingError or FormatError for the first tensor whose bytes are not all there,
    RefusedError for one that points outside the model's folder.
    """
    path, sizes = model.source.path, dict[str, int]()
    for tensor, data in external_tensors(model):
        if data.location not in sizes:
            sizes[data.location] = _located(path, tensor, data).stat().st_size
        check_range(tensor, data, path, sizes[data.location])
    return tuple(Path(path).parent / location for location in sizes)


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
            "An ORT-format file cannot pass 2 GiB, and this model needs"
            f" {total / (1 << 30):.1f} GiB of weights",
            where=Where(model.source.path),
            hint="Use fewer bits for each weight, split the model, or stay with ONNX and external"
            " data.",
        )


def _used(graph: Graph) -> list[str]:
    """Names that a node reads or that leave the graph: other weights are dropped."""
    nodes = graph.nodes
    ids = [*nodes.inputs.flat.tolist(), *nodes.implicit_inputs.flat.tolist()]
    return graph.value_names([*ids, *graph.outputs.tolist()])


def _located(model_path: str, tensor: Tensor, data: ExternalData) -> Path:
    try:
        return locate(model_path, data.location)
    except MissingError:
        raise MissingError(
            f"The file {data.location}, which holds the tensor {tensor.name}, is missing",
            where=Where(model_path),
            hint="Put it beside the model.",
        ) from None
