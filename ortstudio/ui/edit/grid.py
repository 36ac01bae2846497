"""Rows of fields under titles."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ortstudio.ui.theme import SPACE


class Grid(QWidget):
    """One column is as wide as there is room, the others as wide as they need."""

    def __init__(self, *titles: str, wide: int) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * SPACE)
        self._grid.setVerticalSpacing(SPACE)
        self._grid.setColumnStretch(wide, 3)
        for column, title in enumerate(titles):
            label = QLabel(title)
            label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
            self._grid.addWidget(label, 0, column)

    def stretch(self, column: int, share: int) -> None:
        """Give a column a share of the room."""
        self._grid.setColumnStretch(column, share)

    def add(self, *fields: QWidget) -> None:
        """One more row."""
        row = self._grid.rowCount()
        for column, field in enumerate(fields):
            self._grid.addWidget(field, row, column)
