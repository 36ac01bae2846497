"""The page below with every conversion of this session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from ortstudio.ui import theme
from ortstudio.ui.conversions import Conversions, Job
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.views.labels import PlainLabel


def _columns() -> list[Column[Job]]:
    return [
        Column("State", lambda job: job.state),
        Column("Source", lambda job: job.source.name, tip=lambda job: str(job.source)),
        Column("What came of it", lambda job: job.text, tip=lambda job: job.details or job.text),
    ]


class JobsPage(QWidget):
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
        self.table.activated.connect(self._activated)
        conversions.changed.connect(self._refresh)

    def _refresh(self) -> None:
        grew = len(self._conversions.jobs) > self.model.rowCount()
        self.model.set_rows(list(self._conversions.jobs))
        self._stack.setCurrentWidget(self.table)
        self.table.resizeColumnsToContents()
        if grew:
            self.table.scrollToBottom()

    def _activated(self, index: QModelIndex) -> None:
        job: Job = index.data(RefRole)
        paths: list[Path] = [job.source]
        if job.result is not None and job.result.outputs:
            paths.append(job.result.outputs[0].path)
        self.open_requested.emit(paths)
