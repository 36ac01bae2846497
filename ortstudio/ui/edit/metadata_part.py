"""The metadata as rows of a key and a value, which can be written over, added and removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from ortstudio.ui import icons
from ortstudio.ui.edit.grid import Grid
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel

_NARROWEST = 18 * SPACE


@dataclass(frozen=True, eq=False)
class Row:
    """One entry. A line shows a long value cut: untouched, it is what it was."""

    original: str
    key: QLineEdit
    value: QLineEdit
    remove: QToolButton


class MetadataPart(QWidget):
    """Rows, and a button for one more."""

    changed = Signal()

    def __init__(self, metadata: Mapping[str, str]) -> None:
        super().__init__()
        self._before = dict(metadata)
        self.rows: list[Row] = []
        self._grid = Grid("Key", "Value", wide=1)
        self._grid.stretch(0, 2)
        self.add_button = QPushButton("Add Entry")
        self.add_button.setAutoDefault(False)
        self.add_button.clicked.connect(self._add_empty)
        self._none = PlainLabel("The model has no metadata.", muted=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(self._none)
        column.addWidget(self._grid)
        column.addLayout(Flow(self.add_button))
        for key, value in metadata.items():
            self.add(key, value)
        self._tell()

    def add(self, key: str = "", value: str = "") -> Row:
        """One more row."""
        row = Row(value, QLineEdit(key), QLineEdit(value), QToolButton())
        row.key.setAccessibleName("Key")
        row.value.setAccessibleName(f"Value of {key}" if key else "Value")
        row.remove.setAutoRaise(True)
        row.remove.setToolTip("Remove this entry")
        row.remove.setAccessibleName(f"Remove {key}" if key else "Remove this entry")
        icons.set_icon(row.remove, "close")
        row.remove.clicked.connect(lambda: self._remove(row))
        for field in (row.key, row.value):
            field.setCursorPosition(0)
            field.setMinimumWidth(_NARROWEST)
            field.textChanged.connect(lambda _text: self._tell())
        self.rows.append(row)
        self._grid.add(row.key, row.value, row.remove)
        self._tell()
        return row

    def _add_empty(self) -> None:
        self.add().key.setFocus()

    def _remove(self, row: Row) -> None:
        self.rows.remove(row)
        for widget in (row.key, row.value, row.remove):
            widget.hide()
            widget.deleteLater()
        self._tell()

    def _tell(self) -> None:
        self._none.setVisible(not self.rows)
        self._grid.setVisible(bool(self.rows))
        self.changed.emit()

    @property
    def new(self) -> dict[str, str]:
        """The entries that are not as they were."""
        return {key: text for key, text in self._now.items() if self._before.get(key) != text}

    @property
    def removed(self) -> tuple[str, ...]:
        """The keys that are no longer there."""
        return tuple(key for key in self._before if key not in self._now)

    @property
    def _now(self) -> dict[str, str]:
        return {
            row.key.text(): row.value.text() if row.value.isModified() else row.original
            for row in self.rows
            if row.key.text()
        }
