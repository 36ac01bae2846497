"""The page below on how fast what is open loads and runs: choices, samples as they come, answer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.samples import Kind
from ortstudio.services.lab.results import MEASURES
from ortstudio.services.lab.view import Row, View
from ortstudio.services.lab.words import TITLES
from ortstudio.ui.item_views import TableView
from ortstudio.ui.lab.choices import Choices
from ortstudio.ui.lab.columns import columns
from ortstudio.ui.lab.plot import SamplesPlot
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.facts import Sheet
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

CHOOSE, MEASURED, ANSWER = range(3)
PARTS = ("Choose", "Samples", "Answer")
NOTHING = "Nothing was measured yet. Choose what is to be measured, and start."
BESIDE = 240 * SPACE
"""Pixels of a page that has room for the table beside the plot."""
WIDEST_COLUMN = 52 * SPACE


class LabPage(ToolPage):
    """Says what was measured, and asks for more."""

    shown = Signal()
    """Somebody looks at it."""
    start_requested = Signal()
    cancel_requested = Signal()
    measure_chosen = Signal(str)
    """Another measure is to be shown."""
    code_requested = Signal(int)
    """The place of the subject whose code is wanted."""
    open_requested = Signal()
    earlier_requested = Signal()
    save_requested = Signal(str)
    """The result is wanted as a file: `json`, `csv` or `html`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: View | None = None
        self._titles: tuple[str, ...] = ()
        self.choices = Choices()
        self.plot = SamplesPlot()
        self.table: TableView[Row] | None = None
        self.words = PlainLabel(NOTHING)
        self.answer = FactsView()
        self._about = PlainLabel(NOTHING, self)
        self._about.setMargin(3 * SPACE)
        self._stack = QStackedLayout(self)
        self._split = QSplitter(self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(_scrolled(self.plot))
        self._below = QWidget()
        self._column = QVBoxLayout(self._below)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._split.addWidget(self._below)
        self._measured = QWidget()
        column = QVBoxLayout(self._measured)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()  # The margins of a label itself are lost when the theme changes.
        head.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 0)
        head.addWidget(self.words)
        column.addLayout(head)
        column.addWidget(self._split, 1)
        self._parts = (_scrolled(self.choices), self._measured, self.answer)
        for part in (*self._parts, self._about):
            self._stack.addWidget(part)
        self.tools = self._make_tools()
        self.answer.link_activated.connect(self._follow)

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(2 * SPACE)
        self.parts = QTabBar()
        self.parts.setDrawBase(False)
        self.parts.setExpanding(False)
        self.parts.setUsesScrollButtons(True)
        self.parts.setAccessibleName("Parts of the lab")
        for name in PARTS:
            self.parts.addTab(name)
        self.state = ElidedLabel()
        self.measures = QComboBox()
        self.measures.setAccessibleName("Measure")
        self.measures.setToolTip("What the plot and the table show")
        self.measures.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.show_measures(MEASURES)
        self.result, self.start = QPushButton("Result"), QPushButton("Start")
        self.start.setMinimumWidth(self.start.sizeHint().width() + 4 * SPACE)
        self.result.setMenu(self._result_menu())
        row.addWidget(self.parts)
        row.addWidget(self.state, 1)
        for widget in (self.measures, self.result, self.start):
            row.addWidget(widget)
        self.parts.currentChanged.connect(self.show_part)
        self.measures.activated.connect(
            lambda _place: self.measure_chosen.emit(self.measures.currentData())
        )
        self.start.clicked.connect(self._start_or_cancel)
        self.measures.hide()
        tools.setMinimumWidth(tools.minimumSizeHint().width())
        return tools

    def _result_menu(self) -> QMenu:
        menu = QMenu("Result", self)
        menu.addAction("&Open…").triggered.connect(self.open_requested)
        self.compare = menu.addAction("&Compare with Earlier…")
        self.compare.triggered.connect(self.earlier_requested)
        menu.addSeparator()
        kinds = (
            ("&Save…", "json"),
            ("Export &Samples (CSV)…", "csv"),
            ("Export &Page (HTML)…", "html"),
        )
        self._exports: list[QAction] = [self.compare]
        for text, kind in kinds:
            action = menu.addAction(text)
            action.triggered.connect(
                lambda _checked=False, kind=kind: self.save_requested.emit(kind)
            )
            self._exports.append(action)
        for action in self._exports:
            action.setEnabled(False)
        return menu

    def showEvent(self, event: QShowEvent) -> None:
        """Say that somebody looks."""
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the table beside the plot where there is room, else below it."""
        super().resizeEvent(event)
        is_wide = self.width() >= BESIDE
        ways = Qt.Orientation
        self._split.setOrientation(ways.Horizontal if is_wide else ways.Vertical)
        whole = self.width() if is_wide else self.height()
        self._split.setSizes([round(whole * 0.45), round(whole * 0.55)])

    @property
    def measure(self) -> str:
        """The measure that is shown."""
        return str(self.measures.currentData())

    def show_measures(self, measures: Mapping[str, Kind]) -> None:
        """Offer these measures; the one that is shown stays, where it is among them."""
        if [self.measures.itemData(k) for k in range(self.measures.count())] == list(measures):
            return
        shown = self.measures.currentData()
        self.measures.clear()
        for name in measures:
            self.measures.addItem(TITLES[name].capitalize(), name)
        self.measures.setCurrentIndex(max(0, self.measures.findData(shown)))

    def show_part(self, place: int) -> None:
        """Turn to the choices, the samples or the answer."""
        self.parts.setCurrentIndex(place)
        has = self._view is not None if place == MEASURED else bool(self.answer.sheet.title)
        self._stack.setCurrentWidget(self._parts[place] if has or place == CHOOSE else self._about)
        self.measures.setVisible(place == MEASURED and has)

    def show_view(self, view: View) -> None:
        """Show what has come in of one measure."""
        self._view = view
        self.plot.show_view(view)
        self._show_rows(view)
        if self.parts.currentIndex() == MEASURED:
            self.show_part(MEASURED)

    def _show_rows(self, view: View) -> None:
        """A table of its own for each set of columns."""
        shown = columns(view)
        titles = tuple(column.title for column in shown)
        if self.table is None or titles != self._titles:
            self._titles = titles
            self._make_table(shown)
        if self.table is not None:
            self.table.model().set_rows(view.rows)
            _fit(self.table)

    def _make_table(self, shown: list[Column[Row]]) -> None:
        if self.table is not None:
            self._column.removeWidget(self.table)
            self.table.deleteLater()
        model: TableModel[Row] = TableModel(shown)
        self.table = TableView(model, self._below)
        model.setParent(self.table)
        self.table.setAccessibleName("Subjects")
        self.table.setMinimumHeight(18 * SPACE)
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.selectionModel().currentRowChanged.connect(self._point_at)
        self._column.addWidget(self.table)

    def _point_at(self, index: QModelIndex) -> None:
        if index.isValid() and self.table is not None:
            self.plot.select(self.table.model().row(index).number - 1)

    def show_answer(self, sheet: Sheet, words: str) -> None:
        """Say what it means, on its part and in words over the samples."""
        self.answer.show_sheet(sheet)
        self.words.setText(words or sheet.title)
        self.show_part(self.parts.currentIndex())

    def show_running(self, is_running: bool) -> None:
        """Offer to cancel, or to start."""
        self.start.setText("Cancel" if is_running else "Start")
        self.choices.setEnabled(not is_running)

    def allow_results(self, is_allowed: bool) -> None:
        """Let the result be saved and compared, where there is one."""
        for action in self._exports:
            action.setEnabled(is_allowed)

    def _start_or_cancel(self) -> None:
        is_running = self.start.text() == "Cancel"
        (self.cancel_requested if is_running else self.start_requested).emit()

    def _follow(self, target: object) -> None:
        if isinstance(target, int):
            self.code_requested.emit(target)


def _fit(table: TableView[Row]) -> None:
    table.resizeColumnsToContents()
    for column in range(table.model().columnCount()):
        table.setColumnWidth(column, min(table.columnWidth(column), WIDEST_COLUMN))


def _scrolled(content: QWidget) -> QScrollArea:
    """Scrolls upright where the content has no room."""
    area = QScrollArea()
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
