"""What blocked-layout (NCHWc) convolutions tell of the CPU that they were made on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ortstudio.model.graph import Graph

NCHWC_DOMAIN = "com.microsoft.nchwc"
WIDE, NARROW = 16, 8
"""Channels in a block: 16 where vectors have 512 bits, else 8."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """`block` is None where the weights fit both sizes; `padded` are real and stored channels."""

    block: int | None
    padded: tuple[tuple[int, int], ...]


def blocking(graphs: Sequence[Graph]) -> Blocking:
    """Work out the block size from the shapes of weights and the channels that are handed back."""
    stored: set[int] = set()
    padded: set[tuple[int, int]] = set()
    for graph in graphs:
        stored.update(filter(None, (_output_channels(graph, row) for row in _convolutions(graph))))
        padded.update(pair for pair in _handed_back(graph) if pair[0] < pair[1])
    block = None
    if any(channels % WIDE for channels in stored):
        block = NARROW
    elif any(-real % NARROW + real != kept for real, kept in padded):
        block = WIDE
    return Blocking(block, tuple(sorted(padded)))


def _is_nchwc(graph: Graph, row: int, op_type: str) -> bool:
    return graph.nodes.domains[row] == NCHWC_DOMAIN and graph.nodes.op_types[row] == op_type


def _convolutions(graph: Graph) -> Iterator[int]:
    return (row for row in range(len(graph.nodes)) if _is_nchwc(graph, row, "Conv"))


def _output_channels(graph: Graph, row: int) -> int:
    """The first dimension of a convolution's weights; 0 where they are no constant."""
    inputs = graph.nodes.inputs.row(row).tolist()
    if len(inputs) < 2 or inputs[1] < 0:
        return 0
    place = graph.initializers.rows.get(graph.values.names[inputs[1]])
    dims = [] if place is None else graph.initializers.dims.row(place).tolist()
    return int(dims[0]) if dims else 0


def _handed_back(graph: Graph) -> Iterator[tuple[int, int]]:
    """For each `ReorderOutput` the real channels and those of the weights before it."""
    for row in range(len(graph.nodes)):
        if _is_nchwc(graph, row, "ReorderOutput"):
            real = graph.nodes.attribute_values(row).get("channels")
            kept = _channels_before(graph, row)
            if isinstance(real, int) and kept:
                yield real, kept


def _channels_before(graph: Graph, row: int) -> int:
    """Stored output channels of the convolution that feeds a node through pools; 0 if none does."""
    for _ in range(len(graph.nodes)):
        inputs = graph.nodes.inputs.row(row).tolist()
        row = int(graph.producers[inputs[0]]) if inputs and inputs[0] >= 0 else -1
        if row < 0 or graph.nodes.domains[row] != NCHWC_DOMAIN:
            return 0
        if graph.nodes.op_types[row] == "Conv":
            return _output_channels(graph, row)
    return 0
