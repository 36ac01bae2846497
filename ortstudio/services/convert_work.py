"""One source's conversion: a child saves, our reader and a run verify, a rename publishes.

Until then the result has a hidden name of ours beside its target, which is removed on every path,
and by the next conversion into that folder should the whole program die.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ortstudio.errors import FormatError, RefusedError, StudioError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import Converted, Output, served
from ortstudio.services.convert_plan import PlannedOutput, PlannedSource
from ortstudio.services.reading import read_model
from ortstudio.services.runtime_words import child_error
from ortstudio.services.staging import publish, reserved
from ortstudio.services.verify import SkippedError, Verified, disagreement, verify

FULL_BYTES = 1 << 20
"""A disk with less room than this is what made the runtime fail to write."""


class Work:
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
            refused=self._planned.refusal is not None,
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
