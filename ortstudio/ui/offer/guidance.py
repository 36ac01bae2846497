"""Help with choosing: settings for a use, and what each choice does to the model at hand."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.services.advice import Advice
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.uses import Recommendation, Use
from ortstudio.services.uses_in_general import TEXTS, general_settings
from ortstudio.ui.job import plainly
from ortstudio.ui.offer.advised import Advised
from ortstudio.ui.offer.choices import Choice
from ortstudio.ui.offer.fields import ChoiceField
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel

MOST_REASONS = 1
"""Shown here; the page of advice has them all."""

OWN: Choice[Use | None] = Choice(None, "My own choice", "Choose below what you want.")
USES: list[Choice[Use | None]] = [OWN]
USES += [Choice(use, use.value, TEXTS[use]) for use in Use]


class Guidance(QWidget):
    """Chooses for a use, and tries the choices when asked to."""

    recommended = Signal(object)
    """The `ConvertSettings` for a use: what decides it is to be chosen."""
    reasons_requested = Signal()
    """All that speaks for and against is wanted."""
    tried = Signal(object)
    """The `Advice` with the effects of every choice, or None: they are not known any more."""

    def __init__(self) -> None:
        super().__init__()
        self._chosen = ConvertSettings()
        self.advised = Advised(self)
        self.use: ChoiceField[Use | None] = ChoiceField(USES)
        rows = Rows()
        self.use.add_to(rows, "&For")
        self.reasons = QPushButton("All Reasons")
        self.try_all = QPushButton("Try on This Model")
        self.try_all.setToolTip("Converts it in every way in a temporary folder, to compare")
        self.cancel = QPushButton("Cancel")
        self._trying = PlainLabel(muted=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(rows)
        column.addLayout(Flow(self.reasons, self.try_all, self.cancel))
        column.addWidget(self._trying)
        self._show_trying("")
        self.reasons.hide()
        self.reasons.clicked.connect(self.reasons_requested)
        self.use.chosen.connect(self._use_chosen)
        self.try_all.clicked.connect(self._try)
        self.cancel.clicked.connect(self.advised.cancel)
        self.advised.found.connect(self._found)
        self.advised.failed.connect(self._failed)
        self.advised.progressed.connect(self._show_trying)

    def offer(self, path: Path | None) -> None:
        """Another model is offered, or several: None."""
        self.advised.begin(path)
        self.try_all.setVisible(path is not None)
        self.tried.emit(None)
        self.be_own()

    def settle(self, chosen: ConvertSettings) -> None:
        """What is chosen now."""
        self._chosen = chosen
        before = self.advised.advice
        self.advised.settle(chosen)
        if before is not None and self.advised.advice is None:
            self.tried.emit(None)

    def be_own(self) -> None:
        """What is chosen is the user's own choice, and no use's."""
        self.use.blockSignals(True)
        self.use.choose(None)
        self.use.blockSignals(False)
        self.use.effect.setText(OWN.effect)
        self.reasons.hide()

    def _use_chosen(self) -> None:
        use = self.use.value
        self.reasons.hide()
        if use is None:
            return
        self.recommended.emit(general_settings(use, self._chosen))
        if self.advised.is_possible:
            self.use.effect.setText(f"{TEXTS[use]} Looking at what that means for this model…")
            self.advised.ask()

    def _try(self) -> None:
        self._show_trying("Trying the choices")
        self.advised.ask(with_effects=True)

    def _found(self, advice: Advice) -> None:
        if advice.effects:
            self.tried.emit(advice)
        use = self.use.value
        for found in advice.uses:
            if found.use is use:
                self.recommended.emit(found.settings)
                self.use.effect.setText(_said(found))
                self.reasons.setVisible(len(found.reasons) > MOST_REASONS)

    def _failed(self, error: StudioError) -> None:
        use = self.use.value
        if use is not None:
            self.use.effect.setText(f"{TEXTS[use]} {plainly(error)}")
        else:
            self._trying.setText(plainly(error))
            self._trying.show()

    def _show_trying(self, text: str) -> None:
        self._trying.setText(text)
        self._trying.setVisible(bool(text))
        self.cancel.setVisible(bool(text))
        self.try_all.setEnabled(not text)


def _said(found: Recommendation) -> str:
    """What to do, and why for this model."""
    reasons = [f"{reason.text} ({reason.evidence.value})" for reason in found.reasons]
    return "\n".join([found.text, *reasons[:MOST_REASONS]])
