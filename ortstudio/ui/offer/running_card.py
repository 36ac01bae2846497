"""What is being done, and a way to stop it."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QPushButton

from ortstudio.ui.offer.card import Card
from ortstudio.ui.views.flow import Flow


class RunningCard(Card):
    """A line, a bar and a button."""

    def __init__(self) -> None:
        super().__init__("Converting")
        self._now = self.text()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self.column.addWidget(self._bar)
        self.cancel = QPushButton("Cancel")
        self.column.addLayout(Flow(self.cancel))
        self.column.addStretch(1)

    def show_progress(self, text: str, done: int, total: int) -> None:
        """What is done now; of one source nobody knows how far it is."""
        self._now.setText(text)
        self._bar.setRange(0, total if total > 1 else 0)
        self._bar.setValue(done)
