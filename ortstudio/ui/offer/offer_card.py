"""The offer: what people choose first, the rest folded below, and what will then happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.words import count, listed
from ortstudio.services.advice import Advice
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.questions import Questions
from ortstudio.ui.offer.card import Card
from ortstudio.ui.offer.effects import show_effects
from ortstudio.ui.offer.fields import Switch
from ortstudio.ui.offer.first_choices import FirstChoices
from ortstudio.ui.offer.folded import Content, Folded, Part
from ortstudio.ui.offer.graph_options import GraphOptions
from ortstudio.ui.offer.guidance import Guidance
from ortstudio.ui.offer.more_options import ResultOptions, SeveralOptions, VerificationOptions
from ortstudio.ui.offer.open_sizes import OpenSizes
from ortstudio.ui.offer.plan_view import PlanView
from ortstudio.ui.offer.unusual import (
    unusual_graph,
    unusual_result,
    unusual_sizes,
    unusual_verification,
)


class OfferCard(Card):
    """Everything between the title and the button."""

    changed = Signal()
    """Something else is chosen."""

    def __init__(self) -> None:
        super().__init__("Convert to ORT")
        self._advising = False
        self._base = ConvertSettings()
        self._questions = Questions()
        self._names = self.text(muted=True)
        self.guidance, self.first, self.plan = Guidance(), FirstChoices(), PlanView()
        self.replace_ = Switch("Replace what is there")
        for widget in (self.guidance, self.first, self.plan, self.replace_):
            self.column.addWidget(widget)
        self.sizes = self._section("Sizes and ranges", self._make_sizes)
        self.graph = self._section("The graph", GraphOptions)
        self.result = self._section("What is written", ResultOptions)
        self.verification = self._section("Verification", VerificationOptions)
        self.several = self._section("Several models", SeveralOptions)
        self.column.addStretch(1)
        self.first.changed.connect(self._changed)
        for field in (self.first.level, self.first.style_, self.first.target):
            field.chosen.connect(self._chosen_by_hand)
        self.guidance.recommended.connect(self._recommend)
        self.guidance.tried.connect(self._show_effects)
        self.replace_.chosen.connect(self._changed)
        self.replace_.hide()

    def _section(self, title: str, make: Callable[[], Content]) -> Folded[Content]:
        def made() -> Content:
            part = make()
            part.show_settings(self._base)
            part.changed.connect(self._changed)
            return part

        section = Folded(title, made)
        self.column.addWidget(section)
        return section

    def _make_sizes(self) -> OpenSizes:
        sizes = OpenSizes()
        sizes.ask(self._questions)
        return sizes

    @property
    def _parts(self) -> list[Part]:
        """The parts that are there: of the others nothing can have been chosen."""
        sections = self.sizes, self.graph, self.result, self.verification, self.several
        return [self.first, *(section.made for section in sections if section.made is not None)]

    @property
    def settings(self) -> ConvertSettings:
        """All that is chosen."""
        replaces = not self.replace_.isHidden() and self.replace_.on
        found = replace(self._base, overwrite=replaces)
        for part in self._parts:
            found = part.applied(found)
        return found

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        self._base = settings
        for part in self._parts:
            cast(QObject, part).blockSignals(True)
            part.show_settings(settings)
            cast(QObject, part).blockSignals(False)
        self._changed()

    def offer(self, sources: Sequence[Path]) -> None:
        """Name what is offered."""
        several = len(sources) != 1 or sources[0].is_dir()
        inputs = replace(self._base.inputs, dims={}, ranges={}, file=None)
        self._base = replace(self.settings, fixed_dims={}, inputs=inputs)
        self.ask(Questions())
        self.guidance.offer(None if several else sources[0])
        self.title.setText("Convert several models" if several else "Convert to ORT")
        self._names.setText(listed([path.name for path in sources], 3))
        self._names.setVisible(several)
        self.several.setVisible(several)
        self.replace_.turn(False)
        self.replace_.hide()

    def ask(self, questions: Questions) -> None:
        """Offer fields for what the models leave open."""
        self._questions = questions
        if self.sizes.made is not None:
            self.sizes.made.ask(questions)
        self.sizes.setVisible(bool(questions.sizes or questions.indices))

    def show_plan(self, plan: ConvertPlan) -> None:
        """Show what will happen with what is chosen."""
        self.plan.show_plan(plan)
        if len(plan.sources) > 1:
            self.title.setText(f"Convert {count(len(plan.sources), 'model')}")
        outputs = [output for row in plan.sources for output in row.outputs]
        self._offer_replacing(any(output.replaces for output in (*outputs, *plan.configs)))

    def _offer_replacing(self, possible: bool) -> None:
        """Whether there is something that could be replaced."""
        self.replace_.setVisible(possible or self.replace_.on)

    def _recommend(self, advised: ConvertSettings) -> None:
        """Choose what decides a use; all else stays as it is."""
        self._advising = True
        self.show_settings(
            replace(
                self.settings,
                level=advised.level,
                styles=advised.styles,
                target=advised.target,
                fixed_dims={**self.settings.fixed_dims, **advised.fixed_dims},
                write_config=advised.write_config,
                type_reduction=advised.type_reduction,
            )
        )
        self._advising = False

    def _chosen_by_hand(self) -> None:
        if not self._advising:
            self.guidance.be_own()

    def _show_effects(self, advice: Advice | None) -> None:
        show_effects(self.first, advice.effects if advice else {})

    def _changed(self) -> None:
        chosen = self.settings
        self.guidance.settle(chosen)
        self.sizes.say(unusual_sizes(chosen))
        self.graph.say(unusual_graph(chosen))
        self.result.say(unusual_result(chosen))
        self.verification.say(unusual_verification(chosen))
        self.several.say("" if chosen.keep_going else "ends at a failure")
        self.changed.emit()
