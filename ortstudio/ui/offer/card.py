"""A column of widgets under a title."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel


class Card(QWidget):
    """A column of widgets under a title."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = PlainLabel(title)
        self.title.setFont(theme.font(theme.TITLE, strong=True))
        self.column = QVBoxLayout(self)
        self.column.setSpacing(3 * SPACE)
        self.column.addWidget(self.title)

    def text(self, text: str = "", *, muted: bool = False) -> PlainLabel:
        """A paragraph, added to the column."""
        label = PlainLabel(text, muted=muted)
        self.column.addWidget(label)
        return label
