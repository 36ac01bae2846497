"""Runs a source and its result on the same inputs and says whether their outputs agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Ending, Outcome
from ortstudio.model.types import TensorType
from ortstudio.services.agreement import OutputAgreement, Tolerance, agreement
from ortstudio.services.exchange import Description, TensorValue, Value, read_values, write_values
from ortstudio.services.inputs import Attempt, Inputs
from ortstudio.services.runtime_words import child_error, explained, suspicion
from ortstudio.services.sessions import Level, Session

Ask = Callable[[str, Mapping[str, object]], Outcome]
"""Has a child serve a request: verb and arguments."""

_INDEX_ERROR = re.compile(r"\bind(ex|ices)\b|out of (data )?(bounds|range)", re.IGNORECASE)


BY_DEFAULT = "the source's default value"
"""Where the value of an input is from that only the result must be given."""


class SkippedError(Exception):
    """Nothing can be said about the outputs, and the message says why.

    `words` are the runtime's own, where it refused.
    """

    def __init__(self, message: str, words: str = "") -> None:
        super().__init__(message)
        self.words = words


class NotAcceptedError(SkippedError):
    """The source refuses all inputs that were tried."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was compared, on which inputs, and the outcome."""

    outputs: tuple[OutputAgreement, ...]
    inputs: Mapping[str, Mapping[str, object]]
    sizes: Mapping[str, int]
    seed: int
    tolerance: Tolerance
    level: Level

    @property
    def agrees(self) -> bool:
        """Whether every output agrees."""
        return all(output.agrees for output in self.outputs)

    @property
    def max_abs(self) -> float:
        """The largest difference of any output."""
        return max((output.max_abs for output in self.outputs), default=0.0)

    @property
    def max_rel(self) -> float:
        """The largest relative difference of any output."""
        return max((output.max_rel for output in self.outputs), default=0.0)

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        return {
            "agrees": self.agrees,
            "max_abs": self.max_abs,
            "max_rel": self.max_rel,
            "inputs": {name: dict(used) for name, used in self.inputs.items()},
            "sizes": dict(self.sizes),
            "seed": self.seed,
            "rtol": self.tolerance.rtol,
            "atol": self.tolerance.atol,
            "level": self.level.value,
            "outputs": [output.to_json() for output in self.outputs],
        }


@dataclass(frozen=True, slots=True)
class Renamed:
    """What a result calls inputs and outputs that have other names in the source."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """What a source and its results are run on, and how much their outputs may differ."""

    inputs: Inputs
    tolerance: Tolerance
    steps: Mapping[str, float]
    renamed: Renamed = field(default_factory=Renamed)


def verify(
    wanted: Verification,
    source: Session,
    result: Session,
    ask: Ask,
    folder: Path,
    lost: Mapping[str, TensorValue] | None = None,
) -> Verified:
    """Compare source and result; `folder` takes inputs and outputs on their way.

    `lost` is what only the result must be given: default values that the source has. SkippedError
    where the source cannot be run, JobError where it can and the result cannot.
    """
    lost = lost or {}
    runs = Runs(ask, folder)
    try:
        attempt, expected = accepted(runs, source, wanted.inputs)
    except RefusedError as error:
        raise SkippedError(str(error)) from None
    given = wanted.inputs.make(attempt)
    if lost:
        runs.feed({**given, **lost})
    outcome = runs.run(result, wanted.renamed.inputs)
    if not outcome.ok:
        where = Where(result.model)
        raise child_error(outcome, "Running the result", where, result.custom_ops)
    made = runs.outputs(outcome, wanted.renamed.outputs)
    outputs = agreement(expected, made, wanted.tolerance, wanted.steps)
    if not all(output.agrees for output in outputs):
        runs.feed(given)
        check_repeatable(runs, source, wanted.tolerance)
    return Verified(
        outputs=tuple(outputs),
        inputs=wanted.inputs.record(attempt) | {name: _by_default(lost[name]) for name in lost},
        sizes=attempt.sizes,
        seed=wanted.inputs.settings.seed,
        tolerance=wanted.tolerance,
        level=source.level,
    )


def _by_default(value: TensorValue) -> dict[str, object]:
    """What was used, for the answer."""
    kind = str(TensorType(value.data_type, value.dims))
    return {"type": kind, "values": BY_DEFAULT}


class Runs:
    """Runs sessions on the inputs that were written last."""

    def __init__(self, ask: Ask, folder: Path) -> None:
        self._ask = ask
        self.inputs_file, self._outputs = folder / "inputs.npz", folder / "outputs.npz"
        self.described: list[dict[str, object]] = []

    def feed(self, values: Mapping[str, Value]) -> None:
        """Put inputs into the file."""
        self.described = write_values(self.inputs_file, values)

    def run(self, session: Session, names: Mapping[str, str] | None = None) -> Outcome:
        """Run a session that has other names for some inputs."""
        new = names or {}
        described = [
            value | {"name": new.get(str(value["name"]), value["name"])} for value in self.described
        ]
        arguments = {
            "session": session.to_json(),
            "inputs": {"file": str(self.inputs_file), "values": described},
            "outputs": str(self._outputs),
        }
        return self._ask("run", arguments)

    def outputs(self, outcome: Outcome, names: Mapping[str, str] | None = None) -> dict[str, Value]:
        """What a session gave that has other names for some outputs."""
        old = {new: name for name, new in (names or {}).items()}
        described = cast("list[Description]", outcome.value["outputs"])
        found = read_values(self._outputs, described)
        return {old.get(name, name): value for name, value in found.items()}


def accepted(runs: Runs, source: Session, inputs: Inputs) -> tuple[Attempt, dict[str, Value]]:
    """The first inputs that the source accepts, and its outputs for them."""
    refusal = ""
    for attempt in inputs.attempts():
        outcome = _tried(runs, source, inputs, attempt)
        if not outcome.ok and _INDEX_ERROR.search(_words(outcome)):
            attempt = Attempt(attempt.sizes, small_integers=True)
            outcome = _tried(runs, source, inputs, attempt)
        if outcome.ok:
            return attempt, runs.outputs(outcome)
        refusal = refusal or _words(outcome)
    raise NotAcceptedError(
        f"The source accepts none of the generated inputs. {explained(refusal)[0]}", refusal
    )


def _tried(runs: Runs, source: Session, inputs: Inputs, attempt: Attempt) -> Outcome:
    runs.feed(inputs.make(attempt))
    outcome = runs.run(source)
    if outcome.ending not in (Ending.DONE, Ending.FAILED):
        cause = suspicion(outcome, source.custom_ops)
        words = f"While it ran the source, the child process {outcome.words}. {cause}"
        raise SkippedError(words.rstrip(". "))
    if outcome.failure and outcome.failure.kind != "run":
        refusal = _words(outcome)
        raise SkippedError(f"The source cannot be run. {explained(refusal)[0]}", refusal)
    return outcome


def _words(outcome: Outcome) -> str:
    return outcome.failure.message if outcome.failure else ""


def check_repeatable(runs: Runs, source: Session, tolerance: Tolerance) -> None:
    """Raises SkippedError where the source does not even agree with itself."""
    first = runs.run(source)
    if not first.ok:
        return
    outputs = runs.outputs(first)
    # The runtime draws the same numbers again after a new load, so this must be the same session.
    second = runs.run(source)
    if second.ok:
        found = agreement(outputs, runs.outputs(second), tolerance)
        if not all(output.agrees for output in found):
            raise SkippedError("The source draws random numbers: its outputs differ at every run")
