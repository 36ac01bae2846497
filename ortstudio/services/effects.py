"""What each choice of a conversion does to one model: found by trying, told against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ortstudio.analysis.portability import Verdict
from ortstudio.analysis.quantized_nodes import quantized_types
from ortstudio.analysis.totals import what_dominates
from ortstudio.analysis.words import listed
from ortstudio.errors import StudioError
from ortstudio.services.conversion import CancelledError
from ortstudio.services.diff import Comparison
from ortstudio.services.document import Document
from ortstudio.services.effect_words import (
    Step,
    changes_text,
    initializers_text,
    nodes_text,
    runs_text,
    saved_text,
    steps,
    types_text,
)
from ortstudio.services.sessions import Level, Style, Target
from ortstudio.services.trials import Choice, Trials

Progress = Callable[["Choice", int, int], None]
"""Told what is tried next, how many were, and how many there are."""

GROWN = 1.5
"""From this growth on the size is worth a word."""

LEVELS = tuple(Choice(level) for level in Level)
DEFAULT, BASIC = Choice(), Choice(Level.BASIC)
RUNTIME = Choice(style=Style.RUNTIME)
RUNTIME_ARM = Choice(style=Style.RUNTIME, target=Target.ARM)
TARGETS = tuple(Choice(target=target) for target in Target)
CHOICES = (*LEVELS, RUNTIME, RUNTIME_ARM, *TARGETS)
"""All that is tried, in the order in which least is kept at a time."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What came of one choice, told against another: `against` is None for the source.

    `operators` are how many different ones the result has, `saved` how many optimizations.
    `same_as` is set where the result is that of the other choice. `fills` says what fills the
    default's result where it has grown, `refused` why the newest release does not load it. Where
    the conversion failed, `error` says why, and nothing else is known.
    """

    choice: Choice
    against: Choice | None
    text: str
    steps: tuple[Step, ...] = ()
    nodes: int = 0
    operators: int = 0
    size_bytes: int = 0
    verdict: Verdict | None = None
    saved: int = 0
    unreplayable: int = 0
    same_as: Choice | None = None
    fills: str = ""
    refused: str = ""
    error: StudioError | None = None


def effects(trials: Trials, on_progress: Progress | None = None) -> tuple[Effect, ...]:
    """Try every choice. Raises CancelledError; every other trouble stands in its row.

    Raises the first error where no choice can be converted at all.
    """
    found = []
    for place, choice in enumerate(CHOICES):
        if on_progress is not None:
            on_progress(choice, place, len(CHOICES))
        found.append(_tried(trials, choice))
        _make_room(trials, choice)
    errors = [effect.error for effect in found if effect.error is not None]
    if len(errors) == len(found):
        raise errors[0]
    return _first_alike(found)


def told_against(choice: Choice) -> Choice | None:
    """The choice that another is told against; None for the source."""
    if choice.style is Style.RUNTIME:
        return BASIC if choice == RUNTIME else RUNTIME
    if choice.target is not None:
        return DEFAULT
    place = LEVELS.index(choice)
    return LEVELS[place - 1] if place else None


def _make_room(trials: Trials, choice: Choice) -> None:
    """Let go of results that nothing more is told against."""
    done = {
        Choice(Level.BASIC): [LEVELS[0]],
        Choice(Level.LAYOUT): [Choice(Level.EXTENDED)],
        Choice(Level.ALL): [Choice(Level.LAYOUT)],
        RUNTIME: [BASIC],
        RUNTIME_ARM: [RUNTIME, RUNTIME_ARM],
    }
    for one in [*done.get(choice, []), *([choice] if choice in TARGETS else [])]:
        trials.forget(one)


def _tried(trials: Trials, choice: Choice) -> Effect:
    against = told_against(choice)
    try:
        after = trials.result(choice)
        before = trials.source if against is None else trials.result(against)
        return _effect(trials, choice, against, before, after)
    except CancelledError:
        raise
    except StudioError as error:
        return Effect(choice, against, f"{error.message}.", error=error)


def _effect(
    trials: Trials, choice: Choice, against: Choice | None, before: Document, after: Document
) -> Effect:
    compared = trials.compared(before, after)
    done = tuple(steps(compared))
    saved = after.optimizations
    alike = not compared.differs and _saved(after) == _saved(before)
    same = against if alike else None
    sentences = [f"the same as {same.name}"] if same else _sentences(choice, compared, done)
    default = choice == DEFAULT
    return Effect(
        choice,
        against,
        " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence),
        steps=done,
        nodes=after.totals.nodes,
        operators=len(after.totals.ops),
        size_bytes=after.model.source.size,
        verdict=after.portability.verdict,
        saved=len(saved),
        unreplayable=sum(one.replays == "no" for one in saved),
        same_as=same,
        fills=_fills(trials.source, after) if default else "",
        refused=refusal(after) if default else "",
    )


def _saved(document: Document) -> Counter[str]:
    return Counter(f"{one.graph} {one.text}" for one in document.optimizations)


def _fills(source: Document, after: Document) -> str:
    """What fills a result that has grown; empty for others."""
    if after.model.source.size < GROWN * source.size_bytes:
        return ""
    return what_dominates(after.model).partition(": ")[2]


def refusal(document: Document) -> str:
    """Why the newest release does not load a file; empty where it does, as far as it shows."""
    errors = (finding.message for finding in document.findings if finding.severity == "error")
    return next(errors, "")


def _sentences(choice: Choice, compared: Comparison, done: tuple[Step, ...]) -> Iterator[str]:
    """What is to be said of a result that differs from what it is told against."""
    before, after = compared.a, compared.b
    against = told_against(choice)
    if choice.style is Style.RUNTIME:
        yield f"the nodes of {BASIC.name}: {saved_text(after.optimizations)}"
    elif choice.target is not None:
        yield _target_types(before, after)
    else:
        yield types_text(before, after)
    yield changes_text(done)
    if against is None:
        yield "" if done else "the nodes are those of the source"
    elif not done and choice.style is Style.FIXED:
        yield f"the nodes of {against.name}, with {initializers_text(compared) or 'other words'}"
    yield nodes_text(before, after)
    if against is None or after.portability.verdict != before.portability.verdict:
        yield runs_text(after)


def _target_types(before: Document, after: Document) -> str:
    """What a target does to the type of activations, as against none."""
    kept, other = quantized_types(after.model), quantized_types(before.model)
    if not kept - other or not other - kept:
        return ""
    without = listed(sorted(other - kept))
    return f"activations are {listed(sorted(kept - other))}, without a target {without}"


def _first_alike(found: Sequence[Effect]) -> tuple[Effect, ...]:
    """The effects, what is the same told by the first that is: level all as level basic is."""
    first: dict[Choice, Choice] = {}
    told = []
    for effect in found:
        if effect.same_as is not None:
            same = first[effect.choice] = first.get(effect.same_as, effect.same_as)
            text = f"The same as {same.name}."
            if effect.choice.target is not None:
                text = "The same as without a target."
            effect = replace(effect, same_as=same, text=text)
        told.append(effect)
    return tuple(told)
