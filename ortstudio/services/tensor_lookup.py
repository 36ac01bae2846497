"""Finds the tensor that a name means: an initializer, dense or sparse, or one in an attribute."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ortstudio.analysis.words import listed
from ortstudio.errors import MissingError, UsageError, Where
from ortstudio.model.graph import MAIN_PATH, Graph, escape_path_part
from ortstudio.model.tensor import SparseTensor, Tensor
from ortstudio.services.document import Document
from ortstudio.services.graph_lookup import graph_number

LIKELY = 10_000
"""Among so many names a similar one is looked for."""


@dataclass(frozen=True, slots=True)
class FoundTensor:
    """A tensor and where it is. Of a sparse one `tensor` holds the elements that are stored."""

    graph: str
    name: str
    tensor: Tensor
    sparse: SparseTensor | None = None

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape; of a sparse tensor the dense one."""
        return self.tensor.dims if self.sparse is None else self.sparse.dims

    @property
    def size_bytes(self) -> int:
        """Bytes of the elements; of a sparse tensor those of the stored ones and their indices."""
        indices = 0 if self.sparse is None else self.sparse.indices.size_bytes
        return self.tensor.size_bytes + indices


def find_tensor(document: Document, name: str, graph: str | None = None) -> FoundTensor:
    """The tensor of that name, in the graph of that path if one is given.

    A tensor in an attribute is called `NODE/ATTRIBUTE`, as in the path of a subgraph. Where several
    graphs have the name and none is given the main graph's is meant.

    Raises MissingError where there is none, UsageError where several graphs have it but the main
    one has not.
    """
    graphs = _chosen(document, graph)
    found = [one for chosen in graphs for one in _named(chosen, name)]
    if not found:
        raise _missing(document, graphs, name)
    places = list(dict.fromkeys(one.graph for one in found))
    if len(places) > 1 and MAIN_PATH not in places:
        raise UsageError(
            f"Several graphs have a tensor {name!r}: {listed(places, 8)}",
            where=Where(str(document.path)),
            hint="Say which by --graph.",
        )
    return next((one for one in found if one.graph == MAIN_PATH), found[0])


def _chosen(document: Document, path: str | None) -> tuple[Graph, ...]:
    if path is None:
        return document.graphs
    return (document.graphs[graph_number(document, path)],)


def _named(graph: Graph, name: str) -> Iterator[FoundTensor]:
    """All that the name means in one graph, initializers first."""
    row = graph.initializers.rows.get(name)
    if row is not None:
        yield FoundTensor(graph.path, name, graph.initializers[row])
    for sparse in graph.sparse_initializers:
        if sparse.values.name == name:
            yield FoundTensor(graph.path, name, sparse.values, sparse)
    if "/" in name:
        for spellings, value in _in_attributes(graph):
            if name in spellings:
                yield _found(graph.path, spellings[0], value)


def _found(graph: str, name: str, value: Tensor | SparseTensor) -> FoundTensor:
    if isinstance(value, SparseTensor):
        return FoundTensor(graph, name, value.values, value)
    return FoundTensor(graph, name, value)


def _in_attributes(graph: Graph) -> Iterator[tuple[tuple[str, str], Tensor | SparseTensor]]:
    """Every tensor in an attribute, under its name and under the node's name as it stands."""
    nodes, at = graph.nodes, graph.nodes.attributes
    rows = nodes.attribute_rows
    owners = dict(zip(rows.flat.tolist(), rows.owners.tolist(), strict=True))
    uses = Counter(nodes.names)
    for row, value in at.others.items():
        raw = nodes.names[owners[row]]
        name = escape_path_part(raw) if raw and uses[raw] == 1 else f"#{nodes.indices[owners[row]]}"
        parts = value if isinstance(value, tuple) else (value,)
        for i, part in enumerate(parts):
            if isinstance(part, Tensor | SparseTensor):
                place = f"{at.names[row]}/{i}" if isinstance(value, tuple) else at.names[row]
                yield (f"{name}/{place}", f"{raw}/{place}"), part


def _missing(document: Document, graphs: tuple[Graph, ...], name: str) -> MissingError:
    names = [known for graph in graphs for known in _names(graph)]
    close = difflib.get_close_matches(name, names[:LIKELY], 3)
    hint = f"There is {listed([repr(text) for text in close])}." if close else ""
    return MissingError(f"There is no tensor {name!r}", where=Where(str(document.path)), hint=hint)


def _names(graph: Graph) -> Iterator[str]:
    yield from graph.initializers.names
    yield from (sparse.values.name for sparse in graph.sparse_initializers)
    yield from (spellings[0] for spellings, _ in _in_attributes(graph))
