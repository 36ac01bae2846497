"""The page below on what a build must have: operators, config, flags, what to know."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QStackedLayout,
    QWidget,
)

from ortstudio.analysis.operator_matrix import MatrixRow
from ortstudio.analysis.words import count
from ortstudio.services.ops_open import OpenNeeds
from ortstudio.ui import theme
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.operators.rows import (
    flag_columns,
    flag_rows,
    matrix_columns,
    note_columns,
    note_rows,
)
from ortstudio.ui.tables import Column, Row, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

OPERATORS, CONFIG, FLAGS, NOTES = range(4)
PARTS = ("Operators", "Config", "Build Flags", "To Know")
WIDEST_COLUMN = 110 * SPACE


class OperatorsPage(ToolPage):
    """Says what was found out, and asks for more."""

    shown = Signal()
    """Somebody looks at it."""
    types_wanted = Signal(bool)
    """Types are to be told too, or no longer."""
    add_requested = Signal()
    save_requested = Signal()
    operator_chosen = Signal(object)
    """The `MatrixRow` that is to be shown in the picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: OpenNeeds | None = None
        self.words = PlainLabel(parent=self)
        self.words.setMargin(3 * SPACE)
        self.matrix: TableView[MatrixRow] | None = None
        self.config = _text_view("Operator config", self)
        self.flags = _table(flag_columns(), "Build flags", self)
        self.notes = _table(note_columns(), "To know", self)
        self._stack = QStackedLayout(self)
        for part in (self.words, self.config, self.flags, self.notes):
            self._stack.addWidget(part)
        self.tools = self._make_tools()

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(SPACE)
        self.parts = QButtonGroup(tools)
        for place, name in enumerate(PARTS):
            button = QPushButton(name)
            button.setCheckable(True)
            button.setChecked(not place)
            self.parts.addButton(button, place)
            row.addWidget(button)
        self.types = QCheckBox("Types")
        self.types.setToolTip("Tell the types too that each operator must take")
        self.state = ElidedLabel()
        row.addSpacing(2 * SPACE)
        row.addWidget(self.types)
        row.addSpacing(2 * SPACE)
        row.addWidget(self.state, 1)
        self.add, self.copy = QPushButton("Add Files…"), QPushButton("Copy")
        self.save = QPushButton("Save Config…")
        for button in (self.add, self.copy, self.save):
            row.addWidget(button)
        self.parts.idClicked.connect(self.show_part)
        self.types.toggled.connect(self.types_wanted)
        self.add.clicked.connect(self.add_requested)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self.save_requested)
        return tools

    def showEvent(self, event: QShowEvent) -> None:
        """Say that somebody looks."""
        super().showEvent(event)
        self.shown.emit()

    def say(self, text: str) -> None:
        """Show a sentence in the place of an answer."""
        self._found = None
        self.words.setText(text)
        self.state.setText("")
        self._allow()
        self._stack.setCurrentWidget(self.words)

    def show_needs(self, found: OpenNeeds) -> None:
        """Show an answer, at the part that was looked at last."""
        self._found = found
        self._show_matrix(found)
        self.config.setPlainText(found.text)
        _fill(self.flags, tuple(flag_rows(found.flags)))
        notes = note_rows(found.everything)
        _fill(self.notes, notes)
        button = self.parts.button(NOTES)
        button.setText(f"{PARTS[NOTES]} ({len(notes)})" if notes else PARTS[NOTES])
        button.setEnabled(bool(notes))
        self.state.setText(_summed_up(found))
        self._allow()
        part = self.parts.checkedId()
        self.show_part(OPERATORS if part == NOTES and not notes else max(part, OPERATORS))

    def show_part(self, place: int) -> None:
        """Turn to the operators, the config, the flags or what to know."""
        button = self.parts.button(place)
        if button is not None:
            button.setChecked(True)
        if self._found is not None and self.matrix is not None:
            parts = (self.matrix, self.config, self.flags, self.notes)
            self._stack.setCurrentWidget(parts[place])
        self._allow()

    def _show_matrix(self, found: OpenNeeds) -> None:
        """A table of its own for each set of sources, since each is a column."""
        old = self.matrix
        self.matrix = table = _table(matrix_columns(found.everything), "Operators", self)
        self._stack.addWidget(table)
        if old is not None:
            self._stack.removeWidget(old)
            old.deleteLater()
        _fill(table, found.everything.matrix())
        table.activated.connect(self._choose)

    def _choose(self, index: QModelIndex) -> None:
        row = index.data(RefRole)
        if isinstance(row, MatrixRow):
            self.operator_chosen.emit(row)

    def _allow(self) -> None:
        """Let the buttons do what can be done with what is shown."""
        has = self._found is not None
        self.save.setEnabled(has and bool(self._found and self._found.text))
        self.copy.setEnabled(has)

    def _copy(self) -> None:
        """The table, the config, or the flags in one line: what is shown."""
        if self._found is None or self.matrix is None:
            return
        place = self.parts.checkedId()
        if place == CONFIG:
            text = self._found.text
        elif place == FLAGS:
            text = self._found.flags.text
        else:
            text = _whole(self.matrix) if place == OPERATORS else _whole(self.notes)
        QGuiApplication.clipboard().setText(text)


def _summed_up(found: OpenNeeds) -> str:
    """`22 operators, config for 1 file`."""
    operators = count(len(found.shipped.required.operators), "operator")
    files = sum(row.required is not None for row in found.shipped.rows)
    against = len(found.flags.contradictions)
    text = f"Config: {operators} for {count(files, 'file')}"
    return f"{text}; {count(against, 'contradiction')}, see Build Flags" if against else text


def _table(columns: Sequence[Column[Row]], name: str, parent: QWidget) -> TableView[Row]:
    model: TableModel[Row] = TableModel(columns, parent=parent)
    table = TableView(model, parent)
    table.setAccessibleName(name)
    return table


def _fill(table: TableView[Row], rows: Sequence[Row]) -> None:
    table.model().set_rows(rows)
    table.resizeColumnsToContents()
    for column in range(table.model().columnCount() - 1):
        table.setColumnWidth(column, min(table.columnWidth(column), WIDEST_COLUMN))


def _whole(table: TableView[Row]) -> str:
    """The table as tab-separated lines, its titles first."""
    model = table.model()
    columns = range(model.columnCount())
    titles = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in columns]
    rows = [model.copied(model.index(row, 0)) for row in range(model.rowCount())]
    return "\n".join("\t".join(cells) for cells in [titles, *rows])


def _text_view(name: str, parent: QWidget) -> QPlainTextEdit:
    """Lines as they are, to be read and copied."""
    view = QPlainTextEdit(parent)
    view.setAccessibleName(name)
    view.setReadOnly(True)
    view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setFont(theme.mono())
    view.document().setDocumentMargin(3 * SPACE)
    return view
