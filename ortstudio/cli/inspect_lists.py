"""All nodes and all initializers as tables: asked for, so nothing is left out."""

from __future__ import annotations

from ortstudio.analysis.words import size_text
from ortstudio.cli.page import Page
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.model.types import data_type_text
from ortstudio.services.describe.facts import number

OMITTED = "-"
"""Stands for an optional input or output that a node leaves out."""


def show_nodes(model: Model, page: Page) -> None:
    """Index, operator, name, inputs and outputs of every node, graph by graph."""
    for graph in model.graphs:
        page.section(f"Nodes of {graph.path}", number(len(graph.nodes)))
        nodes = graph.nodes
        columns = zip(
            nodes.indices.tolist(),
            nodes.ops,
            nodes.names,
            nodes.inputs.lists(),
            nodes.outputs.lists(),
            strict=True,
        )
        page.table(
            [
                (str(index), op, name, f"{_names(graph, inputs)} -> {_names(graph, outputs)}")
                for index, op, name, inputs, outputs in columns
            ],
            align="r",
            styles=("muted", "name"),
        )


def _names(graph: Graph, ids: list[int]) -> str:
    return ", ".join(name or OMITTED for name in graph.value_names(ids)) or "nothing"


def show_initializers(model: Model, page: Page) -> None:
    """Name, type with shape and size of every initializer, graph by graph."""
    for graph in model.graphs:
        tensors = graph.initializers
        columns = zip(
            tensors.names,
            tensors.data_types.tolist(),
            tensors.dims.lists(),
            tensors.sizes,
            strict=True,
        )
        rows = [
            (name, f"{data_type_text(data_type)}{dims}".replace(" ", ""), size_text(size), "")
            for name, data_type, dims, size in columns
        ]
        rows += [
            (
                sparse.values.name,
                f"{data_type_text(sparse.values.data_type)}{list(sparse.dims)}".replace(" ", ""),
                size_text(sparse.values.size_bytes + sparse.indices.size_bytes),
                "sparse",
            )
            for sparse in graph.sparse_initializers
        ]
        page.section(f"Initializers of {graph.path}", number(len(rows)))
        page.table(rows, align="llr", styles=("name",))
