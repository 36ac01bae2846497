"""The sheet that says what a result means: who is best, at what cost, and what to know of it."""

from __future__ import annotations

from collections.abc import Iterator

from ortstudio.analysis.words import count
from ortstudio.services.lab.earlier import Earlier
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.words import (
    bests,
    capital,
    headline,
    loads_in_parts,
    overhead_text,
    settings_text,
    status_text,
    subject_text,
)
from ortstudio.ui.views.facts import Fact, Link, Prose, Section, Sheet


def answer_sheet(result: Result, earlier: Earlier | None = None) -> Sheet:
    """The sheet; a link carries the place of the subject whose code is wanted."""
    title = "Measured alone: there is nothing to hold it against."
    if len(result.subjects) > 1:
        clear = any(one.clear for one in bests(result))
        title = "What is clearly best" if clear else headline(result) or "Nothing to compare."
    sections = [
        Section("Best", list(_bests(result))),
        Section("Not measured to the end", list(_failed(result))),
        Section("To know", [Prose(f"{note}.") for note in result.notes]),
        Section("Against the earlier result", [Prose(f"{n}.") for n in _earlier(result, earlier)]),
        Section("Loads in parts", _loads(result), folded=True),
        Section("Measured", list(_circumstances(result))),
    ]
    return Sheet(title, sections=[one for one in sections if one.rows], mono=False)


def _bests(result: Result) -> Iterator[Fact]:
    for found in bests(result):
        key = capital(found.title)
        if not found.clear:
            yield Fact(key, "No clear difference", mono=False)
            continue
        link = Link("Show the code", found.place, "Code that loads the model in this way")
        note = f"It costs {found.cost}." if found.cost else ""
        yield Fact(key, (f"{found.text}. ", link), note, mono=False)


def _failed(result: Result) -> Iterator[Fact]:
    for place, one in enumerate(result.subjects):
        if one.status != "ok":
            yield Fact(
                capital(one.status), subject_text(result, place), status_text(one), mono=False
            )


def _loads(result: Result) -> list[Prose]:
    return [Prose(f"{name}: {said}.") for name, said in loads_in_parts(result)]


def _earlier(result: Result, earlier: Earlier | None) -> list[str]:
    return earlier.notes(result) if earlier is not None else []


def _circumstances(result: Result) -> Iterator[Fact]:
    environment = result.environment
    rounds = f"{count(result.rounds, 'round')}, {result.stopped}" if result.stopped else ""
    yield Fact("Rounds", rounds or count(result.rounds, "round"), mono=False)
    yield Fact("On", f"{environment.get('cpu')}, {environment.get('cpus')} processors", mono=False)
    runtimes = environment.get("runtimes")
    if isinstance(runtimes, dict):
        yield Fact("ONNX Runtime", ", ".join(map(str, runtimes.values())), mono=False)
    yield Fact("With", settings_text(result), mono=False)
    yield Fact("Outside the runtime", overhead_text(result), mono=False)
