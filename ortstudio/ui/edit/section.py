"""A part of the form under a title that folds it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.section_title import SectionTitle


class Section(QWidget):
    """Folded at first; `say` puts a word or two at the right of the title."""

    def __init__(self, title: str, content: QWidget) -> None:
        super().__init__()
        self.title = SectionTitle(title)
        self.title.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.say = self.title.set_count
        content.setVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3 * SPACE)
        column.addWidget(self.title)
        column.addWidget(content)
        self.title.toggled.connect(content.setVisible)
