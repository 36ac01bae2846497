"""What each choice does to this model, below the choice: once they were tried."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.analysis.words import count, size_text
from ortstudio.services.effects import RUNTIME, Effect
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.trials import Choice
from ortstudio.ui.offer.first_choices import FirstChoices

Effects = Mapping[Choice, Effect]


def show_effects(first: FirstChoices, effects: Effects) -> None:
    """Say of every level, style and target what came of it; nothing where none were tried."""
    first.level.say_here(
        {level: _text(effects.get(Choice(level))) for level in Level},
        {level: _measures(effects.get(Choice(level))) for level in Level},
    )
    runtime = effects.get(RUNTIME)
    first.style_.say_here(
        {
            (Style.FIXED,): "",
            (Style.RUNTIME,): _text(runtime),
            (Style.FIXED, Style.RUNTIME): _text(runtime),
        },
        {(Style.RUNTIME,): _measures(runtime)},
    )
    targets: dict[Target | None, Effect | None] = {
        target: effects.get(Choice(target=target)) for target in Target
    }
    first.target.say_here(
        {target: _text(effect) for target, effect in targets.items()},
        {target: _measures(effect) for target, effect in targets.items()},
    )


def _text(effect: Effect | None) -> str:
    """Against what it is told: a level against the one below, a target against none."""
    if effect is None:
        return ""
    alone = effect.choice.style is Style.RUNTIME or effect.error or effect.same_as
    if alone:
        return f"Here: {effect.text}"
    against = effect.against.name if effect.against else "the source"
    if effect.choice.target is not None:
        against = "any processor"
    return f"Here, against {against}: {effect.text}"


def _measures(effect: Effect | None) -> str:
    if effect is None or effect.error is not None:
        return ""
    return f"{count(effect.nodes, 'node')}, {size_text(effect.size_bytes)}"
