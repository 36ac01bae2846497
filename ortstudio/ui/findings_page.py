"""The page below with everything worth knowing before a file is shipped."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from ortstudio.analysis.finding import SEVERITIES, Finding
from ortstudio.errors import StudioError
from ortstudio.model.refs import Ref, RefKind
from ortstudio.ui import theme
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.workspace import Workspace

OLD_FORMAT = "old-format"
"""The code of the finding that an upgrade mends."""
_FILE = 1
_WIDEST_COLUMN = 40 * theme.SPACE
"""Pixels for names, so that the finding itself has room in a narrow window."""


@dataclass(frozen=True, slots=True)
class Row:
    """A finding, and whose it is."""

    side: int
    file: str
    finding: Finding


def _columns() -> list[Column[Row]]:
    return [
        Column("Severity", lambda row: SEVERITIES.index(row.finding.severity), _severity),
        Column("File", lambda row: row.file, tip=lambda row: row.file),
        Column(
            "Where", lambda row: row.finding.where, mono=True, tip=lambda row: row.finding.where
        ),
        Column("Byte", lambda row: row.finding.offset_bytes, numeric=True, mono=True),
        Column("Finding", lambda row: row.finding.message, tip=lambda row: row.finding.message),
    ]


def _severity(place: object) -> str:
    return SEVERITIES[place] if isinstance(place, int) else ""


class FindingsPage(QWidget):
    """A table of findings; activating one leads to its place."""

    counted = Signal(int, int)
    """How many findings of severity error or warning there are, and how many in all."""
    upgrade_requested = Signal(object)
    """A finding about an old format version was activated: the file's path."""
    looked = Signal()
    """What is open has been looked at, or that failed."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self.model: TableModel[Row] = TableModel(_columns(), parent=self)
        self.table = TableView(self.model, self)
        self.table.setAccessibleName("Findings")
        self._nothing = PlainLabel("Nothing open", self)
        self._nothing.setMargin(3 * theme.SPACE)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self.table)
        self.table.activated.connect(self._activated)
        workspace.changed.connect(self._forget)

    def _forget(self) -> None:
        self._tasks.drop("findings")
        self._nothing.setText("Looking…" if self._workspace.open_sides else "Nothing open")
        self._show([])

    def look(self) -> None:
        """Work the findings out in another thread: some take a moment for a large file."""
        found = [(side, self._workspace.document(side)) for side in self._workspace.open_sides]

        def rows(_task: object) -> list[Row]:
            return [
                Row(side, document.path.name, finding)
                for side, document in found
                if document is not None
                for finding in document.findings
            ]

        self._tasks.run(rows, done=self._done, failed=self._failed, lane="findings")

    def _done(self, rows: list[Row]) -> None:
        self._nothing.setText("Nothing to say: no finding in what is open.")
        self._show(sorted(rows, key=lambda row: SEVERITIES.index(row.finding.severity)))
        serious = sum(row.finding.severity != "info" for row in rows)
        self.counted.emit(serious, len(rows))
        self.looked.emit()

    def _failed(self, error: StudioError) -> None:
        self._nothing.setText(str(error))
        self.looked.emit()

    def _show(self, rows: list[Row]) -> None:
        self.model.set_rows(rows)
        self._stack.setCurrentWidget(self.table if rows else self._nothing)
        if rows:
            self.table.setColumnHidden(_FILE, len(self._workspace.open_sides) < 2)
            self.table.fit_columns(_WIDEST_COLUMN)

    def _activated(self, index: QModelIndex) -> None:
        row: Row = index.data(RefRole)
        document = self._workspace.document(row.side)
        if document is None:
            return
        if row.finding.code == OLD_FORMAT:
            self.upgrade_requested.emit(document.path)
            return
        for node in row.finding.nodes:
            ref = document.find_node(node)
            if ref is not None:
                self._workspace.select(row.side, ref)
                return
        number = document.graph_numbers.get(row.finding.where)
        found = Ref(RefKind.MODEL) if number is None else Ref(RefKind.GRAPH, number)
        self._workspace.select(row.side, found)
