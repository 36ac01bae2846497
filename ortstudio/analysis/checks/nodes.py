"""Checks of the nodes of an `.ort`: their numbers and their arguments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, about_nodes
from ortstudio.format.arrays import distinct
from ortstudio.model.graph import Graph
from ortstudio.model.model import OrtGraph


def check_nodes(subject: Subject) -> Iterator[Finding]:
    """Every node of every graph."""
    for graph, ort_graph in subject.ort_graphs():
        if len(graph.nodes):
            yield from _indices(graph, ort_graph)
            yield from _arguments(graph, ort_graph)


def _indices(graph: Graph, ort_graph: OrtGraph) -> Iterator[Finding]:
    indices = graph.nodes.indices
    order = np.argsort(indices, kind="stable")
    twice = order[1:][indices[order][1:] == indices[order][:-1]]
    if len(twice):
        row = int(twice[0])
        text = f"its index {indices[row]} is that of another node, too"
        yield about_nodes("error", "duplicate-node-index", graph, twice.tolist(), text)
    beyond = np.nonzero(indices >= ort_graph.max_node_index)[0]
    if len(beyond):
        most = ort_graph.max_node_index
        text = f"its index {indices[beyond[0]]} is not below the graph's max_node_index {most}"
        yield about_nodes("error", "node-index-beyond-maximum", graph, beyond.tolist(), text)


def _arguments(graph: Graph, ort_graph: OrtGraph) -> Iterator[Finding]:
    """One count for each formal parameter, together as many as there are inputs."""
    counts, inputs = ort_graph.input_arg_counts, graph.nodes.inputs.lengths
    negative = distinct(counts.owners[counts.flat < 0])
    if len(negative):
        text = "input_arg_counts holds a negative number"
        yield about_nodes("error", "argument-count-negative", graph, negative.tolist(), text)
    totals = np.bincount(counts.owners, counts.flat, minlength=len(inputs)).astype(np.int64)
    wrong = np.nonzero(totals != inputs)[0]
    if len(wrong):
        row = int(wrong[0])
        text = f"input_arg_counts adds up to {totals[row]} of {inputs[row]} inputs"
        yield about_nodes("error", "argument-count-mismatch", graph, wrong.tolist(), text)
