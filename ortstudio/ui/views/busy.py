"""What the window is waiting for, in its last line, with a way to wait no longer."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel

PATIENCE_MS = 250
"""What is over by then needs no word."""


class Busy(QWidget):
    """A sentence, a bar that runs, and a button."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = PlainLabel(parent=self)
        self.words.setWordWrap(False)
        self.words.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        bar = QProgressBar(self)
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setFixedWidth(30 * SPACE)
        bar.setAccessibleName("Progress")
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setFlat(True)
        self.cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACE, 0, 0, 0)
        row.setSpacing(3 * SPACE)
        for widget in (self.words, bar, self.cancel):
            row.addWidget(widget)
        self._soon = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._soon.timeout.connect(self.show)
        self.hide()

    def say(self, text: str) -> None:
        """Say what is being done, once it takes a moment; nothing when it is over."""
        self.words.setText(f"{text}…" if text else "")
        if text:
            self._soon.start()
        else:
            self._soon.stop()
            self.hide()
