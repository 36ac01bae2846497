# ruff: noqa: D102, N802 - Qt calls these methods, and documents them
"""Widgets in a line that goes on below where it is too short."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from ortstudio.ui.theme import SPACE


class Flow(QLayout):
    """From the left, each as large as it wants to be."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(2 * SPACE)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arranged(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, room: QRect) -> None:
        super().setGeometry(room)
        self._arranged(room, move=True)

    def sizeHint(self) -> QSize:
        shown = self._shown()
        width = sum(item.sizeHint().width() for item in shown) + self.spacing() * len(shown)
        return QSize(max(0, width - self.spacing()), self.minimumSize().height())

    def minimumSize(self) -> QSize:
        least = QSize()
        for item in self._shown():
            least = least.expandedTo(item.minimumSize())
        return least

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arranged(self, room: QRect, *, move: bool) -> int:
        """Go through the widgets line by line; gives the height."""
        x, y, line = room.x(), room.y(), 0
        for item in self._shown():
            size = item.sizeHint().boundedTo(QSize(room.width(), 1 << 20))
            if x > room.x() and x + size.width() > room.x() + room.width():
                x, y, line = room.x(), y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self.spacing()
            line = max(line, size.height())
        return y + line - room.y()
