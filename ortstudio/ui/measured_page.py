"""A page that runs what is open when it is asked to, and then has tables to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

Row = TypeVar("Row")

WIDEST_COLUMN = 80 * SPACE


class MeasuredPage(ToolPage):
    """Words on top, then one of several tables. What it says comes from outside."""

    shown = Signal()
    """Somebody looks at it."""
    start_requested = Signal()
    cancel_requested = Signal()
    save_requested = Signal(str)
    """The result is wanted as a file of this kind."""
    chosen = Signal(object)
    """A row that is to be shown in the pictures."""

    def __init__(self, start: str, nothing: str, kinds: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._verb, self._nothing = start, nothing
        self._follows = False
        self._has_result = False
        self.about = PlainLabel(nothing, self)
        self.about.setMargin(3 * SPACE)
        self.words = PlainLabel(parent=self)
        self._tables = QStackedLayout()
        self._measured = QWidget(self)
        column = QVBoxLayout(self._measured)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()  # The margins of a label itself are lost when the theme changes.
        head.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        head.addWidget(self.words)
        column.addLayout(head)
        column.addLayout(self._tables, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.about)
        self._stack.addWidget(self._measured)
        self.tools = self._make_tools(kinds)

    def _make_tools(self, kinds: Sequence[tuple[str, str]]) -> QWidget:
        tools = QWidget(self)
        self.row = QHBoxLayout(tools)
        self.row.setContentsMargins(0, SPACE, 0, SPACE)
        self.row.setSpacing(2 * SPACE)
        self.parts = QTabBar()
        self.parts.setDrawBase(False)
        self.parts.setExpanding(False)
        self.parts.setUsesScrollButtons(True)
        self.state = ElidedLabel()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)
        self.filter.setMaximumWidth(45 * SPACE)
        self.result, self.start = QPushButton("Result"), QPushButton(self._verb)
        self.start.setMinimumWidth(self.start.sizeHint().width() + 4 * SPACE)
        menu = QMenu("Result", self)
        for text, kind in kinds:
            menu.addAction(text).triggered.connect(
                lambda _checked=False, kind=kind: self.save_requested.emit(kind)
            )
        self.result.setMenu(menu)
        self.row.addWidget(self.parts)
        self.row.addWidget(self.state, 1)
        for widget in (self.filter, self.result, self.start):
            self.row.addWidget(widget)
        self.parts.currentChanged.connect(self._show_part)
        self.filter.textChanged.connect(self._filter)
        self.start.clicked.connect(self._start_or_cancel)
        self._allow()
        return tools

    def add_table(self, title: str, columns: Sequence[Column[Row]]) -> TableView[Row]:
        """One more table, under a name of its own."""
        model: TableModel[Row] = TableModel(columns)
        table = TableView(model, self._measured)
        model.setParent(table)
        table.setAccessibleName(title)
        table.selectionModel().currentRowChanged.connect(self._current)
        table.activated.connect(self._current)
        self._tables.addWidget(table)
        self.parts.addTab(title)
        return table

    def showEvent(self, event: QShowEvent) -> None:
        """Say that somebody looks."""
        super().showEvent(event)
        self.shown.emit()

    def say(self, text: str = "", *, may_start: bool = True) -> None:
        """Show a sentence and no result."""
        self._has_result = False
        self.about.setText(text or self._nothing)
        self._stack.setCurrentWidget(self.about)
        self.start.setEnabled(may_start)
        self.state.setText("")
        self._allow()

    def show_result(self, words: str) -> None:
        """Show the tables, which were filled before, under some words."""
        self._has_result = True
        self.words.setText(words)
        self._stack.setCurrentWidget(self._measured)
        self._allow()
        self.parts.ensurePolished()
        self.parts.updateGeometry()  # Qt keeps the width that it had with other tabs.

    def fill(self, table: TableView[Row], rows: Sequence[Row]) -> None:
        """Put rows into a table; its part is offered where there are any."""
        table.model().set_rows(rows)
        table.resizeColumnsToContents()
        for column in range(table.model().columnCount()):
            table.setColumnWidth(column, min(table.columnWidth(column), WIDEST_COLUMN))
        place = self._tables.indexOf(table)
        self.parts.setTabVisible(place, bool(rows) or place == 0)

    def show_running(self, is_running: bool, text: str = "") -> None:
        """Offer to cancel, or to start."""
        self.start.setText("Cancel" if is_running else self._verb)
        self.state.setText(text)

    def select(self, table: TableView[Row], row: Row | None) -> None:
        """Follow a selection that was made elsewhere."""
        index = QModelIndex() if row is None else table.model().find(row)
        if index.isValid() and index.row() != table.currentIndex().row():
            self._follows = True
            table.selectRow(index.row())
            self._follows = False
            table.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _allow(self) -> None:
        for widget in (self.parts, self.filter, self.result):
            widget.setVisible(self._has_result)

    def _show_part(self, place: int) -> None:
        self._tables.setCurrentIndex(place)
        self._filter(self.filter.text())

    def _filter(self, text: str) -> None:
        table = self._tables.currentWidget()
        if isinstance(table, TableView):
            table.model().set_filter(text)

    def _current(self, index: QModelIndex) -> None:
        model: QAbstractItemModel | None = index.model() if index.isValid() else None
        if model is not None and not self._follows:
            self.chosen.emit(index.data(RefRole))

    def _start_or_cancel(self) -> None:
        is_running = self.start.text() == "Cancel"
        (self.cancel_requested if is_running else self.start_requested).emit()
