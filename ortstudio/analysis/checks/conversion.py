"""What of an ONNX model the ORT format cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, about_nodes, about_values
from ortstudio.format.arrays import Ints, distinct
from ortstudio.model.graph import Graph
from ortstudio.model.types import AttributeType, OpaqueType, OptionalType, SparseTensorType

CODE = "cannot-become-ort"
FAILS = "which the ORT format cannot hold: conversion fails"
MOST_BYTES = 1 << 31
NO_SUCH_ATTRIBUTES = (
    AttributeType.GRAPHS,
    AttributeType.SPARSE_TENSOR,
    AttributeType.SPARSE_TENSORS,
    AttributeType.TYPE_PROTO,
    AttributeType.TYPE_PROTOS,
)


def check_conversion(subject: Subject) -> Iterator[Finding]:
    """Values, attributes and sizes that make conversion fail, and what it drops."""
    onnx = subject.model.onnx
    if onnx is None:
        return
    if onnx.has_training_info:
        text = "The model holds training information, which conversion drops"
        yield Finding("info", "training-info", text, "training_info")
    graphs = subject.model.all_graphs
    for graph in graphs:
        yield from _values(graph)
        yield from _attributes(graph)
    size = sum(sum(graph.initializers.sizes) for graph in graphs)
    if size >= MOST_BYTES:
        text = (
            f"The weights need {size / (1 << 30):.1f} GiB; an ORT-format model cannot pass 2 GiB."
            " Fewer bits for each weight, two models, or staying with ONNX and external data help"
        )
        yield Finding("warning", "too-large-for-ort", text)


def _values(graph: Graph) -> Iterator[Finding]:
    """Values of types that have no slot in the schema; a sparse initializer has one of its own."""
    constants = {sparse.values.name for sparse in graph.sparse_initializers}
    for kind, words in (
        (OptionalType, "it is of an optional type"),
        (SparseTensorType, "it is a sparse tensor"),
        (OpaqueType, "it is of an opaque type"),
    ):
        names = [
            name
            for name, value_type in zip(graph.values.names, graph.values.types, strict=True)
            if type(value_type) is kind and name not in constants
        ]
        if names:
            yield about_values("warning", CODE, graph, names, f"{words}, {FAILS}")
    makers = [row for row, op in enumerate(graph.nodes.ops) if op == "Optional"]
    if makers:
        yield about_nodes("warning", CODE, graph, makers, f"it makes an optional value, {FAILS}")


def _attributes(graph: Graph) -> Iterator[Finding]:
    """Attributes without a slot in the schema. Constants become initializers, sparse ones too."""
    at = graph.nodes.attributes
    owners: Ints = graph.nodes.attribute_rows.owners
    bad = np.isin(at.types[graph.nodes.attribute_rows.flat], NO_SUCH_ATTRIBUTES)
    rows = [row for row in distinct(owners[bad]).tolist() if graph.nodes.ops[row] != "Constant"]
    if rows:
        yield about_nodes("warning", CODE, graph, rows, f"it has an attribute of a type {FAILS}")
