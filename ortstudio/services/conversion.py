"""What becomes of sources that are converted: the answer of every verb that writes models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import ClassVar

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.required_operators import RequiredOperators
from ortstudio.errors import (
    CANCELLED,
    CHILD_FAILED,
    DONE_NO,
    DONE_YES,
    UNREADABLE,
    JobError,
    StudioError,
)
from ortstudio.jobs.runner import Ending, Outcome
from ortstudio.services.convert_outputs import Role
from ortstudio.services.convert_sources import Skipped
from ortstudio.services.sessions import Style
from ortstudio.services.verify import Verified


class CancelledError(StudioError):
    """The user did not want it any more."""

    kind = "cancelled"
    exit_code: ClassVar[int] = CANCELLED


class NotStartedError(JobError):
    """No child process could be started."""


class NotTriedError(StudioError):
    """The run had ended before this source's turn."""

    kind = "not-tried"


class State(Enum):
    """How far a source is. All after `VERIFYING` are ends."""

    QUEUED = "queued"
    CONVERTING = "converting"
    VERIFYING = "verifying"
    DONE = "done"
    SKIPPED = "skipped"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_TRIED = "not tried"

    @property
    def is_end(self) -> bool:
        """Whether nothing more becomes of the source."""
        return self not in (State.QUEUED, State.CONVERTING, State.VERIFYING)


@dataclass(frozen=True, slots=True)
class ConvertProgress:
    """What becomes of one source of several: told at every change, one at a time, in any thread.

    `index` is its place in the plan. While it is converted or verified, `phase` says by which step:
    `convert`, `read`, `load`, `run` or `publish`. `source_bytes` counts its external data in,
    `output_bytes` is what was written so far, `elapsed_ns` the time since the work on it began.
    With an end comes `result`, its row of the answer.
    """

    source: Path
    index: int
    count: int
    phase: str = ""
    state: State = State.CONVERTING
    source_bytes: int = 0
    output_bytes: int = 0
    elapsed_ns: int = 0
    result: Converted | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A file that was written; `purpose` says in one line what it is for."""

    path: Path
    role: str
    size_bytes: int
    purpose: str = ""

    @property
    def is_model(self) -> bool:
        """Whether it is the model that was compared with the source."""
        return self.role not in (Role.OPTIMIZED_ONNX.value, Role.CONFIG.value)

    def to_json(self) -> dict[str, object]:
        """One entry of a row's `outputs`."""
        found = {"path": str(self.path), "role": self.role, "size_bytes": self.size_bytes}
        return found | ({"purpose": self.purpose} if self.purpose else {})


@dataclass(frozen=True, slots=True)
class Converted:
    """What became of one source: its outputs, and the error that ended it early.

    `checks` has an entry for each output that was made, published or not: what the comparison
    found, or why there was none. `opened` is false where the source is not even a sound model,
    `refused` true where the plan already said that nothing will be made, and `skipped` says why
    the outputs of an earlier run were left as they are.
    """

    source: Path
    outputs: tuple[Output, ...]
    checks: tuple[Verified | str, ...] = ()
    error: StudioError | None = None
    opened: bool = True
    refused: bool = False
    skipped: str = ""

    @property
    def ok(self) -> bool:
        """Whether all that was planned was written."""
        return self.error is None

    @property
    def state(self) -> State:
        """Which end it came to."""
        if self.error is None:
            return State.SKIPPED if self.skipped else State.DONE
        if isinstance(self.error, CancelledError):
            return State.CANCELLED
        if isinstance(self.error, NotTriedError):
            return State.NOT_TRIED
        return State.REFUSED if self.refused else State.FAILED

    @property
    def verified(self) -> Verified | None:
        """The worst comparison; None where one was skipped."""
        found = [check for check in self.checks if isinstance(check, Verified)]
        if not found or len(found) < len(self.checks):
            return None
        return min(found, key=lambda check: (check.agrees, -check.max_abs))

    @property
    def verify_skipped(self) -> str | None:
        """Why `verified` is None."""
        if not self.checks:
            return "There was nothing to verify"
        return next((check for check in self.checks if isinstance(check, str)), None)

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        verified = self.verified
        return {
            "source": str(self.source),
            "outputs": [output.to_json() for output in self.outputs],
            "ok": self.ok,
            "state": self.state.value,
            "skipped": self.skipped or None,
            "verified": None if verified is None else verified.to_json(),
            "verify_skipped": self.verify_skipped,
            "error": None if self.error is None else self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ConvertedModel(Converted):
    """What became of a source that was to become an ORT-format model.

    `notes` are the plan's and what the results themselves say, `required` is by style what a
    minimal build needs for what was made, where that was to be written.
    """

    notes: tuple[Finding, ...] = ()
    required: Mapping[Style, RequiredOperators] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        return Converted.to_json(self) | {"notes": [note.to_json() for note in self.notes]}


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """The operator config for a folder: the sources that it does not cover, or why it is not there.

    `error` is None where it was written.
    """

    path: Path
    style: Style
    not_covered: tuple[Path, ...]
    error: StudioError | None = None

    def to_json(self) -> dict[str, object]:
        """One entry of the answer's `configs`."""
        return {
            "path": str(self.path),
            "role": Role.CONFIG.value,
            "style": self.style.value,
            "not_covered": [str(source) for source in self.not_covered],
            "error": None if self.error is None else self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Conversion:
    """All rows, in the order of the plan, and the operator configs for whole folders.

    `skipped` are files of folders that were left alone.
    """

    results: tuple[Converted, ...]
    verb: str = "convert"
    configs: tuple[FolderConfig, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether only some of the results are there."""
        return 0 < sum(row.ok for row in self.results) < len(self.results)

    @property
    def exit_code(self) -> int:
        """The exit code of the command line's contract."""
        errors = [row.error for row in self.results if row.error is not None]
        if any(isinstance(error, CancelledError) for error in errors):
            return CANCELLED
        not_started = any(isinstance(error, NotStartedError) for error in errors)
        if not_started and len(errors) == len(self.results):
            return CHILD_FAILED
        if errors:
            return DONE_NO if any(row.opened for row in self.results) else UNREADABLE
        return DONE_NO if any(config.error for config in self.configs) else DONE_YES

    def to_json(self) -> dict[str, object]:
        """The command line's answer."""
        states = Counter(row.state for row in self.results)
        done = states[State.DONE] + states[State.SKIPPED]
        return {
            "schema": f"ortstudio/{self.verb}@1",
            "results": [row.to_json() for row in self.results],
            "configs": [config.to_json() for config in self.configs],
            "skipped": [skipped.to_json() for skipped in self.skipped],
            "ok": self.exit_code == DONE_YES,
            "partial": self.is_partial,
            "converted": done,
            "already_converted": states[State.SKIPPED],
            "failed": len(self.results) - done - states[State.NOT_TRIED],
            "not_tried": states[State.NOT_TRIED],
        }


def served(outcome: Outcome, work: str) -> Outcome:
    """The same outcome. Raises where nobody wants the work any more, or no child could start."""
    if outcome.ending is Ending.CANCELLED:
        raise CancelledError(f"{work} was cancelled")
    if outcome.ending is Ending.NOT_STARTED:
        raise NotStartedError(f"The child process {outcome.words}")
    return outcome
