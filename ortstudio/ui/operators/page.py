"""The page below on what a build must have: operators, config, flags, what to know."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
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
from ortstudio.ui import icons, theme
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.operators.rows import matrix_columns
from ortstudio.ui.operators.sheets import flags_sheet, notes_sheet
from ortstudio.ui.tables import Column, Row, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

OPERATORS, CONFIG, FLAGS, NOTES = range(4)
PARTS = ("Operators", "Config", "Build Flags", "To Know")
WIDEST_COLUMN = 110 * SPACE
ROOMY = 240 * SPACE
"""Pixels of a page that has room for words on all of its tools."""
NARROW = 9 * SPACE
QWIDGETSIZE_MAX = (1 << 24) - 1
_ICONS = ("open", "copy", "save")


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
        self.flags, self.notes = FactsView(), FactsView()
        self._stack = QStackedLayout(self)
        for part in (self.words, self.config, self.flags, self.notes):
            self._stack.addWidget(part)
        self.tools = self._make_tools()

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(SPACE)
        self.parts = _Parts(tools)
        self.types = QCheckBox("Types")
        self.types.setToolTip("Tell the types too that each operator must take")
        self.state = ElidedLabel()
        row.addWidget(self.parts)
        row.addSpacing(2 * SPACE)
        row.addWidget(self.types)
        row.addSpacing(2 * SPACE)
        row.addWidget(self.state, 1000)
        row.addStretch(1)
        self._buttons = {name: QPushButton() for name in ("Add Files…", "Copy", "Save Config…")}
        self.add, self.copy, self.save = self._buttons.values()
        for (name, button), icon in zip(self._buttons.items(), _ICONS, strict=True):
            button.setAccessibleName(name.rstrip("…"))
            icons.set_icon(button, icon)
            row.addWidget(button)
        self.parts.chosen.connect(self.show_part)
        self.types.toggled.connect(self.types_wanted)
        self.add.clicked.connect(self.add_requested)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self.save_requested)
        self._spread(False)
        # The layout would ask for what it needs now, and keep the window from getting narrower.
        tools.setMinimumWidth(tools.minimumSizeHint().width())
        return tools

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less in the tools where there is less room for them."""
        super().resizeEvent(event)
        self._spread(self.width() >= ROOMY)

    def _spread(self, is_roomy: bool) -> None:
        self.parts.spread(is_roomy)
        self.state.setVisible(is_roomy)
        for name, button in self._buttons.items():
            button.setText(name if is_roomy else "")
            button.setMaximumWidth(QWIDGETSIZE_MAX if is_roomy else NARROW)
            button.setToolTip("" if is_roomy else name)

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
        self.flags.show_sheet(flags_sheet(found.flags))
        self.notes.show_sheet(notes_sheet(found))
        notes = sum(len(section.rows) for section in self.notes.sheet.sections)
        self.parts.name(NOTES, f"{PARTS[NOTES]} ({notes})" if notes else PARTS[NOTES])
        self.state.setText(_summed_up(found))
        self._allow()
        self.show_part(self.parts.current)

    def show_part(self, place: int) -> None:
        """Turn to the operators, the config, the flags or what to know."""
        self.parts.choose(place)
        if self._found is not None and self.matrix is not None:
            parts = (self.matrix, self.config, self.flags, self.notes)
            self._stack.setCurrentWidget(parts[place])
        self._allow()

    def _show_matrix(self, found: OpenNeeds) -> None:
        """A table of its own for each set of sources, since each is a column."""
        old = self.matrix
        self.matrix = table = _table(matrix_columns(found), "Operators", self)
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
        place = self.parts.current
        if place == CONFIG:
            text = self._found.text
        elif place == FLAGS:
            text = self._found.flags.text
        else:
            text = _whole(self.matrix) if place == OPERATORS else self.notes.sheet.text()
        QGuiApplication.clipboard().setText(text)


class _Parts(QWidget):
    """One of the parts: a button for each, or a list where there is no room for them."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        self._group = QButtonGroup(self)
        self._list = QComboBox()
        self._list.setAccessibleName("Part")
        for place, name in enumerate(PARTS):
            button = QPushButton(name)
            button.setCheckable(True)
            button.setChecked(not place)
            self._group.addButton(button, place)
            row.addWidget(button)
            self._list.addItem(name)
        row.addWidget(self._list)
        self._list.hide()
        self._group.idClicked.connect(self.chosen)
        self._list.activated.connect(self.chosen)

    @property
    def current(self) -> int:
        """The part that is shown."""
        return self._list.currentIndex()

    def choose(self, place: int) -> None:
        """Mark a part as the one that is shown."""
        self._list.setCurrentIndex(place)
        button = self._group.button(place)
        if button is not None:
            button.setChecked(True)

    def name(self, place: int, text: str) -> None:
        """Call a part something else."""
        self._group.button(place).setText(text)
        self._list.setItemText(place, text)

    def spread(self, is_roomy: bool) -> None:
        """Show the buttons, or the list."""
        for button in self._group.buttons():
            button.setVisible(is_roomy)
        self._list.setVisible(not is_roomy)


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
    table.fit_columns(WIDEST_COLUMN)


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
