"""Checks of values: declared, typed, made once and before they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.analysis.checks.order import is_cyclic, is_sorted
from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding, about_values
from ortstudio.format.arrays import Ints
from ortstudio.model.graph import Graph
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
    data_type_text,
)


def check_values(subject: Subject) -> Iterator[Finding]:
    """Every value of every graph, those of local functions included."""
    model = subject.model
    declared = [ort_graph.declared_values for _, ort_graph in subject.ort_graphs()]
    for graphs in (model.graphs, *(function.graphs for function in model.functions)):
        scopes = _scopes(graphs)
        for number, graph in enumerate(graphs):
            scope, suspects = scopes[number], _suspects(graph)
            yield from _origins(graph, scope)
            yield from _types(graph, suspects)
            yield from _order(subject, graph)
            if declared:
                untyped = [i for i in suspects if graph.values.types[i] is None]
                yield from _declarations(graph, scope, declared[number], untyped)


@dataclass(frozen=True, slots=True, eq=False)
class _Scope:
    """Which values of a graph are made in it, and which it may read from outside."""

    here: NDArray[np.bool_]
    outside: frozenset[str]

    def missing(self, graph: Graph, ids: Ints) -> list[str]:
        """The names of values that come from nowhere."""
        used = np.zeros(len(self.here), np.bool_)
        used[ids[ids >= 0]] = True
        names = (graph.values.names[i] for i in np.nonzero(used & ~self.here)[0].tolist())
        return [name for name in names if name not in self.outside]


def _scopes(graphs: Sequence[Graph]) -> list[_Scope]:
    """The scope of each graph. A parent comes before its subgraphs."""
    scopes: list[_Scope] = []
    visible: list[frozenset[str]] = []
    needed = {graph.parent.graph for graph in graphs if graph.parent is not None}
    for number, graph in enumerate(graphs):
        here = _made_here(graph)
        parent = graph.parent.graph if graph.parent is not None else -1
        outside = visible[parent] if 0 <= parent < number else frozenset[str]()
        scopes.append(_Scope(here, outside))
        names = graph.values.names
        mine = (names[i] for i in np.nonzero(here)[0].tolist()) if number in needed else ()
        visible.append(outside.union(mine))
    return scopes


def _made_here(graph: Graph) -> NDArray[np.bool_]:
    """Whether a value is an input, a constant or made by a node."""
    here: NDArray[np.bool_] = graph.producers >= 0
    here[graph.inputs[graph.inputs >= 0]] = True
    constants = graph.initializers.names + [s.values.name for s in graph.sparse_initializers]
    here[[i for i in map(graph.values.ids.get, constants) if i is not None]] = True
    return here


def _origins(graph: Graph, scope: _Scope) -> Iterator[Finding]:
    """Every value that is read is made, and made once."""
    nodes = graph.nodes
    read = np.concatenate([nodes.inputs.flat, nodes.implicit_inputs.flat]).astype(np.int64)
    missing = scope.missing(graph, read)
    if missing:
        text = "a node reads it, but no input, initializer or node makes it"
        yield about_values("error", "value-from-nowhere", graph, missing, text)
    missing = [name for name in scope.missing(graph, graph.outputs) if name not in missing]
    if missing:
        text = "it is an output of the graph, but nothing makes it"
        yield about_values("error", "output-from-nowhere", graph, missing, text)
    made = nodes.outputs.flat[nodes.outputs.flat >= 0]
    twice = np.nonzero(np.bincount(made, minlength=1) > 1)[0]
    if len(twice):
        text = "more than one node makes it"
        names = graph.value_names(twice.tolist())
        yield about_values("error", "value-made-twice", graph, names, text)


def _declarations(
    graph: Graph, scope: _Scope, declared: int, untyped: list[int]
) -> Iterator[Finding]:
    """An `.ort` declares each value with its type; one from outside it may leave out."""
    names = graph.values.names
    bare = [names[i] for i in untyped if i < declared]
    if bare:
        yield about_values("error", "value-without-type", graph, bare, "it has no type")
    undeclared = [name for name in names[declared:] if name not in scope.outside]
    if undeclared:
        text = "it is used but not declared"
        yield about_values("error", "value-not-declared", graph, undeclared, text)


def _suspects(graph: Graph) -> list[int]:
    """The values that are no plain tensors of a known element type; nearly all are."""
    return [
        i
        for i, t in enumerate(graph.values.types)
        if type(t) is not TensorType or t.elem_type not in _KNOWN_TYPES
    ]


def _types(graph: Graph, suspects: list[int]) -> Iterator[Finding]:
    """Element types of declared values must be ONNX's."""
    bad: dict[int, list[str]] = {}
    for i in suspects:
        unknown = _unknown_type(graph.values.types[i])
        if unknown is not None:
            bad.setdefault(unknown, []).append(graph.values.names[i])
    for number, names in bad.items():
        text = f"its element type is {data_type_text(number)}, which ONNX does not have"
        yield about_values("error", "unknown-value-type", graph, names, text)


_KNOWN_TYPES = frozenset(int(kind) for kind in DataType) - {0}


def _unknown_type(value_type: ValueType | None) -> int | None:
    """The element type that is none; None where all are."""
    if isinstance(value_type, (TensorType, SparseTensorType)):
        number = value_type.elem_type
        return None if number in _KNOWN_TYPES else number
    if isinstance(value_type, (SequenceType, OptionalType)):
        return _unknown_type(value_type.element)
    if isinstance(value_type, MapType):
        return _unknown_type(value_type.value)
    return None


def _order(subject: Subject, graph: Graph) -> Iterator[Finding]:
    """No cycle; in ONNX a node stands after those that it reads from."""
    if is_sorted(graph):
        return
    if is_cyclic(graph):
        text = "Nodes read from each other in a circle"
        yield Finding("error", "graph-cyclic", text, graph.path, graph.offset)
    elif not subject.is_ort:
        text = "A node stands before one that it reads from, which ONNX does not allow"
        yield Finding("warning", "nodes-not-sorted", text, graph.path, graph.offset)
