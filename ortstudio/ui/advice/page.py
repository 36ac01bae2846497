"""The page below on how to ship what is open: the answer, uses, accelerators, choices."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.accelerators import Outlook
from ortstudio.services.advice import Advice
from ortstudio.services.effects import Effect
from ortstudio.services.uses import Recommendation
from ortstudio.ui.advice.bars import HEIGHT, WIDTH
from ortstudio.ui.advice.columns import (
    LeftNode,
    accelerator_columns,
    effect_columns,
    left_columns,
    left_nodes,
    use_columns,
)
from ortstudio.ui.advice.sheets import answer_sheet, effect_sheet, use_sheet
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, Row, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

PARTS = ("Answer", "Uses", "Accelerators", "Choices")
LEAST_TABLE = 60 * SPACE
WIDEST_COLUMN = 110 * SPACE


class AdvicePage(ToolPage):
    """Says what was found out, and asks for more."""

    shown = Signal()
    """Somebody looks at it."""
    settings_chosen = Signal(object)
    """The `ConvertSettings` of a use are to be used."""
    node_chosen = Signal(object)
    """The `NotTaken` that is to be shown in the picture."""
    try_requested = Signal()
    """Every choice is to be tried."""
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._advice: Advice | None = None
        self.words = PlainLabel(parent=self)
        self.words.setMargin(3 * SPACE)
        self.answer = FactsView()
        self.uses, self.use = _table(use_columns(), "Uses", self), FactsView()
        self.accelerators = _table(accelerator_columns(), "Accelerators", self)
        self.accelerators.setIconSize(QSize(WIDTH, HEIGHT))
        self.left = _table(left_columns(), "Nodes that are not taken", self)
        self.basis = PlainLabel(muted=True)
        self.effects, self.effect = _table(effect_columns(), "Choices", self), FactsView()
        self.use_settings = QPushButton("Use These Settings")
        self._stack = QStackedLayout(self)
        self._parts = (
            self.answer,
            _beside(self.uses, _over(self.use, self.use_settings)),
            _beside(self.accelerators, _over(self.left, self.basis)),
            _beside(self.effects, self.effect),
        )
        for part in (self.words, *self._parts):
            self._stack.addWidget(part)
        self.tools = self._make_tools()
        self.uses.selectionModel().currentRowChanged.connect(self._show_use)
        self.uses.activated.connect(lambda _index: self._use())
        self.accelerators.selectionModel().currentRowChanged.connect(self._show_outlook)
        self.left.selectionModel().currentRowChanged.connect(self._show_node)
        self.effects.selectionModel().currentRowChanged.connect(self._show_effect)
        self.use_settings.clicked.connect(self._use)

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(SPACE)
        self.parts = QTabBar()
        self.parts.setDrawBase(False)
        self.parts.setExpanding(False)
        self.parts.setUsesScrollButtons(True)
        self.parts.setAccessibleName("Parts of the advice")
        for name in PARTS:
            self.parts.addTab(name)
        self.parts.currentChanged.connect(self.show_part)
        row.addWidget(self.parts)
        self.state = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(30 * SPACE)
        self.bar.setAccessibleName("Progress")
        self.cancel, self.try_all = QPushButton("Cancel"), QPushButton("Try Every Choice")
        self.cancel.clicked.connect(self.cancel_requested)
        self.try_all.clicked.connect(self.try_requested)
        row.addSpacing(2 * SPACE)
        row.addWidget(self.state, 1)
        for widget in (self.bar, self.cancel, self.try_all):
            widget.hide()
            row.addWidget(widget)
        return tools

    def showEvent(self, event: QShowEvent) -> None:
        """Say that somebody looks."""
        super().showEvent(event)
        self.shown.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Paint the bars in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.accelerators.viewport().update()

    def show_part(self, place: int) -> None:
        """Turn to the answer, uses, accelerators or choices."""
        self.parts.setCurrentIndex(place)
        if self._advice is None:
            return
        missing = _missing(self._advice, place)
        if missing:
            self.words.setText(missing)
        self._stack.setCurrentWidget(self.words if missing else self._parts[place])

    def say(self, text: str, *, may_try: bool = False) -> None:
        """Show a sentence in the place of advice."""
        self._advice = None
        self._work("", may_cancel=False)
        self.words.setText(text)
        self.try_all.setVisible(may_try)
        self._stack.setCurrentWidget(self.words)

    def show_progress(self, text: str, done: int, total: int) -> None:
        """Say what is being tried."""
        self._work(text, may_cancel=True)
        self.bar.setRange(0, total if total > 1 else 0)
        self.bar.setValue(done)

    def show_advice(self, advice: Advice) -> None:
        """Show all of it, at the part that was looked at last."""
        self._advice = advice
        self._work("", may_cancel=False)
        self.try_all.setVisible(not advice.effects and not advice.case.is_ort)
        self.try_all.setToolTip(advice.cost.text)
        self.answer.show_sheet(answer_sheet(advice))
        found = advice.accelerators
        _fill(self.uses, advice.uses)
        _fill(self.accelerators, found.outlooks if found else ())
        _fill(self.effects, tuple(advice.effects.values()))
        self.use_settings.setVisible(not advice.case.is_ort)
        self.show_part(self.parts.currentIndex())

    def _work(self, text: str, *, may_cancel: bool) -> None:
        self.state.setText(text)
        self.bar.setVisible(may_cancel)
        self.cancel.setVisible(may_cancel)
        if may_cancel:
            self.try_all.hide()

    def _show_use(self, index: QModelIndex) -> None:
        row = _row(index, Recommendation)
        if row is not None:
            self.use.show_sheet(use_sheet(row))
            self.use_settings.setEnabled(row.converts)

    def _show_outlook(self, index: QModelIndex) -> None:
        row = _row(index, Outlook)
        if row is None or self._advice is None or self._advice.accelerators is None:
            return
        found = self._advice.accelerators
        self.left.model().set_rows(left_nodes(found, row.best))
        self.left.fit_columns(WIDEST_COLUMN)
        self.basis.setText(f"An estimate by {row.best.basis}, for {found.basis}.")

    def _show_node(self, index: QModelIndex) -> None:
        row = _row(index, LeftNode)
        if row is not None:
            self.basis.setText(f"{row.text}: {row.why}.")
        if row is not None and row.row is not None:
            self.node_chosen.emit(row.row)

    def _show_effect(self, index: QModelIndex) -> None:
        row = _row(index, Effect)
        if row is not None:
            self.effect.show_sheet(effect_sheet(row))

    def _use(self) -> None:
        row = _row(self.uses.currentIndex(), Recommendation)
        if row is not None and self.use_settings.isEnabled() and not self.use_settings.isHidden():
            self.settings_chosen.emit(row.settings)


def _missing(advice: Advice, place: int) -> str:
    """Why a part has nothing to show; empty where it has."""
    if PARTS[place] == "Choices":
        return advice.untried
    if PARTS[place] == "Accelerators" and advice.accelerators is None:
        error = advice.case.failure or advice.case.unseen
        return f"Not known: {error.message}." if error else "Not known."
    return ""


def _table(columns: Sequence[Column[Row]], name: str, parent: QWidget) -> TableView[Row]:
    model: TableModel[Row] = TableModel(columns, parent=parent)
    table = TableView(model, parent)
    table.setAccessibleName(name)
    return table


def _fill(table: TableView[Row], rows: Sequence[Row]) -> None:
    """Show rows, the first of them chosen."""
    table.model().set_rows(rows)
    table.fit_columns(WIDEST_COLUMN)
    if rows:
        table.selectRow(0)


def _row(index: QModelIndex, kind: type[Row]) -> Row | None:
    row = index.data(RefRole) if index.isValid() else None
    return row if isinstance(row, kind) else None


def _beside(left: QWidget, right: QWidget) -> QSplitter:
    """Two parts side by side, none of which can be pushed out of sight."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    splitter.setChildrenCollapsible(False)
    splitter.addWidget(left)
    splitter.addWidget(right)
    splitter.setSizes([5 * LEAST_TABLE, 4 * LEAST_TABLE])
    return splitter


def _over(upper: QWidget, lower: QWidget) -> QWidget:
    """What scrolls over what stays in view."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(upper, 1)
    foot = QHBoxLayout()
    foot.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
    foot.addWidget(lower, 1 if isinstance(lower, PlainLabel) else 0)
    foot.addStretch(0 if isinstance(lower, PlainLabel) else 1)
    column.addLayout(foot)
    return holder
