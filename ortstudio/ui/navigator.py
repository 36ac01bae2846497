"""The tree at the left: all that is in each open model, with counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, QTimer
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from ortstudio.analysis.picture import dims_text
from ortstudio.analysis.words import size_text
from ortstudio.model.graph import Graph
from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.types import data_type_text
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.document import Document
from ortstudio.ui import theme
from ortstudio.ui.item_views import TreeView
from ortstudio.ui.items import Item, RefRole, Rows, TreeModel, filtered
from ortstudio.ui.workspace import Workspace

Place = tuple[int, Ref]
"""What a row stands for: a side of the workspace and something in its model."""

_FILTER_DELAY_MS = 150


class Navigator(QWidget):
    """One tree with both models, and a box that filters it."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._items: list[Item] = []
        self.model = TreeModel(parent=self)
        self.tree = TreeView(self.model, self)
        self.tree.setAccessibleName("Contents")
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter by name or operator")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)
        self._delay = QTimer(self, singleShot=True, interval=_FILTER_DELAY_MS)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE)
        layout.addWidget(self.filter)
        layout.addWidget(self.tree, 1)
        self.filter.textChanged.connect(self._restart)
        self._delay.timeout.connect(self._apply_filter)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.activated.connect(self._activated)
        workspace.changed.connect(self._rebuild)
        workspace.selected.connect(self._selected)
        self._rebuild()

    def _restart(self, _text: str) -> None:
        """Filter once the typing pauses."""
        self._delay.start()

    def _rebuild(self) -> None:
        self._items = [self._document_item(side) for side in self._workspace.open_sides]
        self._show(self._items)

    def _show(self, items: Sequence[Item], deep: bool = False) -> None:
        self.model.set_items(items)
        for row in range(len(items)):
            top = self.model.index(row, 0)
            self.tree.expand(top)
            for below in range(self.model.rowCount(top)):
                index = self.model.index(below, 0, top)
                if deep or self.model.item(index).text == MAIN_GRAPH:
                    self.tree.expand(index)

    def _apply_filter(self) -> None:
        text = self.filter.text().strip()
        self._show(filtered(self._items, text) if text else self._items, deep=bool(text))

    def _document_item(self, side: int) -> Item:
        document = self._workspace.document(side)
        assert document is not None
        return Item(
            document.path.name,
            ref=(side, Ref(RefKind.MODEL)),
            children=list(contents(document, side)),
            icon="onnx" if document.model.kind.value == "onnx" else "ort",
            tip=f"{document.path}\n{KIND_TEXT[document.model.kind]}",
        )

    def _chosen(self, current: QModelIndex) -> None:
        place = current.data(RefRole) if current.isValid() else None
        if place is not None:
            self._workspace.select(*place)

    def _activated(self, index: QModelIndex) -> None:
        """Enter or a double click on a graph shows it."""
        place = index.data(RefRole)
        if place is not None and place[1].kind is RefKind.GRAPH:
            self._workspace.show_graph(place[0], place[1].graph)

    def _selected(self, side: int, ref: Ref | None) -> None:
        """Follow a selection made elsewhere, where its row can be found without a search."""
        if side != self._workspace.active or ref is None or self.filter.text():
            return
        current = self.tree.currentIndex()
        if current.isValid() and current.data(RefRole) == (side, ref):
            return
        path = self._path(side, ref)
        with QSignalBlocker(self.tree.selectionModel()):
            if path:
                index = self.model.index_at(path)
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
                flags |= QItemSelectionModel.SelectionFlag.Rows
                self.tree.selectionModel().setCurrentIndex(index, flags)
                self.tree.scrollTo(index)
        self.tree.viewport().update()

    def _path(self, side: int, ref: Ref) -> list[int]:
        """Row numbers from the top to the row of a `Ref`; empty where it has none of its own."""
        if side not in self._workspace.open_sides:
            return []
        path = [self._workspace.open_sides.index(side)]
        items: Sequence[Item] = self._items[path[0]].below()
        if ref.kind is RefKind.MODEL:
            return path
        found = _descend(items, side, ref)
        return path + found if found else []


MAIN_GRAPH = "Graph"


def _descend(items: Sequence[Item], side: int, ref: Ref) -> list[int]:
    """The way to a row below `items`: lists are known by what their rows are, not searched."""
    for row, item in enumerate(items):
        if item.ref == (side, ref):
            return [row]
        holds = _HOLDERS.get(item.text)
        if holds is not None and holds is ref.kind and _list_graph(item) in (None, ref.graph):
            return [row, ref.row]
        if item.text in (MAIN_GRAPH, "Subgraphs", "Functions") or _list_graph(item) == ref.graph:
            below = _descend(item.below(), side, ref)
            if below:
                return [row, *below]
    return []


_HOLDERS = {
    "Nodes": RefKind.NODE,
    "Initializers": RefKind.INITIALIZER,
    "Sparse initializers": RefKind.SPARSE_INITIALIZER,
    "Kernel type resolver": RefKind.RESOLVER,
    "Saved optimizations": RefKind.OPTIMIZATION,
}
"""Lists whose rows stand in the order of their `Ref`s."""


def _list_graph(item: Item) -> int | None:
    """The graph that a list or a graph row belongs to."""
    return item.ref[1].graph if isinstance(item.ref, tuple) else None


def contents(document: Document, side: int) -> Iterator[Item]:
    """What stands below a model in the tree."""
    model = document.model
    if model.opset_imports:
        yield Item(
            "Opset imports",
            len(model.opset_imports),
            (side, Ref(RefKind.OPSETS)),
            icon="opset",
        )
    if model.metadata:
        yield Item("Metadata", len(model.metadata), (side, Ref(RefKind.METADATA)), icon="metadata")
    yield graph_item(document, side, 0, MAIN_GRAPH)
    if len(model.graphs) > 1:
        inner = range(1, len(model.graphs))
        yield Item(
            "Subgraphs", len(inner), None, partial(_graphs, document, side, inner), "subgraph"
        )
    outer = range(len(model.graphs), len(document.graphs))
    if outer:
        yield Item(
            "Functions", len(outer), None, partial(_graphs, document, side, outer), "function"
        )
    if model.ort is not None and model.ort.resolver is not None:
        yield Item(
            "Kernel type resolver",
            len(model.ort.resolver),
            None,
            partial(_resolver, document, side),
            "resolver",
        )
    if document.optimizations:
        yield Item(
            "Saved optimizations",
            len(document.optimizations),
            None,
            partial(_optimizations, document, side),
            "optimization",
        )


def _graphs(document: Document, side: int, numbers: range) -> list[Item]:
    return [graph_item(document, side, i, document.graph_title(i)) for i in numbers]


def graph_item(document: Document, side: int, number: int, text: str) -> Item:
    """A graph with the lists of what is in it."""
    graph = document.graphs[number]
    ref = (side, Ref(RefKind.GRAPH, number))
    rows = partial(_graph_rows, document, side, number)
    return Item(text, len(graph.nodes), ref, rows, "graph", graph.path)


def _graph_rows(document: Document, side: int, number: int) -> list[Item]:
    graph = document.graphs[number]
    owner = (side, Ref(RefKind.GRAPH, number))
    inputs = partial(_values, graph, side, number, graph.inputs.tolist(), "input")
    outputs = partial(_values, graph, side, number, graph.outputs.tolist(), "output")
    rows = [
        Item("Inputs", len(graph.inputs), owner, inputs, "input"),
        Item("Outputs", len(graph.outputs), owner, outputs, "output"),
        Item("Nodes", len(graph.nodes), owner, partial(_nodes, graph, side, number), "node"),
        Item(
            "Initializers",
            len(graph.initializers),
            owner,
            partial(_initializers, graph, side, number),
            "tensor",
        ),
        Item(
            "Sparse initializers",
            len(graph.sparse_initializers),
            owner,
            partial(_sparse, graph, side, number),
            "tensor",
        ),
    ]
    return [row for row in rows if row.count or row.text == "Nodes"]


def _values(graph: Graph, side: int, number: int, ids: Sequence[int], icon: str) -> list[Item]:
    return [
        Item(
            graph.values.names[i],
            ref=(side, Ref(RefKind.VALUE, number, i)),
            icon=icon,
            tip=f"{graph.values.names[i]}\n{graph.values.types[i] or ''}",
            mono=True,
        )
        for i in ids
        if i >= 0
    ]


def _nodes(graph: Graph, side: int, number: int) -> Rows:
    nodes = graph.nodes

    def item(row: int) -> Item:
        op, name = nodes.ops[row], nodes.names[row]
        text = f"{op}  {name}" if name else f"{op}  #{int(nodes.indices[row])}"
        return Item(text, ref=(side, Ref(RefKind.NODE, number, row)), tip=name)

    return Rows(len(nodes), item)


def _initializers(graph: Graph, side: int, number: int) -> Rows:
    tensors = graph.initializers

    def item(row: int) -> Item:
        tensor = tensors[row]
        return Item(
            tensor.name,
            dims_text(tensor.dims) or "scalar",
            (side, Ref(RefKind.INITIALIZER, number, row)),
            tip=f"{tensor.name}\n{data_type_text(tensor.data_type)}{list(tensor.dims)}",
            mono=True,
        )

    return Rows(len(tensors), item)


def _sparse(graph: Graph, side: int, number: int) -> list[Item]:
    return [
        Item(
            sparse.values.name,
            size_text(sparse.values.size_bytes + sparse.indices.size_bytes),
            (side, Ref(RefKind.SPARSE_INITIALIZER, number, row)),
            mono=True,
        )
        for row, sparse in enumerate(graph.sparse_initializers)
    ]


def _resolver(document: Document, side: int) -> list[Item]:
    return [
        Item(
            use.entry.op_id,
            len(use.nodes) or None,
            (side, Ref(RefKind.RESOLVER, 0, row)),
            tip="\n".join(use.words) or use.note,
            mono=True,
            muted=not use.nodes,
        )
        for row, use in enumerate(document.resolver)
    ]


def _optimizations(document: Document, side: int) -> list[Item]:
    return [
        Item(
            saved.text,
            None,
            (side, Ref(RefKind.OPTIMIZATION, 0, row)),
            icon="error" if saved.replays == "no" else "optimization",
            tip=f"{saved.record.optimizer}, {saved.record.action}\n{saved.text}\n{saved.why}",
        )
        for row, saved in enumerate(document.optimizations)
    ]
