"""The page below with every conversion of this session."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedLayout,
    QTableView,
    QWidget,
)

from ortstudio.ui import theme
from ortstudio.ui.conversions import Conversions
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.job import Job
from ortstudio.ui.job_columns import WIDTHS, columns, summed_up
from ortstudio.ui.tables import TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel
from ortstudio.ui.views.notice import copy_path, open_folder

REFRESH_MS = 200
"""Rows change as often as they like; the table follows at this pace."""
TICK_MS = 1000
SHARE_OF_NAMES = 0.24
"""Of the width of the page, for the names of sources."""
_NAMES = 1


class JobsPage(ToolPage):
    """A table of conversions; activating one opens its pair."""

    open_requested = Signal(list)
    """Source and result of a finished conversion, or the source of a failed one."""
    result_requested = Signal(object)
    """All of one `Converted` is to be said."""

    def __init__(self, conversions: Conversions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversions = conversions
        self.model: TableModel[Job] = TableModel(columns(), parent=self)
        self.table = self._make_table()
        nothing = PlainLabel("No conversions yet. Drop an ONNX model on the window.", self)
        nothing.setMargin(3 * theme.SPACE)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(nothing)
        self._stack.addWidget(self.table)
        self.tools = self._make_tools()
        self._pace = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._pace.timeout.connect(self._refresh)
        self._clock = QTimer(self, interval=TICK_MS)
        self._clock.timeout.connect(self._refresh)
        conversions.changed.connect(self._changed)
        conversions.ended.connect(self._refresh)
        conversions.failed.connect(self._refresh)
        if conversions.jobs:
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names get what a wide window has to spare."""
        super().resizeEvent(event)
        digit = self.table.fontMetrics().horizontalAdvance("0")
        wanted = round(event.size().width() * SHARE_OF_NAMES)
        self.table.setColumnWidth(_NAMES, max(WIDTHS[_NAMES] * digit, wanted))

    def _make_table(self) -> TableView[Job]:
        table = TableView(self.model, self)
        table.setAccessibleName("Jobs")
        digit = table.fontMetrics().horizontalAdvance("0")
        for column, digits in enumerate(WIDTHS):
            table.setColumnWidth(column, digits * digit)
        table.activated.connect(self._activated)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._show_menu)
        table.selectionModel().selectionChanged.connect(lambda _new, _old: self._enable())
        return table

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        self.summary = ElidedLabel()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setAccessibleName("Filter the jobs")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(50 * SPACE)
        self.filter.setMinimumWidth(18 * SPACE)
        self.filter.textChanged.connect(self.model.set_filter)
        self.details = QPushButton("Details")
        self.cancel = QPushButton("Cancel")
        self.cancel_all = QPushButton("Cancel All")
        self.resume = QPushButton("Resume")
        self.resume.setToolTip("Convert what the last run did not finish")
        self.details.clicked.connect(self._tell)
        self.cancel.clicked.connect(self._cancel)
        self.cancel_all.clicked.connect(self._conversions.cancel)
        self.resume.clicked.connect(self._conversions.resume)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.summary, 1)
        buttons = self.details, self.cancel, self.cancel_all, self.resume
        for widget in (self.filter, *buttons):
            row.addWidget(widget)
        tools.hide()
        return tools

    @property
    def chosen(self) -> list[Job]:
        """The rows that are selected, in the order shown."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.row(index) for index in sorted(rows, key=QModelIndex.row)]

    def _changed(self) -> None:
        if not self._pace.isActive():
            self._pace.start()

    def _refresh(self) -> None:
        jobs, before = list(self._conversions.jobs), len(self.model.rows)
        self.model.update_rows(jobs)
        current = self._conversions.current
        self.summary.setText(summed_up(current, self._conversions.configs))
        self._stack.setCurrentWidget(self.table)
        self.tools.setVisible(bool(jobs))
        if self._conversions.is_running:
            self._clock.start()
        else:
            self._clock.stop()
        if len(jobs) != before:
            self._scroll_to(jobs[len(jobs) - len(current)])
        self._enable()

    def _scroll_to(self, job: Job) -> None:
        top = QTableView.ScrollHint.PositionAtTop
        self.table.scrollTo(self.model.find(job), top)

    def _enable(self) -> None:
        chosen, running = self.chosen, self._conversions.is_running
        self.details.setEnabled(len(chosen) == 1 and chosen[0].result is not None)
        self.cancel.setVisible(running)
        self.cancel_all.setVisible(running)
        self.cancel.setEnabled(any(not job.state.is_end for job in chosen))
        self.resume.setVisible(not running and self._conversions.can_resume)

    def _activated(self, index: QModelIndex) -> None:
        job: Job = index.data(RefRole)
        self.open_requested.emit(job.paths)

    def _tell(self) -> None:
        for job in self.chosen[:1]:
            self.result_requested.emit(job.result)

    def _cancel(self) -> None:
        self._conversions.cancel_some(self.chosen)

    def _show_menu(self, place: QPoint) -> None:
        index = self.table.indexAt(place)
        if index.isValid():
            menu = self.menu(self.model.row(index))
            menu.exec(self.table.viewport().mapToGlobal(place))
            menu.deleteLater()

    def menu(self, job: Job) -> QMenu:
        """What can be done with a row."""
        menu, path = QMenu(self), job.paths[-1]
        menu.addAction("Open Side by Side", lambda: self.open_requested.emit(job.paths))
        menu.addAction("Details", lambda: self.result_requested.emit(job.result)).setEnabled(
            job.result is not None
        )
        menu.addAction("Show in Folder", lambda: open_folder(path))
        menu.addAction("Copy Path", lambda: copy_path(path))
        menu.addSeparator()
        cancel = menu.addAction("Cancel", lambda: self._conversions.cancel_some([job]))
        cancel.setEnabled(not job.state.is_end)
        return menu
