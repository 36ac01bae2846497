"""What is shown of one measure of a result: a row for each subject, ready to be read or plotted."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.analysis.samples import Comparison, Estimate, Kind
from ortstudio.services.lab.earlier import Earlier, Then
from ortstudio.services.lab.results import Measured, Result
from ortstudio.services.lab.words import TITLES, differing, subject_text, verdict_text


@dataclass(frozen=True, slots=True)
class Row:
    """A subject. `number` counts from 1; `more` is what besides file and way tells it apart."""

    number: int
    one: Measured
    name: str
    more: str
    samples: tuple[float, ...]
    estimate: Estimate
    against_first: Comparison | None
    verdict: str
    then: Then | None


@dataclass(frozen=True, slots=True)
class View:
    """One measure of all subjects."""

    measure: str
    title: str
    kind: Kind
    rows: tuple[Row, ...]


def view(result: Result, measure: str, earlier: Earlier | None = None) -> View:
    """The rows of one measure. Takes a few milliseconds for each subject."""
    kind = result.measures()[measure]
    rows = (_row(result, place, measure, earlier) for place in range(len(result.subjects)))
    return View(measure, TITLES[measure], kind, tuple(rows))


def _row(result: Result, place: int, measure: str, earlier: Earlier | None) -> Row:
    one, line = result.subjects[place], result.line(place, measure)
    return Row(
        place + 1,
        one,
        subject_text(result, place),
        ", ".join(differing(result, place)),
        tuple(one.samples(measure)),
        line.estimate,
        line.against_first,
        verdict_text(one, line.against_first),
        earlier.then(result, place, measure) if earlier else None,
    )
