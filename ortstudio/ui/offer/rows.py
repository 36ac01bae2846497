# ruff: noqa: D102 - Qt calls one of these methods, and documents it
"""Rows of a name, a field and what is said of it; in a narrow place the field is below its name."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from ortstudio.ui.theme import SPACE

ROOM_FOR_NAMES = 240
"""Pixels of a place that has room for names beside the fields."""

_USUAL_NAME = "Where to "
"""As wide as this the names are at least, so that fields of several groups line up."""


class Rows(QWidget):
    """What `QFormLayout` is for; that one gives words that wrap too little height."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[QLabel, QWidget, QWidget | None]] = []
        self._narrow: bool | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(3 * SPACE)
        self._grid.setVerticalSpacing(SPACE)
        self._grid.setColumnStretch(1, 1)
        self._names_width = self.fontMetrics().horizontalAdvance(_USUAL_NAME)

    def add(self, name: str, field: QWidget, below: QWidget | None = None) -> None:
        """One more row; the letter after `&` gives the field the keyboard."""
        label = QLabel(name)
        label.setBuddy(field)
        field.setAccessibleName(name.replace("&", ""))
        self._rows.append((label, field, below))
        self._arrange(bool(self._narrow))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < ROOM_FOR_NAMES
        if narrow != self._narrow:
            self._narrow = narrow
            self._arrange(narrow)

    def _arrange(self, narrow: bool) -> None:
        for label, field, below in self._rows:
            for widget in (label, field, below):
                if widget is not None:
                    self._grid.removeWidget(widget)
        self._grid.setColumnMinimumWidth(0, 0 if narrow else self._names_width)
        line, column, span = 0, 0 if narrow else 1, 2 if narrow else 1
        for place, (label, field, below) in enumerate(self._rows):
            if place:
                self._grid.setRowMinimumHeight(line, SPACE)
                line += 1
            self._grid.addWidget(label, line, 0, _alignment(field))
            line += narrow
            self._grid.addWidget(field, line, column, 1, span)
            line += 1
            if below is not None:
                self._grid.addWidget(below, line, column, 1, span)
                line += 1


def _alignment(field: QWidget) -> Qt.AlignmentFlag:
    """A name stands beside its field, or beside the first line of one that has several."""
    is_tall = isinstance(field.layout(), QVBoxLayout)
    return Qt.AlignmentFlag.AlignTop if is_tall else Qt.AlignmentFlag.AlignVCenter
