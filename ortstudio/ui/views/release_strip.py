"""Releases of ONNX Runtime side by side: which load a file, in a row for each file or build.

Fed with the answers of `services.compatibility.strip`. What a release does is told by the height of
its cell, by a mark in it and by its colour; a sentence below says it in words, for the cell that is
pointed at or was reached with the arrow keys.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.services.release_strip import Standing, standing
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.release_cells import Cells, StripRow
from ortstudio.ui.views.release_marks import KeyEntry


class ReleaseStrip(QWidget):
    """Rows of releases, what their cells mean, and a sentence on the one that is looked at."""

    activated = Signal(object)
    """A cell was double-clicked, or Enter pressed on it: its `Compatibility`."""
    current_changed = Signal(object)
    """Another cell is looked at: its `Compatibility`, or None."""
    picked = Signal(object)
    """A `Release` was clicked, or reached with the arrow keys."""

    def __init__(self, parent: QWidget | None = None, *, speaks: bool = True) -> None:
        """With `speaks` False whoever shows it says in words what is looked at."""
        super().__init__(parent)
        self.cells = Cells(self)
        self.said = PlainLabel(muted=True)
        self.said.setMinimumHeight(2 * self.said.fontMetrics().lineSpacing())
        self._key = QWidget()
        self._key_row = Flow()
        self._key.setLayout(self._key_row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        for part in (self.cells, self._key, self.said):
            column.addWidget(part)
        self.cells.looked.connect(self._say)
        self.cells.chosen.connect(self.activated)
        self.cells.picked.connect(self.picked)
        self.said.setVisible(speaks)
        self._say()

    def set_rows(self, rows: Sequence[StripRow]) -> None:
        """Show these; all have the same releases. Of a single one the key says which are what."""
        self.cells.set_rows(rows)
        found = {standing(answer) for row in rows for answer in row.answers}
        alone = rows[0].answers if len(rows) == 1 else ()
        while (item := self._key_row.takeAt(0)) is not None:
            entry = item.widget()
            assert entry is not None
            entry.deleteLater()
        for which in Standing:
            if which in found:
                self._key_row.addWidget(KeyEntry(which, alone))
        self._key.updateGeometry()
        self._say()

    def pick(self, release: Release | None) -> None:
        """Frame a release in all rows, until another one is picked."""
        self.cells.pick(release)

    def set_tried(self, tried: Collection[tuple[int, Release]]) -> None:
        """Underline the cells, by row and release, whose answer was tried for real."""
        self.cells.set_tried(tried)

    @property
    def current(self) -> Compatibility | None:
        """The answer that is looked at."""
        return self.cells.current

    def _say(self) -> None:
        self.said.setText(self.cells.sentence or "Point at a release, or use the arrow keys.")
        self.current_changed.emit(self.cells.current)
