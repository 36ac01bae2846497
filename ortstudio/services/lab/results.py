"""What was measured: raw samples, and what can be said of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Literal

from ortstudio.analysis.samples import Comparison, Estimate, Kind, compare, estimate
from ortstudio.services.lab.subject import Subject

Status = Literal["ok", "crashed", "timed out", "wrong outputs", "not measured"]
"""`not measured` is what cannot be: the runtime refuses the file, or has no such way of loading."""

MEASURES: Mapping[str, Kind] = {
    "load_ns": "time",
    "first_run_ns": "time",
    "run_ns": "time",
    "peak_rss_bytes": "memory",
    "rss_after_load_bytes": "memory",
}
"""The measures that verdicts are given on. Memory is above what the process had before."""
ITEM = "item_ns"
"""The time of a run for each item of its batch: one more measure where batches were chosen."""
BY_BATCH = ("first_run_ns", "run_ns")
"""What runs of different batches must not be compared by."""
RESPECTS = ("load_ns", "run_ns", "peak_rss_bytes")
"""Who is best in one of these is taken further when there are many."""


_TIMES = ("import_ns", "warmup_ns", "wall_ns")


@dataclass(frozen=True, slots=True)
class Round:
    """One child's samples. None is what was not measured; `run_ns` has many."""

    number: int
    load_ns: int
    read_ns: int
    first_run_ns: int | None
    run_ns: tuple[int, ...]
    peak_rss_bytes: int | None
    rss_after_load_bytes: int | None
    private_after_load_bytes: int | None
    read_bytes: int | None
    import_ns: int
    warmup_ns: int
    wall_ns: int

    @property
    def overhead_ns(self) -> int:
        """What went by outside the runtime's own work, imports left out."""
        runs = (self.first_run_ns or 0) + self.warmup_ns + sum(self.run_ns)
        return self.wall_ns - self.import_ns - self.load_ns - runs

    def value(self, measure: str) -> float | None:
        """One number for the round: of runs the median."""
        if measure == "run_ns":
            return median(self.run_ns) if self.run_ns else None
        found = getattr(self, measure)
        return None if found is None else float(found)


@dataclass(frozen=True, slots=True)
class LoadParts:
    """What one load was made of, as far as the runtime's profile tells; None where it does not."""

    load_ns: int
    read_ns: int
    model_loading_ns: int | None
    session_initialization_ns: int | None


@dataclass(slots=True)
class Measured:
    """A subject and its rounds; `why` says what a status other than `ok` rests on.

    One that is not `pursued` was best in no respect in the first rounds, and got no more of them.
    `load_parts` are of the round that was thrown away.
    """

    subject: Subject
    status: Status = "ok"
    why: str = ""
    pursued: bool = True
    rounds: list[Round] = field(default_factory=list)
    load_parts: LoadParts | None = None

    def samples(self, measure: str) -> list[float]:
        """All samples of a measure: every run, one of everything else a round."""
        if self.status != "ok":
            return []
        if measure == "run_ns":
            return [float(value) for one in self.rounds for value in one.run_ns]
        if measure == ITEM:
            return [
                run / self.subject.batch for run in self.samples("run_ns") if self.subject.batch
            ]
        values = (one.value(measure) for one in self.rounds)
        return [value for value in values if value is not None]

    def by_round(self, measure: str) -> dict[int, float]:
        """One value a round; none unless all is well."""
        if self.status != "ok":
            return {}
        if measure == ITEM:
            batch = self.subject.batch
            return {n: run / batch for n, run in self.by_round("run_ns").items() if batch}
        values = {one.number: one.value(measure) for one in self.rounds}
        return {number: value for number, value in values.items() if value is not None}

    def to_json(self) -> dict[str, object]:
        """One entry of the answer's `subjects`."""
        raw = {name: [int(value) for value in self.samples(name)] for name in MEASURES}
        more = ("read_ns", "private_after_load_bytes", "read_bytes", *_TIMES)
        kept = self.rounds if self.status == "ok" else []
        return {
            **self.subject.to_json(),
            "status": self.status,
            "why": self.why,
            "pursued": self.pursued,
            "load_parts": asdict(self.load_parts) if self.load_parts else None,
            **raw,
            **{name: [getattr(one, name) for one in kept] for name in more},
            "rounds": [one.number for one in kept],
            "runs_by_round": [len(one.run_ns) for one in kept],
        }


@dataclass(frozen=True, slots=True)
class Line:
    """What is said of one subject and measure."""

    estimate: Estimate
    against_first: Comparison | None


@dataclass(slots=True)
class Result:
    """Everything that one lab run found. The first subject is what the others are held against.

    In the first `screened` rounds the best of many subjects were chosen. No verdict rests on these:
    what was chosen for being fast there was lucky there too.
    """

    subjects: list[Measured]
    environment: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stopped: str = ""
    screened: int = 0

    @property
    def rounds(self) -> int:
        """How many rounds were taken."""
        return max((len(one.rounds) for one in self.subjects), default=0)

    @property
    def rounds_compared(self) -> int:
        """How many of them verdicts rest on."""
        return max(0, self.rounds - self.screened)

    def measures(self) -> dict[str, Kind]:
        """The measures that there are, and of what kind."""
        batches = any(one.subject.batch for one in self.subjects)
        return {**MEASURES, **({ITEM: "time"} if batches else {})}

    def verdicts(self) -> int:
        """How many comparisons are made at a time."""
        compared = sum(one.status == "ok" and one.pursued for one in self.subjects[1:])
        return max(1, compared * len(self.measures()))

    def line(self, place: int, measure: str) -> Line:
        """The estimate of one measure, and for all but the first subject the comparison.

        Runs of one child resemble each other: both rest on one value a round.
        """
        one, first = self.subjects[place], self.subjects[0]
        found = estimate(list(one.by_round(measure).values()))
        batches = one.subject.batch, first.subject.batch
        incomparable = measure in BY_BATCH and batches[0] != batches[1]
        if place == 0 or incomparable or one.status != "ok" or first.status != "ok":
            return Line(found, None)
        a, b = first.by_round(measure), one.by_round(measure)
        skipped = self.screened if one.pursued else 0
        both = sorted(number for number in a.keys() & b.keys() if number > skipped)
        pairs = [a[number] for number in both], [b[number] for number in both]
        return Line(found, compare(*pairs, self.measures()[measure], self.verdicts()))

    def best(self) -> dict[str, int]:
        """For each measure the place of the subject with the least median, of those pursued."""
        measures = self.measures()
        compared = [m for m in measures if not (ITEM in measures and m in BY_BATCH)]
        places = {measure: self.quickest(measure) for measure in compared}
        return {measure: place for measure, place in places.items() if place is not None}

    def quickest(self, measure: str, *, python_only: bool = False) -> int | None:
        """The place with the least median; without those that take the C API if so asked."""
        medians = {
            place: median(values.values())
            for place, one in enumerate(self.subjects)
            if one.pursued
            and not (python_only and one.subject.mode.native)
            and (values := one.by_round(measure))
        }
        return min(medians, key=lambda place: medians[place], default=None)

    def pursue_the_best(self) -> None:
        """Go on with the first subject and with those that are best in some respect.

        Of the ways that load fastest, one is for Python: not everybody can take the C API.
        """
        best = self.best()
        kept = {0, *(best[name] for name in (*RESPECTS, ITEM) if name in best)}
        kept.add(self.quickest("load_ns", python_only=True) or 0)
        for place, one in enumerate(self.subjects):
            one.pursued = place in kept
        self.screened = self.rounds

    def overhead(self) -> tuple[int, float]:
        """Nanoseconds outside the runtime's own work in all rounds, and their share of the whole.

        The whole is what the children took from start to end, imports left out.
        """
        rounds = [one for measured in self.subjects for one in measured.rounds]
        whole = sum(one.wall_ns - one.import_ns for one in rounds)
        outside = sum(one.overhead_ns for one in rounds)
        return outside, outside / whole if whole else 0.0

    def to_json(self) -> dict[str, object]:
        """The command line's answer."""
        outside, share = self.overhead()
        shown = [k for k, one in enumerate(self.subjects) if one.status != "not measured"]
        return {
            "schema": "ortstudio/bench@1",
            "environment": dict(self.environment),
            "inputs": dict(self.inputs),
            "subjects": [self.subjects[place].to_json() for place in shown],
            "summary": [self._summary(place) for place in shown],
            "skipped": [
                {**one.subject.to_json(), "why": one.why}
                for one in self.subjects
                if one.status == "not measured"
            ],
            "best": {measure: shown.index(place) for measure, place in self.best().items()},
            "rounds": self.rounds,
            "screened_rounds": self.screened,
            "overhead": {"overhead_ns": outside, "share": round(share, 4)},
            "stopped": self.stopped,
            "notes": list(self.notes),
        }

    def _summary(self, place: int) -> dict[str, object]:
        return {measure: _line_json(self.line(place, measure)) for measure in self.measures()}


def _line_json(line: Line) -> dict[str, object]:
    found = line.estimate
    answer: dict[str, object] = {
        "median": _number(found.median),
        "low": _number(found.low),
        "high": _number(found.high),
    }
    against = line.against_first
    answer["against_first"] = (
        None
        if against is None
        else {
            "ratio": _number(against.ratio),
            "low": _number(against.low),
            "high": _number(against.high),
            "verdict": against.verdict,
        }
    )
    return answer


def _number(value: float) -> float | None:
    """JSON has no infinity, and no number that is none."""
    return value if math.isfinite(value) else None
