"""How it went: one source in full, or several with the reasons of those that failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.services.conversion import Converted, State
from ortstudio.ui import theme
from ortstudio.ui.job import details
from ortstudio.ui.offer.result_view import ResultView, Words
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel

MOST_REASONS = 6
"""Failures of one run that are written out on the card."""


class OutcomeCard(QWidget):
    """The result of one source, or the sum of several."""

    def __init__(self) -> None:
        super().__init__()
        self.one = ResultView()
        self._several = QWidget()
        self.title = PlainLabel()
        self.title.setFont(theme.font(theme.TITLE, strong=True))
        self._reasons, self._hint = PlainLabel(), PlainLabel(muted=True)
        self._words = Words()
        several = QVBoxLayout(self._several)
        several.setContentsMargins(0, 0, 0, 0)
        several.setSpacing(3 * SPACE)
        for part in (self.title, self._reasons, self._hint, self._words):
            several.addWidget(part)
        self.again = QPushButton("Choose Again")
        self.close_ = QPushButton("Close")
        column = QVBoxLayout(self)
        column.setSpacing(4 * SPACE)
        column.addWidget(self.one)
        column.addWidget(self._several)
        column.addLayout(Flow(self.again, self.close_))
        column.addStretch(1)

    def show_error(self, error: StudioError) -> None:
        """Say why the only source was not converted."""
        self.one.show_error(error)
        self._turn_to(self.one)

    def show_one(self, result: Converted) -> None:
        """Say all that became of the only source."""
        self.one.show_result(result)
        self._turn_to(self.one)

    def show_several(self, rows: Sequence[Converted]) -> None:
        """Say how several went, with the reason of each that failed."""
        done = sum(row.ok for row in rows)
        self.title.setText(f"{done} of {count(len(rows), 'model')} converted")
        failed = [
            (row.source.name, row.error)
            for row in rows
            if row.error is not None and row.state in (State.FAILED, State.REFUSED)
        ]
        reasons = [f"{name}: {error.message}" for name, error in failed[:MOST_REASONS]]
        if len(failed) > MOST_REASONS:
            reasons.append(f"and {count(len(failed) - MOST_REASONS, 'more failure')}")
        self._reasons.setText("\n".join(reasons))
        self._reasons.setVisible(bool(reasons))
        self._hint.setText("The list below has every model; a double click opens it.")
        words = [f"{name}\n{details(error)}" for name, error in failed if details(error)]
        self._words.show_text("\n\n".join(words))
        self._turn_to(self._several)

    def _turn_to(self, part: QWidget) -> None:
        self.one.setVisible(part is self.one)
        self._several.setVisible(part is self._several)
