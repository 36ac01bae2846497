"""Advice in words: what is advised, and the reasons with what each rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ortstudio.analysis.words import size_text
from ortstudio.services.advice import Advice
from ortstudio.services.effect_words import SHOWN, Step
from ortstudio.services.effects import Effect
from ortstudio.services.reasons import Reason, Stance
from ortstudio.services.uses import Recommendation
from ortstudio.ui.views.facts import Fact, Prose, Section, Sheet

_TITLES = {
    Stance.FOR: "For ORT format",
    Stance.AGAINST: "Against it",
    Stance.NOTE: "To know",
}


def answer_sheet(advice: Advice) -> Sheet:
    """The plain answer, and the reasons by what they speak for."""
    sections = [
        Section(title, list(_reasons([r for r in advice.answer.reasons if r.stance is stance])))
        for stance, title in _TITLES.items()
    ]
    shown = [section for section in sections if section.rows]
    return Sheet(advice.answer.text, sections=shown, mono=False)


def use_sheet(use: Recommendation) -> Sheet:
    """One use: what to do, and why."""
    rows = list(_reasons(use.reasons))
    if use.options and use.converts:
        rows.insert(0, Fact("options", use.options))
    return Sheet(f"{use.use.value}: {use.text}", sections=[Section("Why", rows)], mono=False)


def effect_sheet(effect: Effect) -> Sheet:
    """One choice: what it does, and what that is told against."""
    against = "the source" if effect.against is None else effect.against.name
    rows: list[Fact | Prose] = [Prose(effect.text), Fact("told against", against, mono=False)]
    if effect.error is None:
        rows.append(Fact("size", size_text(effect.size_bytes), mono=False))
    if len(effect.steps) > SHOWN:
        rows += [Fact(step.kind, _times(step), mono=False) for step in effect.steps]
    return Sheet(effect.choice.name, sections=[Section("What it does", rows)], mono=False)


def _times(step: Step) -> str:
    return f"{step.times:,} × {step.text}" if step.times > 1 else step.text


def _reasons(reasons: Sequence[Reason]) -> Iterator[Fact]:
    """The text is the value; what it rests on stands before it, where the eye can run down."""
    for reason in reasons:
        yield Fact(reason.evidence.value, reason.text, mono=False)
