"""What stands in the tree at the left: all that is in a model, as items with counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from ortstudio.analysis.picture import dims_text
from ortstudio.analysis.words import size_text
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.types import data_type_text
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.document import Document
from ortstudio.ui.items import Holds, Item, Rows, row_of

Place = tuple[int, Ref]
"""What a row stands for: a side of the workspace and something in its model."""

LONGEST = 1000
"""Rows of a list. A longer one is opened in parts: a tree lays out all that it opens."""


class Contents:
    """The items of the model on one side."""

    def __init__(self, document: Document, side: int) -> None:
        self._document = document
        self._side = side
        self._whole = self._place(RefKind.MODEL)
        """What a heading of the whole model stands for."""

    def item(self) -> Item:
        """The model, over everything in it."""
        document, below = self._document, list(self._below())
        return Item(
            document.path.name,
            None,
            self._whole,
            below,
            "onnx" if document.model.kind is FileKind.ONNX else "ort",
            f"{document.path}\n{KIND_TEXT[document.model.kind]}",
            heading=True,
            holds=partial(row_of, below),
        )

    def _below(self) -> Iterator[Item]:
        model = self._document.model
        if model.opset_imports:
            imports = self._place(RefKind.OPSETS)
            yield Item("Opset imports", len(model.opset_imports), imports, icon="opset")
        if model.metadata:
            metadata = self._place(RefKind.METADATA)
            yield Item("Metadata", len(model.metadata), metadata, icon="metadata")
        if model.kind in _WITHOUT_GRAPH:
            yield from self._tensors(self._document.graphs[0], 0, "Tensors")
            return
        yield self._graph(0, "Graph", heading=True)
        inner = range(1, len(model.graphs))
        if inner:
            yield self._graphs("Subgraphs", "subgraph", inner)
        functions = range(len(model.graphs), len(self._document.graphs))
        if functions:
            yield self._graphs("Functions", "function", functions)
        if model.ort is None:
            return
        if model.ort.resolver is not None:
            rows = Rows(len(model.ort.resolver), self._resolver_entry)
            holds = self._has(RefKind.RESOLVER)
            yield _list("Kernel type resolver", "resolver", rows, holds, self._whole)
        records = sum(len(graph.runtime_optimizations) for graph in model.ort.graphs)
        if records:
            rows = Rows(records, self._optimization)
            holds = self._has(RefKind.OPTIMIZATION)
            yield _list("Saved optimizations", "optimization", rows, holds, self._whole)

    def _place(self, kind: RefKind, graph: int = 0, row: int = 0) -> Place:
        return self._side, Ref(kind, graph, row)

    def _holds(self, row: Callable[[Ref], int | None]) -> Holds:
        """What `Item.holds` asks, put to a function of what is in this model."""

        def holds(place: object) -> int | None:
            side, ref = cast(Place, place)
            return row(ref) if side == self._side else None

        return holds

    def _has(self, kind: RefKind, graph: int = 0) -> Holds:
        """For a list whose rows stand in the order of their `Ref`s."""
        return self._holds(lambda ref: ref.row if (ref.kind, ref.graph) == (kind, graph) else None)

    def _graphs(self, title: str, icon: str, numbers: range) -> Item:
        def make(row: int) -> Item:
            return self._graph(numbers[row], self._document.graph_title(numbers[row]))

        def row(ref: Ref) -> int | None:
            inside = ref.graph in numbers and ref.kind in _IN_GRAPHS
            return ref.graph - numbers.start if inside else None

        rows = Rows(len(numbers), make, parents=range(len(numbers)))
        return _list(title, icon, rows, self._holds(row), self._whole)

    def _graph(self, number: int, text: str, *, heading: bool = False) -> Item:
        """A graph over the lists of what is in it."""
        graph = self._document.graphs[number]
        lists = list(self._lists(graph, number))
        return Item(
            text,
            len(graph.nodes),
            self._place(RefKind.GRAPH, number),
            lists,
            "graph",
            graph.path,
            heading=heading,
            holds=partial(row_of, lists),
        )

    def _lists(self, graph: Graph, number: int) -> Iterator[Item]:
        yield from self._values("Inputs", "input", number, graph.inputs.tolist())
        yield from self._values("Outputs", "output", number, graph.outputs.tolist())
        nodes = Rows(len(graph.nodes), partial(self._node, number))
        yield self._rows("Nodes", "node", RefKind.NODE, number, nodes)
        yield from self._tensors(graph, number, "Initializers")
        if graph.sparse_initializers:
            sparse = Rows(len(graph.sparse_initializers), partial(self._sparse, number))
            title, kind = "Sparse initializers", RefKind.SPARSE_INITIALIZER
            yield self._rows(title, "tensor", kind, number, sparse)

    def _tensors(self, graph: Graph, number: int, title: str) -> Iterator[Item]:
        if len(graph.initializers):
            rows = Rows(len(graph.initializers), partial(self._initializer, number))
            yield self._rows(title, "tensor", RefKind.INITIALIZER, number, rows)

    def _rows(self, title: str, icon: str, kind: RefKind, number: int, rows: Rows) -> Item:
        owner = self._place(RefKind.GRAPH, number)
        return _list(title, icon, rows, self._has(kind, number), owner)

    def _values(self, title: str, icon: str, number: int, ends: list[int]) -> Iterator[Item]:
        ids = [value for value in ends if value >= 0]
        places = {value: row for row, value in reversed(list(enumerate(ids)))}

        def row(ref: Ref) -> int | None:
            return places.get(ref.row) if _is_value(ref, number) else None

        if ids:
            rows = Rows(len(ids), lambda row: self._value(number, ids[row], icon))
            owner = self._place(RefKind.GRAPH, number)
            yield _list(title, icon, rows, self._holds(row), owner)

    def _value(self, number: int, value: int, icon: str) -> Item:
        values = self._document.graphs[number].values
        name, tip = values.names[value], f"{values.names[value]}\n{values.types[value] or ''}"
        place = self._place(RefKind.VALUE, number, value)
        return Item(name, None, place, icon=icon, tip=tip, mono=True)

    def _node(self, number: int, row: int) -> Item:
        nodes = self._document.graphs[number].nodes
        name = nodes.names[row]
        text = f"{nodes.ops[row]}  {name or f'#{int(nodes.indices[row])}'}"
        return Item(text, None, self._place(RefKind.NODE, number, row), tip=name)

    def _initializer(self, number: int, row: int) -> Item:
        tensor = self._document.graphs[number].initializers[row]
        tip = f"{tensor.name}\n{data_type_text(tensor.data_type)}{list(tensor.dims)}"
        place = self._place(RefKind.INITIALIZER, number, row)
        return Item(tensor.name, dims_text(tensor.dims) or "scalar", place, tip=tip, mono=True)

    def _sparse(self, number: int, row: int) -> Item:
        sparse = self._document.graphs[number].sparse_initializers[row]
        size = size_text(sparse.values.size_bytes + sparse.indices.size_bytes)
        place = self._place(RefKind.SPARSE_INITIALIZER, number, row)
        return Item(sparse.values.name, size, place, mono=True)

    def _resolver_entry(self, row: int) -> Item:
        use = self._document.resolver[row]
        return Item(
            use.entry.op_id,
            len(use.nodes) or None,
            self._place(RefKind.RESOLVER, 0, row),
            tip="\n".join(use.words) or use.note,
            mono=True,
            muted=not use.nodes,
        )

    def _optimization(self, row: int) -> Item:
        saved = self._document.optimizations[row]
        return Item(
            saved.text,
            None,
            self._place(RefKind.OPTIMIZATION, 0, row),
            icon="error" if saved.replays == "no" else "optimization",
            tip=f"{saved.record.optimizer}, {saved.record.action}\n{saved.text}\n{saved.why}",
        )


_WITHOUT_GRAPH = (FileKind.CHECKPOINT, FileKind.ADAPTER)

_IN_GRAPHS = {
    RefKind.GRAPH,
    RefKind.NODE,
    RefKind.VALUE,
    RefKind.INITIALIZER,
    RefKind.SPARSE_INITIALIZER,
}


def _is_value(ref: Ref, graph: int) -> bool:
    return ref.kind is RefKind.VALUE and ref.graph == graph


def _list(title: str, icon: str, rows: Rows, holds: Holds, owner: Place) -> Item:
    """A heading over rows, or over parts of them where there are many."""
    if len(rows) <= LONGEST:
        return Item(title, len(rows), owner, rows, icon, heading=True, holds=holds)

    def part(number: int) -> Item:
        return _part(rows, number * LONGEST, holds, owner)

    def part_of(place: object) -> int | None:
        row = holds(place)
        return None if row is None else row // LONGEST

    count = -(-len(rows) // LONGEST)
    parts = Rows(count, part, parents=range(count))
    return Item(title, len(rows), owner, parts, icon, heading=True, holds=part_of)


def _part(rows: Rows, first: int, holds: Holds, owner: Place) -> Item:
    end = min(first + LONGEST, len(rows))

    def row_in_part(place: object) -> int | None:
        row = holds(place)
        return None if row is None or not first <= row < end else row - first

    part = Rows(end - first, lambda row: rows[first + row])
    text = f"{first:,} to {end - 1:,}"
    return Item(text, None, owner, part, heading=True, holds=row_in_part)
