"""Where the result will stand: offers the conversion, shows it going, or says why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QPushButton, QStackedLayout, QWidget

from ortstudio.analysis.words import count, listed
from ortstudio.errors import StudioError
from ortstudio.services.conversion import CancelledError, Conversion
from ortstudio.services.convert_outputs import output_name
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.conversions import Conversions
from ortstudio.ui.offer_cards import OfferCard, OutcomeCard, RunningCard
from ortstudio.ui.views.page import Page

CARD_WIDTH = 460


class OfferPane(Page):
    """A card in the place of the result."""

    convert_requested = Signal(object)
    """The user wants it, with these `ConvertSettings`."""
    dismissed = Signal()
    """The user would rather see the pictures."""

    def __init__(self, conversions: Conversions, parent: QWidget | None = None) -> None:
        holder = QWidget()
        super().__init__(holder, CARD_WIDTH, parent)
        self._conversions = conversions
        self._sources: tuple[Path, ...] = ()
        self._offer, self._running, self._outcome = OfferCard(), RunningCard(), OutcomeCard()
        self._stack = QStackedLayout(holder)
        for card in (self._offer, self._running, self._outcome):
            self._stack.addWidget(card)
        self._offer.convert.clicked.connect(self._ask)
        self._offer.not_now.clicked.connect(self.dismissed)
        self._offer.changed.connect(self._say_target)
        self._running.cancel.clicked.connect(self._cancel)
        self._outcome.again.clicked.connect(self.offer_again)
        conversions.progressed.connect(self._running.show_progress)
        conversions.ended.connect(self._ended)
        conversions.failed.connect(self._show_error)

    def offer(self, sources: Sequence[Path], level: str, style: str) -> None:
        """Offer to convert these, with what was chosen last."""
        self._sources = tuple(sources)
        self._offer.choose(level, style)
        self._say_target()
        if not self._conversions.is_running:
            self._show(self._offer, self._offer.convert)

    @property
    def shows_outcome(self) -> bool:
        """Whether it stands here how the last run went, such as why it failed."""
        return self._stack.currentWidget() is self._outcome

    def focus(self) -> None:
        """Put the keyboard on the button that starts."""
        self._offer.convert.setFocus()

    def _say_target(self) -> None:
        level, style = self._offer.level, self._offer.style_chosen
        if len(self._sources) == 1:
            name = output_name(self._sources[0], level, style)
            exists = (self._sources[0].parent / name).exists()
            self._offer.say_target("Convert to ORT", f"Writes {name} beside the source.", exists)
        else:
            names = listed([path.name for path in self._sources], 3)
            title = f"Convert {count(len(self._sources), 'model')}"
            exists = any(
                (path.parent / output_name(path, level, style)).exists() for path in self._sources
            )
            self._offer.say_target(title, names, exists)

    def _ask(self) -> None:
        settings = ConvertSettings(
            level=self._offer.level,
            styles=(self._offer.style_chosen,),
            overwrite=self._offer.replace.isVisible() and self._offer.replace.isChecked(),
            verify=self._offer.verify.isChecked(),
        )
        self._running.show_progress("Starting", 0, 0)
        self._show(self._running, self._running.cancel)
        self.convert_requested.emit(settings)

    def _cancel(self) -> None:
        self._running.show_progress("Cancelling", 0, 0)
        self._conversions.cancel()

    def _ended(self, conversion: Conversion) -> None:
        rows = conversion.results
        errors = [row.error for row in rows if row.error is not None]
        cancelled = not rows or any(isinstance(error, CancelledError) for error in errors)
        if len(rows) > 1 and not cancelled:
            self._outcome.show_several(rows)
            self._show(self._outcome, self._outcome.again)
        elif errors and not cancelled:
            self._show_error(errors[0])
        elif cancelled:
            self.offer_again()
        # A single result takes this place in a moment.

    def _show_error(self, error: StudioError) -> None:
        self._outcome.show_error(error)
        self._show(self._outcome, self._outcome.again)

    def offer_again(self) -> None:
        """Offer what is open once more."""
        self._say_target()
        self._show(self._offer, self._offer.convert)

    def _show(self, card: QWidget, button: QPushButton) -> None:
        """Turn to a card; the keyboard goes along if it was here."""
        was_here = self.isAncestorOf(QApplication.focusWidget() or self)
        self._stack.setCurrentWidget(card)
        if was_here:
            button.setFocus()
