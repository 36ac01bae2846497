"""Where the result will stand: offers the conversion, shows it going, or says what came of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QApplication, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.services.conversion import CancelledError, Conversion, Converted
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.questions import Questions, questions
from ortstudio.services.sessions import Level, Style
from ortstudio.ui.conversions import Conversions, KnownPlan
from ortstudio.ui.job import as_sentence
from ortstudio.ui.offer.offer_card import OfferCard
from ortstudio.ui.offer.outcome_card import OutcomeCard
from ortstudio.ui.offer.running_card import RunningCard
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.foot import Foot
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.page import Page

CARD_WIDTH = 640
DELAY_MS = 120
"""A choice is planned for when no other one follows it at once."""
MOST_ASKED = 50
"""Models that are read for what they leave open."""


class OfferPane(QWidget):
    """A card in the place of the result."""

    convert_requested = Signal(object, object)
    """The user wants it: these `ConvertSettings`, by the `KnownPlan` that was shown."""
    dismissed = Signal()
    """The user would rather see the pictures."""
    open_requested = Signal(list)
    """Source and result, to be opened side by side."""
    reasons_requested = Signal()
    """All that speaks for and against is wanted."""
    planned = Signal()
    """It is known what would happen."""

    def __init__(self, conversions: Conversions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversions = conversions
        self._tasks = Tasks(self)
        self._sources: tuple[Path, ...] = ()
        self.known: KnownPlan | None = None
        self._is_asked = False
        self._is_wanted = False
        self._wanted: ConvertSettings | None = None
        self.card = OfferCard()
        self._running: RunningCard | None = None
        self._outcome: OutcomeCard | None = None
        self._pages: dict[QWidget, Page] = {}
        self.convert, self.not_now = QPushButton("Convert"), QPushButton("Not Now")
        self.convert.setDefault(True)
        self._why_not = PlainLabel()
        self._why_not.hide()
        self._offer = self._offering()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._offer)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._plan)
        self.convert.clicked.connect(self._ask)
        self.not_now.clicked.connect(self.dismissed)
        self.card.changed.connect(self._delay.start)
        self.card.guidance.reasons_requested.connect(self.reasons_requested)
        conversions.ended.connect(self._ended)
        conversions.failed.connect(self._show_error)

    @property
    def running(self) -> RunningCard:
        """What is shown while a conversion goes on, made when first needed."""
        if self._running is None:
            card = self._running = RunningCard()
            card.cancel.clicked.connect(self._cancel)
            self._conversions.progressed.connect(card.show_progress)
            self._add(card)
        return self._running

    @property
    def outcome(self) -> OutcomeCard:
        """What is shown when it is over, made when first needed."""
        if self._outcome is None:
            card = self._outcome = OutcomeCard()
            card.again.clicked.connect(self.offer_again)
            card.close_.clicked.connect(self.dismissed)
            card.one.open_requested.connect(self.open_requested)
            self._add(card)
        return self._outcome

    def _add(self, card: QWidget) -> None:
        self._pages[card] = Page(card, CARD_WIDTH)
        self._stack.addWidget(self._pages[card])

    def _offering(self) -> QWidget:
        """The card, which scrolls, over the buttons, which are always in view."""
        holder = QWidget(self)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Page(self.card, CARD_WIDTH, holder, from_top=True), 1)
        column.addWidget(Foot(self._why_not, Flow(self.convert, self.not_now), widest=CARD_WIDTH))
        return holder

    def offer(self, sources: Sequence[Path], level: str, style: str) -> None:
        """Offer to convert these, with what was chosen last."""
        self._sources, self._wanted = tuple(sources), None
        self.card.offer(self._sources)
        self.card.show_settings(_remembered(self.card.settings, level, style))
        self._is_asked = self._is_wanted = False
        self._plan()
        if not self._conversions.is_running:
            self._show(self._offer, self.convert)

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say, sizes as soon as it is known which ones are open."""
        self._wanted = replace(settings, keep_going=True)
        self.card.show_settings(self._wanted)
        self.card.guidance.be_own()

    @property
    def shows_outcome(self) -> bool:
        """Whether it stands here how the last run went, such as why it failed."""
        shown = self._stack.currentWidget()
        return self._outcome is not None and shown is self._pages[self._outcome]

    def focus(self) -> None:
        """Put the keyboard on the button that starts."""
        self.convert.setFocus()

    def show_result(self, result: Converted) -> None:
        """Say all that became of one source."""
        self.outcome.show_one(result)
        self._show(self.outcome, self.outcome.again)

    def _find_questions(self, found: ConvertPlan) -> None:
        """Find out, once, what the models leave open."""
        if self._is_asked:
            return
        self._is_asked = True
        models = [row.source for row in found.sources[:MOST_ASKED]]
        self._tasks.run(
            lambda _task: questions(models),
            done=self._asked,
            failed=lambda _error: None,
            lane="questions",
        )

    def _asked(self, found: Questions) -> None:
        self.card.ask(found)
        if self._wanted is not None:
            self.card.show_settings(self._wanted)

    def _plan(self) -> None:
        """Find out what would happen, in another thread."""
        sources, settings = self._sources, self.card.settings
        make_child = self._conversions.make_child
        if not sources:
            return
        self._delay.stop()
        self.known = None
        self.card.plan.show_planning()

        def work(_task: Task) -> KnownPlan:
            begun_s = time.time()
            made = plan(sources, settings, make_child=make_child)
            return KnownPlan(sources, settings, made, begun_s)

        self._tasks.run(work, done=self._planned, failed=self._not_planned, lane="plan")

    def _planned(self, known: KnownPlan) -> None:
        self.known, found = known, known.plan
        self.card.show_plan(found)
        self._find_questions(found)
        refusals = [row.refusal for row in found.sources if row.refusal is not None]
        if len(refusals) < len(found.sources):
            self._allow("")
        elif len(refusals) == 1:
            self._allow(as_sentence(refusals[0].message))
        else:
            self._allow("Every model is refused: the list says why.")

    def _not_planned(self, error: StudioError) -> None:
        self.card.plan.show_error(error)
        self._allow(as_sentence(error.message))

    def _allow(self, why_not: str) -> None:
        self.convert.setEnabled(not why_not)
        self._why_not.setText(why_not)
        self._why_not.setVisible(bool(why_not))
        self.planned.emit()
        if self._is_wanted and why_not:
            self._is_wanted = False
            self._show(self._offer, self.convert)
        elif self._is_wanted:
            self._start()

    def _ask(self) -> None:
        """Convert, as soon as it is known what that means."""
        self._is_wanted = True
        self.running.show_progress("Looking at what will happen", 0, 0)
        self._show(self.running, self.running.cancel)
        if self._delay.isActive():
            self._plan()
        elif self.known is not None:
            self._start()

    def _start(self) -> None:
        self._is_wanted = False
        self.running.show_progress("Starting", 0, 0)
        self.convert_requested.emit(self.card.settings, self.known)

    def _cancel(self) -> None:
        if self._is_wanted:
            self._is_wanted = False
            self._show(self._offer, self.convert)
            return
        self.running.show_progress("Cancelling", 0, 0)
        self._conversions.cancel()

    def _ended(self, conversion: Conversion) -> None:
        rows = conversion.results
        errors = [row.error for row in rows if row.error is not None]
        cancelled = not rows or any(isinstance(error, CancelledError) for error in errors)
        if len(rows) > 1:
            self.outcome.show_several(rows)
            self._show(self.outcome, self.outcome.again)
        elif errors and not cancelled:
            self.show_result(rows[0])
        elif cancelled:
            self.offer_again()
        # A single result takes this place in a moment.

    def _show_error(self, error: StudioError) -> None:
        self.outcome.show_error(error)
        self._show(self.outcome, self.outcome.again)

    def offer_again(self) -> None:
        """Offer what is open once more."""
        self._plan()
        self._show(self._offer, self.convert)

    def _show(self, card: QWidget, button: QPushButton) -> None:
        """Turn to a card; the keyboard goes along if it was here."""
        page = self._pages.get(card, card)
        was_here = self.isAncestorOf(QApplication.focusWidget() or self)
        self._stack.setCurrentWidget(page)
        if was_here:
            button.setFocus()


def _remembered(before: ConvertSettings, level: str, style: str) -> ConvertSettings:
    """The settings with level and styles by their names; another name changes nothing."""
    levels = {each.value: each for each in Level}
    styles = {each.value: (each,) for each in Style} | {"both": tuple(Style)}
    return replace(
        before,
        level=levels.get(level, before.level),
        styles=styles.get(style, before.styles),
        keep_going=True,
    )
