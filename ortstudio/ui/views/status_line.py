# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The line at the bottom: what is selected, and at the right what is open."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ortstudio.ui.theme import SPACE, current


class StatusLine(QWidget):
    """Two texts. Where room is short the left one gives way first; neither is ever cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.left, self.right = "", ""

    def say_left(self, text: str) -> None:
        """What is selected."""
        self._say(text, self.right)

    def say_right(self, text: str) -> None:
        """What is open."""
        self._say(self.left, text)

    def clear(self) -> None:
        """Say nothing."""
        self._say("", "")

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height() + SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        room = self.rect().adjusted(2 * SPACE, 0, -SPACE, 0)
        right = self._fitted(self.right, room.width())
        taken = self.fontMetrics().horizontalAdvance(right)
        rest = room.width() - taken - (6 * SPACE if right else 0)
        with QPainter(self) as painter:
            painter.setPen(current().text)
            self._write(painter, room, Qt.AlignmentFlag.AlignRight, right)
            if rest > 24 * SPACE:
                left = self._fitted(self.left, rest)
                self._write(painter, room, Qt.AlignmentFlag.AlignLeft, left)

    def _fitted(self, text: str, width: int) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)

    def _write(self, painter: QPainter, room: QRect, side: Qt.AlignmentFlag, text: str) -> None:
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, text)

    def _say(self, left: str, right: str) -> None:
        # Late: an empty window has nothing to say here.
        from ortstudio.ui.plain import one_line, tip

        self.left, self.right = one_line(left), one_line(right)
        said = [text for text in (self.left, self.right) if text]
        self.setAccessibleName(", ".join(said))
        self.setToolTip(tip("\n".join(said)))
        self.update()
