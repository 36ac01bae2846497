"""ONNX → ORT: a child converts, our reader and a run verify, and a rename publishes.

Until then the result has a hidden name of ours beside its target, which is removed on every path,
and by the next conversion into that folder should the whole program die.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ortstudio.errors import (
    CANCELLED,
    CHILD_FAILED,
    DONE_NO,
    DONE_YES,
    UNREADABLE,
    FormatError,
    JobError,
    RefusedError,
    StudioError,
    Where,
)
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Ending, Outcome, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services.convert_plan import ConvertPlan, PlannedOutput, PlannedSource
from ortstudio.services.reading import read_model
from ortstudio.services.runtime_words import child_error
from ortstudio.services.staging import publish, reserved
from ortstudio.services.verify import SkippedError, Verified, disagreement, verify

FULL_BYTES = 1 << 20
"""A disk with less room than this is what made the runtime fail to write."""


class CancelledError(StudioError):
    """The user did not want it any more."""

    kind = "cancelled"
    exit_code: ClassVar[int] = CANCELLED


@dataclass(frozen=True, slots=True)
class ConvertProgress:
    """Where the work is: which source of how many, and what is done with it.

    `phase` is `convert`, `read`, `load`, `run` or `publish`.
    """

    source: Path
    index: int
    count: int
    phase: str


class NotStartedError(JobError):
    """No child process could be started."""


@dataclass(frozen=True, slots=True)
class Output:
    """A file that was written; `role` is the style that it has."""

    path: Path
    role: str
    size_bytes: int

    def to_json(self) -> dict[str, object]:
        """One entry of a row's `outputs`."""
        return {"path": str(self.path), "role": self.role, "size_bytes": self.size_bytes}


@dataclass(frozen=True, slots=True)
class Converted:
    """What became of one source: its outputs, and the error that ended it early.

    `checks` has an entry for each output that was made, published or not: what the comparison
    found, or why there was none. `opened` is false where the source is not even a sound model.
    """

    source: Path
    outputs: tuple[Output, ...]
    checks: tuple[Verified | str, ...] = ()
    error: StudioError | None = None
    opened: bool = True

    @property
    def ok(self) -> bool:
        """Whether all that was planned was written."""
        return self.error is None

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
            "verified": None if verified is None else verified.to_json(),
            "verify_skipped": self.verify_skipped,
            "error": None if self.error is None else self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Conversion:
    """All rows, in the order of the plan; after a cancel only those that were reached."""

    results: tuple[Converted, ...]
    verb: str = "convert"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line's contract."""
        errors = [row.error for row in self.results if row.error is not None]
        if any(isinstance(error, CancelledError) for error in errors):
            return CANCELLED
        if any(isinstance(error, NotStartedError) for error in errors):
            return CHILD_FAILED
        if not errors:
            return DONE_YES
        return DONE_NO if any(row.opened for row in self.results) else UNREADABLE

    def to_json(self) -> dict[str, object]:
        """The command line's answer."""
        done = sum(row.ok for row in self.results)
        return {
            "schema": f"ortstudio/{self.verb}@1",
            "results": [row.to_json() for row in self.results],
            "ok": done == len(self.results),
            "converted": done,
            "failed": len(self.results) - done,
        }


def run(
    plan: ConvertPlan,
    *,
    on_progress: Callable[[ConvertProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Conversion:
    """Convert what was planned, one source after the other, in one child. Blocks.

    `cancelled` is asked many times a second. Every trouble with a source stands in its row.
    """
    rows: list[Converted] = []
    with tempfile.TemporaryDirectory(prefix="ortstudio-") as folder, children(make_child) as child:
        for index, planned in enumerate(plan.sources):

            def report(phase: str, index: int = index, planned: PlannedSource = planned) -> None:
                if on_progress:
                    on_progress(ConvertProgress(planned.source, index, len(plan.sources), phase))

            work = _Work(planned, child, Path(folder), report, cancelled)
            rows.append(work.convert())
            if isinstance(rows[-1].error, CancelledError | NotStartedError):
                break
    return Conversion(tuple(rows))


class _Work:
    """The conversion of one source."""

    def __init__(
        self,
        planned: PlannedSource,
        child: Callable[[], Child],
        folder: Path,
        report: Callable[[str], None],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._planned = planned
        self._settings = planned.settings
        self._child = child
        self._folder = folder
        self._report = report
        self._cancelled = cancelled
        self._outputs: list[Output] = []
        self._checks: list[Verified | str] = []

    def convert(self) -> Converted:
        """Do everything; errors end in the row."""
        error = self._planned.refusal
        if error is None:
            try:
                for output in self._planned.outputs:
                    self._make(output)
            except StudioError as found:
                error = found
        return Converted(
            self._planned.source,
            tuple(self._outputs),
            tuple(self._checks),
            error,
            self._planned.opened,
        )

    def _make(self, output: PlannedOutput) -> None:
        self._planned.check_unchanged()
        with reserved(output.path) as temporary:
            self._save(output, temporary)
            self._planned.check_unchanged()
            self._report("read")
            _check_written(temporary, output.path)
            self._verify(output, temporary)
            self._planned.check_unchanged()
            self._report("publish")
            size_bytes = temporary.stat().st_size
            publish(temporary, output.path, overwrite=self._settings.overwrite)
        self._outputs.append(Output(output.path, output.style.value, size_bytes))

    def _save(self, output: PlannedOutput, temporary: Path) -> None:
        source = self._planned.source
        session = self._settings.saving_session(source, output.style)
        outcome = self._ask("convert", {"session": session.to_json(), "output": str(temporary)})
        if outcome.ok:
            return
        if shutil.disk_usage(temporary.parent).free < FULL_BYTES:
            raise RefusedError(
                "The disk is full",
                where=Where(str(output.path)),
                hint="Make room, or choose another folder with -o.",
            )
        raise child_error(outcome, "The conversion", Where(str(source)))

    def _verify(self, output: PlannedOutput, temporary: Path) -> None:
        """Add what was found to the checks. Raises where the result must not be published."""
        wanted, settings = self._planned.verification, self._settings
        if isinstance(wanted, str):
            self._checks.append(wanted)
            return
        source = settings.running_session(self._planned.source, FileKind.ONNX, output.style)
        result = settings.running_session(temporary, FileKind.ORT, output.style)
        try:
            found = verify(wanted, source, result, self._ask, self._folder)
        except SkippedError as reason:
            self._checks.append(str(reason))
            return
        except StudioError as error:
            error.where = Where(str(output.path))
            raise
        self._checks.append(found)
        if not found.agrees:
            hint = "Convert at a lower level, or keep the result all the same with --no-verify."
            raise disagreement(found, output.path, hint)

    def _ask(self, verb: str, arguments: Mapping[str, object]) -> Outcome:
        outcome = self._child().ask(
            verb, arguments, on_message=self._heard, cancelled=self._cancelled
        )
        return served(outcome, "The conversion")

    def _heard(self, message: Progress | Log) -> None:
        if isinstance(message, Progress):
            self._report(message.phase)


def served(outcome: Outcome, work: str) -> Outcome:
    """The same outcome. Raises where nobody wants the work any more, or no child could start."""
    if outcome.ending is Ending.CANCELLED:
        raise CancelledError(f"{work} was cancelled")
    if outcome.ending is Ending.NOT_STARTED:
        raise NotStartedError(f"The child process {outcome.words}")
    return outcome


def _check_written(temporary: Path, target: Path) -> None:
    """Raises FormatError where what the runtime wrote is no sound ORT-format model."""
    try:
        model = read_model(temporary)
        error = model.error
    except StudioError as found:
        error = found
    else:
        if error is None and (model.ort is None or model.ort.format_version is None):
            error = FormatError("it is not in ORT format")
    if error is not None:
        raise FormatError(
            f"ONNX Runtime wrote a file that is not sound: {error.message}",
            where=Where(str(target), error.where.offset_bytes, error.where.field),
        )
