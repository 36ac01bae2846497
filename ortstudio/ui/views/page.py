"""A page that is never squeezed: where room is short it scrolls."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget


class Page(QScrollArea):
    """Shows one widget, as wide as it may be: a little above the middle, or from the top."""

    def __init__(
        self,
        content: QWidget,
        widest: int,
        parent: QWidget | None = None,
        *,
        from_top: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content.setMaximumWidth(widest)
        content.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        page = QWidget()
        self.setWidget(page)  # Empty yet: whatever is in it would be dressed twice.
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(content, 1000)
        across.addStretch(1)
        down = QVBoxLayout(page)
        down.addStretch(0 if from_top else 2)
        down.addLayout(across)
        down.addStretch(3)

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: the rest is reached by scrolling."""
        return QSize(0, 0)
