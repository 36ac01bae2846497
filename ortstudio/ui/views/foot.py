"""What stays in view below a page that scrolls, under a hairline."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE

_MARGIN = 9
"""Pixels that a `Page` keeps from its edges, and its content once more."""


class Foot(QWidget):
    """Words and buttons, in line with what stands on the page above."""

    def __init__(self, words: QWidget, buttons: QLayout, widest: int) -> None:
        super().__init__()
        content = QWidget()
        content.setMaximumWidth(widest)
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, 3 * SPACE, _MARGIN, 3 * SPACE)
        column.setSpacing(2 * SPACE)
        column.addWidget(words)
        column.addLayout(buttons)
        across = QHBoxLayout(self)
        across.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        across.addStretch(1)
        across.addWidget(content, 1000)
        across.addStretch(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The hairline above."""
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.fillRect(0, 0, self.width(), 1, theme.current().hairline)
