# ruff: noqa: D102 - Qt calls these methods, and documents them
"""How trees and tables look and behave everywhere: even rows, the keyboard, copying as text."""

from __future__ import annotations

from typing import Generic

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QTreeView,
    QWidget,
)

from ortstudio.ui.items import TreeModel
from ortstudio.ui.tables import Row, TableModel
from ortstudio.ui.theme import SPACE

_MEASURED_ROWS = 60
"""Rows that decide how wide a column is: Qt's thousand take a quarter of a second."""


class TreeView(QTreeView):
    """A tree of `items.TreeModel`: the text takes the room, the count stands at the right."""

    def __init__(self, model: TreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setModel(model)
        self.setUniformRowHeights(True)
        self.setHeaderHidden(True)
        self.setIndentation(4 * SPACE)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(8 * SPACE)
        header.setResizeContentsPrecision(0)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def model(self) -> TreeModel:
        return self._model

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _copied(self, event):
            super().keyPressEvent(event)


class TableView(QTableView, Generic[Row]):
    """A table of `tables.TableModel`: whole rows, sorted by a click, a third click undoes it."""

    def __init__(self, model: TableModel[Row], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 2 * SPACE)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def model(self) -> TableModel[Row]:
        return self._model

    def fit_columns(self, widest: int) -> None:
        """Make all but the last, which has the rest, as wide as needed, and no wider than this."""
        self.resizeColumnsToContents()
        for column in range(self._model.columnCount() - 1):
            self.setColumnWidth(column, min(self.columnWidth(column), widest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _copied(self, event):
            super().keyPressEvent(event)


def selection_text(view: TreeView | TableView[Row]) -> str:
    """The selected rows as tab-separated lines in the order shown."""
    rows: dict[tuple[int, ...], list[str]] = {}
    model = view.model()
    for chosen in view.selectionModel().selection().toList():
        above = _path(chosen.parent())
        for row in range(chosen.top(), chosen.bottom() + 1):
            rows[(*above, row)] = model.copied(model.index(row, 0, chosen.parent()))
    return "\n".join("\t".join(map(_one_line, rows[path])) for path in sorted(rows))


def _copied(view: TreeView | TableView[Row], event: QKeyEvent) -> bool:
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    QGuiApplication.clipboard().setText(selection_text(view))
    return True


def _one_line(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")


def _path(index: QModelIndex) -> tuple[int, ...]:
    path: list[int] = []
    while index.isValid():
        path.insert(0, index.row())
        index = index.parent()
    return tuple(path)
