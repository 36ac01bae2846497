"""The tree at the left: all that is in each open model, and a box that filters it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QTimer
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.model.refs import Ref, RefKind
from ortstudio.ui import theme
from ortstudio.ui.contents_tree import Contents, Place
from ortstudio.ui.item_views import TreeView
from ortstudio.ui.items import Item, RefRole, TreeModel, filtered, way_to
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.workspace import Workspace

_FILTER_DELAY_MS = 150
_SHOWN_AT_ONCE = 200
"""Rows that a filter's answer is unfolded to, before it is better unfolded by hand."""


class Navigator(QWidget):
    """One tree with both models. It follows the selection, and makes it."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._items: dict[int, Item] = {}
        self.model = TreeModel(parent=self)
        self.tree = TreeView(self.model, self)
        self.tree.setAccessibleName("Contents")
        self.tree.setMinimumHeight(10 * theme.SPACE)  # Two rows: a low window has room for pages.
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter by name or operator")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)
        self._delay = QTimer(self, singleShot=True, interval=_FILTER_DELAY_MS)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(2 * theme.SPACE, theme.SPACE, 2 * theme.SPACE, 2 * theme.SPACE)
        head.addWidget(self.filter)
        layout.addLayout(head)
        layout.addWidget(self.tree, 1)
        self.filter.textChanged.connect(lambda _text: self._delay.start())
        self._delay.timeout.connect(self._apply_filter)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.activated.connect(self._activated)
        workspace.changed.connect(self._rebuild)
        workspace.selected.connect(self._follow)
        self._rebuild()

    def _rebuild(self) -> None:
        self._items = {}
        for side in self._workspace.open_sides:
            document = self._workspace.document(side)
            if document is not None:
                self._items[side] = Contents(document, side).item()
        self._apply_filter()

    def _apply_filter(self) -> None:
        """Show what the filter leaves. All the names of a large model take a moment to look at."""
        self._delay.stop()
        text, items = self.filter.text().strip(), list(self._items.values())
        if not text:
            self._tasks.drop("filter")
            self._show_all()
            return
        self._tasks.run(
            lambda _task: filtered(items, text),
            done=self._show_filtered,
            failed=_ignore,
            lane="filter",
        )

    def _show_all(self) -> None:
        self.model.set_items(list(self._items.values()))
        for row, (side, item) in enumerate(self._items.items()):
            for way in ([], way_to(item, (side, Ref(RefKind.GRAPH)))):
                self.tree.expand(self.model.index_at([row, *way]))
        side = self._workspace.active
        self._follow(side, self._workspace.selection(side))

    def _show_filtered(self, items: Sequence[Item]) -> None:
        self.model.set_items(items)
        shown, waiting = len(items), [self.model.index(row, 0) for row in range(len(items))]
        while waiting and shown <= _SHOWN_AT_ONCE:
            index = waiting.pop(0)
            below = range(self.model.rowCount(index))
            self.tree.expand(index)
            shown += len(below)
            waiting += [self.model.index(row, 0, index) for row in below]

    def _chosen(self, current: QModelIndex) -> None:
        place = _place(current)
        if place is not None:
            self._workspace.select(*place)

    def _activated(self, index: QModelIndex) -> None:
        """Enter or a double click on a graph shows it."""
        place = _place(index)
        if place is not None and place[1].kind is RefKind.GRAPH:
            self._workspace.show_graph(place[0], place[1].graph)

    def _follow(self, side: int, ref: Ref | None) -> None:
        """Go to the row of what was selected; to none where it has none, or the filter is on."""
        if side != self._workspace.active or _place(self.tree.currentIndex()) == (side, ref):
            return
        index = QModelIndex()
        if side in self._items and ref is not None and not self.filter.text():
            way = way_to(self._items[side], (side, ref))
            if way or ref.kind is RefKind.MODEL:
                index = self.model.index_at([list(self._items).index(side), *way])
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.tree.selectionModel().setCurrentIndex(
            index, flags | QItemSelectionModel.SelectionFlag.Rows
        )


def _place(index: QModelIndex) -> Place | None:
    place: Place | None = index.data(RefRole) if index.isValid() else None
    return place


def _ignore(_error: StudioError) -> None:
    """A filter reads nothing from disk and cannot fail."""
