"""The page below with every conversion of this session."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedLayout, QWidget

from ortstudio.analysis.words import count, size_text
from ortstudio.services.conversion import State
from ortstudio.ui import icons, theme
from ortstudio.ui.conversions import Conversions
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.job import Job, details
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.theme import SPACE, Tone
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

REFRESH_MS = 200
"""Rows change as often as they like; the table follows at this pace."""
TICK_MS = 1000

_LOOKS: dict[State, tuple[str, Tone]] = {
    State.QUEUED: ("recent", "muted"),
    State.CONVERTING: ("convert", "text"),
    State.VERIFYING: ("run", "text"),
    State.DONE: ("good", "good"),
    State.SKIPPED: ("forward", "muted"),
    State.REFUSED: ("warning", "warning"),
    State.FAILED: ("error", "error"),
    State.CANCELLED: ("cancel", "muted"),
    State.NOT_TRIED: ("unknown", "muted"),
}


def _columns() -> list[Column[Job]]:
    return [
        Column("State", lambda job: job.state.value, decoration=_mark),
        Column("Source", lambda job: job.source.name, tip=lambda job: str(job.source)),
        Column("Before", lambda job: job.progress.source_bytes or None, _size, numeric=True),
        Column("After", lambda job: job.progress.output_bytes or None, _size, numeric=True),
        Column("Time", lambda job: job.elapsed_s(), _seconds, numeric=True),
        Column("Verdict", lambda job: job.verdict or None),
        Column(
            "What came of it", lambda job: job.text, tip=lambda job: details(job.error) or job.text
        ),
    ]


def _mark(job: Job) -> object:
    icon, tone = _LOOKS[job.state]
    return icons.pixmap(icon, theme.current().tone(tone))


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _seconds(value: object) -> str:
    if not isinstance(value, float):
        return ""
    if value < 60:
        return f"{value:.1f} s"
    return f"{int(value) // 60} min {int(value) % 60:02} s"


class JobsPage(ToolPage):
    """A table of conversions; activating one opens its pair."""

    open_requested = Signal(list)
    """Source and result of a finished conversion, or the source of a failed one."""

    def __init__(self, conversions: Conversions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversions = conversions
        self.model: TableModel[Job] = TableModel(_columns(), parent=self)
        self.table = TableView(self.model, self)
        self.table.setAccessibleName("Jobs")
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
        self.table.activated.connect(self._activated)
        conversions.changed.connect(self._changed)
        conversions.ended.connect(self._refresh)
        conversions.failed.connect(self._refresh)

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        self.summary = ElidedLabel()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setAccessibleName("Filter the jobs")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(50 * SPACE)
        self.filter.textChanged.connect(self.model.set_filter)
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(self._conversions.cancel)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.summary, 1)
        row.addWidget(self.filter)
        row.addWidget(self.cancel)
        tools.hide()
        return tools

    def _changed(self) -> None:
        if not self._pace.isActive():
            self._pace.start()

    def _refresh(self) -> None:
        jobs = list(self._conversions.jobs)
        grew = len(jobs) > len(self.model.rows)
        self.model.update_rows(jobs)
        self.summary.setText(summed_up(self._conversions.current))
        self.cancel.setEnabled(self._conversions.is_running)
        self.tools.setVisible(bool(jobs))
        self._stack.setCurrentWidget(self.table)
        if self._conversions.is_running:
            self._clock.start()
        else:
            self._clock.stop()
        if grew:
            self.table.resizeColumnsToContents()
            self.table.scrollToBottom()

    def _activated(self, index: QModelIndex) -> None:
        job: Job = index.data(RefRole)
        self.open_requested.emit(job.paths)


def summed_up(jobs: list[Job]) -> str:
    """`120 of 300 done, 2 failed`."""
    states = [job.state for job in jobs]
    texts = [f"{states.count(State.DONE)} of {count(len(jobs), 'model')} converted"]
    rest = (State.SKIPPED, State.REFUSED, State.FAILED, State.CANCELLED, State.NOT_TRIED)
    texts += [f"{states.count(state)} {state.value}" for state in rest if state in states]
    return ", ".join(texts)
