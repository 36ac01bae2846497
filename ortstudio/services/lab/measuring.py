"""Takes the rounds: a fresh child for every subject in every round, in an order drawn anew.

What disturbs a machine lasts longer than one measurement, so that subjects are taken in turns and
compared within their round. A first round that is thrown away tells what the machine must do once,
how long a round takes, and which subjects cannot be measured at all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from ortstudio.analysis.samples import rounds_needed
from ortstudio.analysis.words import count, listed
from ortstudio.jobs.runner import Child, Ending, Outcome
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.exchange import Description, Value, read_values
from ortstudio.services.lab.environment import Disturbance
from ortstudio.services.lab.results import LoadParts, Measured, Result, Round, Status
from ortstudio.services.lab.subject import Subject
from ortstudio.services.runtime_words import explained
from ortstudio.services.verify_words import differs_text

Cache = Literal["warm", "dropped", "as-is"]
SCREENING_ROUNDS, PURSUED = 1, 4
"""With more subjects than that, only the best after so many rounds are taken further."""
NARROW = 0.01
"""Half the width of a ratio's interval at which more rounds tell nothing that anybody would use."""
MOST_ROUNDS = 60
HELD_MORE_THAN_ONCE = (
    "Memory may hold weights several times over: as the file's bytes, as initializers, and packed"
    " once more for the kernels; loaded from a path an .ort file can need more than its ONNX model"
)
LEAST_TIMEOUT_S, MOST_TIMEOUT_S = 30.0, 600.0


@dataclass(frozen=True, slots=True)
class LabSettings:
    """How a comparison is carried out.

    A child runs `warmup` times after its first run, then for `runs_s` seconds and at most `runs`
    times. `cpus` are those that children may use. A child that hangs may take a quarter of the
    budget, unless `timeout_s` says how long.
    """

    budget_s: float = 60.0
    most_rounds: int = MOST_ROUNDS
    warmup: int = 2
    runs: int = 200
    runs_s: float = 0.5
    cache: Cache = "warm"
    timeout_s: float | None = None
    seed: int = 0
    cpus: tuple[int, ...] = ()
    tolerance: Tolerance = field(default_factory=Tolerance)

    @property
    def patience_s(self) -> float:
        """How long a child may take."""
        if self.timeout_s is not None:
            return self.timeout_s
        return min(max(self.budget_s / 4, LEAST_TIMEOUT_S), MOST_TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class Feed:
    """Inputs for all subjects of a batch, in a file, and the outputs that they should give.

    By the path of a model, `more` are those that only it must be given, and `without` names those
    that it cannot be.
    """

    file: Path
    values: Sequence[Mapping[str, object]]
    expected: Mapping[str, Value] | None = None
    more: Mapping[Path, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    without: Mapping[Path, Collection[str]] = field(default_factory=dict)

    def to_json(self, path: Path) -> dict[str, object]:
        """What a child is told to read for one of the models."""
        without = self.without.get(path, ())
        values = [value for value in self.values if value["name"] not in without]
        return {"file": str(self.file), "values": [*values, *self.more.get(path, ())]}


@dataclass(frozen=True, slots=True)
class LabProgress:
    """Where the work is. `round_number` 0 is the one that is thrown away."""

    round_number: int
    subject: int
    elapsed_s: float
    result: Result


Make = Callable[[Subject], Child]
Feeds = Mapping[int | None, Feed]
"""By the subject's batch. Of subjects without one only loading is measured."""


class Measuring:
    """One comparison of subjects."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        settings: LabSettings,
        feeds: Feeds,
        folder: Path,
        make_child: Make,
        on_progress: Callable[[LabProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._settings = settings
        self._feeds = feeds
        self._folder = folder
        self._make_child = make_child
        self._on_progress = on_progress
        self._cancelled = cancelled or _never
        self._order = random.Random(settings.seed)
        self._disturbance = Disturbance()
        self._cache_kept: set[str] = set()
        self._start = time.monotonic()
        self.result = Result([Measured(subject) for subject in subjects])

    def run(self) -> Result:
        """Take rounds until enough is known. What was measured so far is kept when cancelled."""
        result = self.result
        slowest = self._round(0)
        for one in result.subjects:
            one.rounds.clear()
        number = 1
        while not (stopped := self._stop(number, slowest)):
            took = self._round(number)
            slowest = max(slowest, took)
            if number == SCREENING_ROUNDS and len(result.subjects) > PURSUED:
                result.pursue_the_best()
                slowest = 0.0
            number += 1
        result.stopped = stopped
        result.notes += self._notes()
        return result

    def _round(self, number: int) -> float:
        """One round; how many seconds it took."""
        start = time.monotonic()
        self._disturbance.look()
        places = [
            place
            for place, one in enumerate(self.result.subjects)
            if one.status == "ok" and one.pursued
        ]
        if number:
            self._order.shuffle(places)
        for place in places:
            if self._cancelled():
                break
            self._report(number, place)
            self._measure(number, self.result.subjects[place])
            self._report(number, place)
        return time.monotonic() - start

    def _report(self, number: int, place: int) -> None:
        if self._on_progress:
            elapsed = time.monotonic() - self._start
            self._on_progress(LabProgress(number, place, elapsed, self.result))

    def _measure(self, number: int, one: Measured) -> None:
        """One child's work, from its start to its end."""
        outputs = self._folder / "outputs.npz"
        start = time.perf_counter_ns()
        child = self._make_child(one.subject)
        try:
            outcome = child.ask(
                "measure",
                self._arguments(one.subject, outputs) | {"parts": number == 0},
                cancelled=self._cancelled,
                timeout_s=self._settings.patience_s,
            )
        finally:
            child.close()
        wall_ns = time.perf_counter_ns() - start
        if outcome.ending is Ending.CANCELLED:
            return
        one.status, one.why = self._judged(one.subject, outcome, outputs)
        if one.status == "ok":
            one.rounds.append(_round(number, outcome.value, wall_ns))
            if outcome.value.get("cache", self._settings.cache) != self._settings.cache:
                self._cache_kept.add(one.subject.runtime)
            if number == 0:
                one.load_parts = _load_parts(outcome.value)

    def _arguments(self, subject: Subject, outputs: Path) -> dict[str, object]:
        settings, feed = self._settings, self._feeds.get(subject.batch)
        inputs = None if feed is None else feed.to_json(subject.path)
        session = subject.session().to_json()
        if settings.cpus and subject.threads is None:
            # Told no number, the runtime puts its threads on processors of its own choice.
            session["threads"] = len(settings.cpus)
        return {
            "session": session,
            "way": subject.mode.how,
            "files": [str(path.absolute()) for path in subject.files],
            "cache": settings.cache,
            "inputs": inputs,
            "outputs": str(outputs),
            "warmup": settings.warmup,
            "runs": settings.runs,
            "run_ns": int(settings.runs_s * 1e9),
            "cpus": list(settings.cpus),
        }

    def _judged(self, subject: Subject, outcome: Outcome, outputs: Path) -> tuple[Status, str]:
        """What became of a child, and whether it computed what it should."""
        if not outcome.ok:
            return _status(outcome)
        feed = self._feeds.get(subject.batch)
        if feed is None or feed.expected is None:
            return "ok", ""
        described = cast("list[Description]", outcome.value["outputs"])
        found = read_values(outputs, described)
        worst = [
            row
            for row in agreement(feed.expected, found, self._settings.tolerance)
            if not row.agrees
        ]
        if not worst:
            return "ok", ""
        first = worst[0]
        return "wrong outputs", f"{first.name} {differs_text(first)}"

    def _stop(self, number: int, slowest: float) -> str:
        """Why there is no further round; empty where there is one."""
        if self._cancelled():
            return "cancelled"
        if not any(one.status == "ok" for one in self.result.subjects):
            return "nothing to measure"
        if number > self._settings.most_rounds:
            return "most rounds taken"
        left = self._settings.budget_s - (time.monotonic() - self._start)
        if left < slowest and number > 1:
            return "budget spent"
        return "narrow enough" if self._is_narrow(number - 1) else ""

    def _is_narrow(self, rounds: int) -> bool:
        """Whether every interval of a time is so narrow that more rounds would tell nothing.

        Only the width is looked at: to stop as soon as a difference shows would find one
        everywhere in the end.
        """
        result = self.result
        if rounds - result.screened < max(rounds_needed(result.verdicts()), 10):
            return False
        for place, one in enumerate(result.subjects[1:], 1):
            if one.status != "ok" or not one.pursued:
                continue
            for measure, kind in result.measures().items():
                against = result.line(place, measure).against_first
                if kind == "time" and against and against.high - against.low > 2 * NARROW:
                    return False
        return True

    def _notes(self) -> list[str]:
        notes = self._disturbance.notes()
        if self._cache_kept:
            notes.append(
                f"Under {listed(sorted(self._cache_kept))} nobody could bring the file cache into"
                f" the state asked for ({self._settings.cache}): it was left as it was"
            )
        if any(one.subject.kind is FileKind.ORT for one in self.result.subjects):
            notes.append(HELD_MORE_THAN_ONCE)
        left = sum(not one.pursued and one.status == "ok" for one in self.result.subjects)
        if left:
            notes.append(
                f"Of {count(left, 'subject')} one round was taken: best in no respect, they got no"
                " further, and no verdict is given on them"
            )
        needed = rounds_needed(self.result.verdicts())
        compared = sum(one.status == "ok" for one in self.result.subjects) > 1
        rounds = self.result.rounds_compared
        if compared and rounds < needed:
            notes.append(
                f"{count(rounds, 'round')} could be compared, and no verdict is given on fewer than"
                f" {needed}: allow a larger budget"
            )
        return notes


def _round(number: int, value: Mapping[str, object], wall_ns: int) -> Round:
    """The child's figures; memory is what came on top of the interpreter's own."""
    before = _whole(value, "rss_before_bytes") or 0
    peak, after = _whole(value, "peak_rss_bytes"), _whole(value, "rss_after_load_bytes")
    return Round(
        number=number,
        load_ns=_whole(value, "load_ns") or 0,
        read_ns=_whole(value, "read_ns") or 0,
        first_run_ns=_whole(value, "first_run_ns"),
        run_ns=tuple(cast("list[int]", value.get("run_ns", []))),
        peak_rss_bytes=None if peak is None else max(0, peak - before),
        rss_after_load_bytes=None if after is None else max(0, after - before),
        private_after_load_bytes=_whole(value, "private_after_load_bytes"),
        read_bytes=_whole(value, "read_bytes"),
        import_ns=_whole(value, "import_ns") or 0,
        warmup_ns=_whole(value, "warmup_ns") or 0,
        wall_ns=wall_ns,
    )


def _load_parts(value: Mapping[str, object]) -> LoadParts | None:
    """None where the runtime told nothing."""
    told = [_whole(value, name) for name in ("model_loading_ns", "session_initialization_ns")]
    if told == [None, None]:
        return None
    return LoadParts(_whole(value, "load_ns") or 0, _whole(value, "read_ns") or 0, *told)


def _whole(value: Mapping[str, object], name: str) -> int | None:
    found = value.get(name)
    return int(cast(int, found)) if found is not None else None


def _status(outcome: Outcome) -> tuple[Status, str]:
    """The status of a subject whose child did not end well."""
    if outcome.starved:
        return "crashed", "unsafe here: the child process had too little memory"
    if outcome.ending in (Ending.CRASHED, Ending.EXITED):
        return "crashed", f"unsafe here: the child process {outcome.words}"
    if outcome.ending is Ending.TIMED_OUT:
        return "timed out", f"the child process {outcome.words}"
    words = outcome.failure.message if outcome.failure else f"the child process {outcome.words}"
    return "not measured", explained(words)[0] if _is_runtime(outcome) else words


def _is_runtime(outcome: Outcome) -> bool:
    return outcome.failure is not None and outcome.failure.kind in ("load", "run", "custom-ops")


def _never() -> bool:
    return False
