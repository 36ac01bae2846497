"""Checks of the edges that an `.ort` lists beside its nodes.

Edges may be left out. Those that are there are looked at by the runtime since 1.28: each must lead
from an output to an input that are the same value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, about_nodes
from ortstudio.format.arrays import Ints, Ragged, distinct
from ortstudio.model.graph import Graph

EDGE_WORDS = 3
"""An edge end: the other node's index, the output's place, the input's place."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Edge ends as columns: rows of the node they belong to and of the other, -1 for none."""

    own: Ints
    other: Ints
    output: Ints
    input: Ints


def check_edges(subject: Subject) -> Iterator[Finding]:
    """Every edge of every graph, from both ends."""
    for graph, ort_graph in subject.ort_graphs():
        owners = _rows_of(graph, ort_graph.edge_nodes)
        lost = ort_graph.edge_nodes[owners < 0]
        if len(lost):
            text = f"Edges are listed for node {lost[0]}, which is not there"
            yield Finding("error", "edge-leads-nowhere", text, graph.path)
        incoming = _ends(graph, owners, ort_graph.input_edges)
        agree = _agree(graph, incoming.other, incoming.output, incoming.own, incoming.input)
        yield from _findings(graph, incoming, agree, "incoming")
        outgoing = _ends(graph, owners, ort_graph.output_edges)
        agree = _agree(graph, outgoing.own, outgoing.output, outgoing.other, outgoing.input)
        yield from _findings(graph, outgoing, agree, "outgoing")


def _findings(graph: Graph, ends: _Ends, agree: NDArray[np.bool_], side: str) -> Iterator[Finding]:
    nowhere = distinct(ends.own[ends.other < 0])
    if len(nowhere):
        text = f"an {side} edge leads to no node"
        yield about_nodes("error", "edge-leads-nowhere", graph, nowhere.tolist(), text)
    apart = distinct(ends.own[(ends.other >= 0) & ~agree])
    if len(apart):
        text = f"an {side} edge joins an output and an input that are not the same value"
        yield about_nodes("error", "edge-mismatch", graph, apart.tolist(), text)


def _rows_of(graph: Graph, indices: Ints) -> Ints:
    """The row of each `Node.index`, -1 where there is none."""
    known = graph.nodes.indices
    if not len(known):
        return np.full(len(indices), -1, np.int64)
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known, indices, sorter=order), len(known) - 1)
    rows: Ints = np.where(known[order[place]] == indices, order[place], -1)
    return rows


def _ends(graph: Graph, owners: Ints, edges: Ragged) -> _Ends:
    """The edge ends of nodes that are there."""
    own = np.repeat(owners, edges.lengths // EDGE_WORDS)
    words = edges.flat.reshape(-1, EDGE_WORDS).astype(np.int64)[own >= 0]
    # The reader gives signed words; node indices are unsigned.
    other = _rows_of(graph, words[:, 0] & 0xFFFFFFFF)
    return _Ends(own[own >= 0], other, words[:, 1], words[:, 2])


def _agree(
    graph: Graph, producers: Ints, outputs: Ints, consumers: Ints, inputs: Ints
) -> NDArray[np.bool_]:
    """Whether the producer's output is the consumer's input, implicit inputs after the others."""
    nodes = graph.nodes
    explicit = nodes.inputs.lengths[consumers]
    made = _at(nodes.outputs, producers, outputs)
    read = np.where(
        inputs < explicit,
        _at(nodes.inputs, consumers, inputs),
        _at(nodes.implicit_inputs, consumers, inputs - explicit),
    )
    agree: NDArray[np.bool_] = (made == read) & (made >= 0)
    return agree


def _at(ragged: Ragged, rows: Ints, places: Ints) -> Ints:
    """The entry at each place of each row, -1 where the row does not reach so far."""
    inside = (rows >= 0) & (places >= 0) & (places < ragged.lengths[rows])
    found = np.full(len(rows), -1, np.int64)
    found[inside] = ragged.flat[ragged.ptr[rows[inside]] + places[inside]]
    return found
