"""Options that are folded away under a title, which says what of them is not as usual."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.section_title import SectionTitle


class Section(QWidget):
    """A title that folds what stands below it, folded at first."""

    def __init__(self, title: str, content: QWidget) -> None:
        super().__init__()
        self.title = SectionTitle(title)
        self.title.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.content = content
        content.setVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3 * SPACE)
        column.addWidget(self.title)
        column.addWidget(content)
        self.title.toggled.connect(content.setVisible)

    def say(self, summary: str) -> None:
        """What of it is not as usual, in a word or two at the right."""
        self.title.set_count(summary)
