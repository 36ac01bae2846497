"""What stands where a picture is not there yet: a sentence, progress, a way to cancel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from ortstudio.ui import theme

BAR_WIDTH = 240
_STEPS = 1000


class Message(QWidget):
    """A sentence in the middle; while something is under way, a bar and a button below."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = QProgressBar()
        self._bar.setFixedWidth(BAR_WIDTH)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._button = QPushButton("Cancel")
        self._button.clicked.connect(self.cancel_requested)
        layout = QVBoxLayout(self)
        layout.setSpacing(3 * theme.SPACE)
        layout.addStretch(1)
        layout.addWidget(self._label)
        layout.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def say(self, text: str, progress: float | None, busy: bool) -> None:
        """Show a sentence; `progress` is a share of 1, None while it is not known."""
        self._label.setText(text)
        self._bar.setVisible(busy)
        self._button.setVisible(busy)
        self._bar.setRange(0, _STEPS if progress is not None else 0)
        if progress is not None:
            self._bar.setValue(round(min(max(progress, 0.0), 1.0) * _STEPS))
