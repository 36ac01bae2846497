"""Files that were written: each with what it is for, and ways to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from ortstudio.ui import icons, theme
from ortstudio.ui.plain import one_line
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.file_label import FileLabel
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.notice import copy_path, open_folder


@dataclass(frozen=True, slots=True)
class Written:
    """A file, how large it is in words, and what it is for."""

    path: Path
    size_text: str
    purpose: str
    is_model: bool = True


class OutputList(QWidget):
    """One below the other: a name that can be dragged away, its size, what it is for."""

    open_requested = Signal(object)
    """The path of a model that is to be opened beside its source."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3 * SPACE)

    def show_files(self, files: Sequence[Written]) -> None:
        """Show these instead."""
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for file in files:
            row = _Row(file)
            row.open_requested.connect(self.open_requested)
            self._column.addWidget(row)


class _Row(QWidget):
    open_requested = Signal(object)

    def __init__(self, file: Written) -> None:
        super().__init__()
        name = FileLabel(self)
        name.setFont(theme.mono())
        name.show_path(file.path)
        size = QLabel(file.size_text, self)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(name, 1)
        line.addWidget(size)
        line.addSpacing(SPACE)
        if file.is_model:
            self._add(line, "compare", "Open beside its source", file, self._open)
        self._add(line, "folder", "Show in folder", file, lambda: open_folder(file.path))
        self._add(line, "copy", "Copy path", file, lambda: copy_path(file.path))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(PlainLabel(file.purpose, muted=True))
        self._path = file.path

    def _open(self) -> None:
        self.open_requested.emit(self._path)

    def _add(
        self, line: QHBoxLayout, icon: str, words: str, file: Written, act: Callable[[], None]
    ) -> None:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setToolTip(words)
        button.setAccessibleName(f"{words}: {one_line(file.path.name)}")
        icons.set_icon(button, icon)
        button.clicked.connect(act)
        line.addWidget(button)
