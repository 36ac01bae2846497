"""The offer: what people choose first, the rest folded below, and what will then happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal

from ortstudio.analysis.words import count, listed
from ortstudio.services.advice import Advice
from ortstudio.services.agreement import Tolerance
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import InputSettings
from ortstudio.services.questions import Questions
from ortstudio.ui.offer.card import Card
from ortstudio.ui.offer.effects import show_effects
from ortstudio.ui.offer.fields import Switch
from ortstudio.ui.offer.first_choices import FirstChoices
from ortstudio.ui.offer.graph_options import GraphOptions
from ortstudio.ui.offer.guidance import Guidance
from ortstudio.ui.offer.more_options import ResultOptions, SeveralOptions, VerificationOptions
from ortstudio.ui.offer.open_sizes import OpenSizes
from ortstudio.ui.offer.plan_view import PlanView
from ortstudio.ui.offer.section import Section


class OfferCard(Card):
    """Everything between the title and the button."""

    changed = Signal()
    """Something else is chosen."""

    def __init__(self) -> None:
        super().__init__("Convert to ORT")
        self._advising = False
        self._names = self.text(muted=True)
        self.guidance = Guidance()
        self.first = FirstChoices()
        self.plan = PlanView()
        self.replace_ = Switch("Replace what is there")
        self.sizes, self.graph = OpenSizes(), GraphOptions()
        self.result, self.verification = ResultOptions(), VerificationOptions()
        self.several = SeveralOptions()
        self._parts = (
            self.first,
            self.sizes,
            self.graph,
            self.result,
            self.verification,
            self.several,
        )
        self.column.addWidget(self.guidance)
        self.column.addWidget(self.first)
        self.column.addWidget(self.plan)
        self.column.addWidget(self.replace_)
        self._sections = {
            "sizes": Section("Sizes and ranges", self.sizes),
            "graph": Section("The graph", self.graph),
            "result": Section("What is written", self.result),
            "verification": Section("Verification", self.verification),
            "several": Section("Several models", self.several),
        }
        for section in self._sections.values():
            self.column.addWidget(section)
        self.column.addStretch(1)
        for part in self._parts:
            part.changed.connect(self._changed)
        for field in (self.first.level, self.first.style_, self.first.target):
            field.chosen.connect(self._chosen_by_hand)
        self.guidance.recommended.connect(self._recommend)
        self.guidance.tried.connect(self._show_effects)
        self.replace_.chosen.connect(self._changed)
        self.replace_.hide()

    @property
    def settings(self) -> ConvertSettings:
        """All that is chosen."""
        found = ConvertSettings(overwrite=not self.replace_.isHidden() and self.replace_.on)
        for part in self._parts:
            found = part.applied(found)
        return found

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say."""
        for part in self._parts:
            part.blockSignals(True)
            part.show_settings(settings)
            part.blockSignals(False)
        self._changed()

    def offer(self, sources: Sequence[Path]) -> None:
        """Name what is offered."""
        several = len(sources) != 1 or sources[0].is_dir()
        self.guidance.offer(None if several else sources[0])
        self.title.setText("Convert several models" if several else "Convert to ORT")
        self._names.setText(listed([path.name for path in sources], 3))
        self._names.setVisible(several)
        self._sections["several"].setVisible(several)
        self.replace_.turn(False)
        self.replace_.hide()

    def ask(self, questions: Questions) -> None:
        """Offer fields for what the models leave open."""
        self.sizes.ask(questions)
        self._sections["sizes"].setVisible(bool(questions.sizes or questions.indices))

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
        self.guidance.settle(self.settings)
        for name, words in _unusual(self.settings).items():
            self._sections[name].say(words)
        self.changed.emit()


def _unusual(chosen: ConvertSettings) -> dict[str, str]:
    """What is not as usual in each section, in a word or two."""
    sizes = len(chosen.fixed_dims) + len(chosen.inputs.dims) + len(chosen.inputs.ranges)
    graph = (chosen.custom_ops, chosen.opset, chosen.disabled_optimizers, chosen.providers)
    written = {
        "no config": not chosen.write_config,
        "types": chosen.type_reduction,
        "ONNX": chosen.optimized_onnx,
        "reproducible": chosen.reproducible,
        "stamp": chosen.stamp,
    }
    same = chosen.tolerance == Tolerance() and chosen.inputs.seed == InputSettings().seed
    verification = "" if same and not chosen.inputs.file else "changed"
    return {
        "sizes": f"{sizes} chosen" if sizes else "",
        "graph": "changed" if any(graph) else "",
        "result": ", ".join(name for name, holds in written.items() if holds),
        "verification": verification if chosen.verify else "off",
        "several": "" if chosen.keep_going else "ends at a failure",
    }
