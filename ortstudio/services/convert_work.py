"""One source's conversion: a child saves, our reader and a run verify, a rename publishes.

Until then a result has a hidden name of ours beside its target, which is removed on every path,
and by the next conversion into that folder should the whole program die.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from ortstudio.analysis.checks.kernels import check_optimizations
from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.required_operators import RequiredOperators, merged, required_operators
from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind, Model
from ortstudio.services.conversion import ConvertedModel, Output
from ortstudio.services.convert_outputs import PlannedOutput, Role
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_resume import attest
from ortstudio.services.convert_save import Saver
from ortstudio.services.exchange import TensorValue
from ortstudio.services.knowledge import knowledge
from ortstudio.services.lost_defaults import lost, lost_note, lost_values
from ortstudio.services.operator_config import config_text
from ortstudio.services.reading import read_model
from ortstudio.services.replay_comments import replay_comments
from ortstudio.services.sessions import Style
from ortstudio.services.staging import publish, reserved, unwritable
from ortstudio.services.verifier import Verifier


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
        self._report = report
        self._verifier = Verifier("The conversion", child, folder, report, cancelled)
        self._saver = Saver(planned, self._verifier.ask, folder)
        self._outputs: list[Output] = []
        self._required: dict[Style, RequiredOperators] = {}
        self._replayed: list[str] = []
        self._notes = list(planned.notes)

    def convert(self) -> ConvertedModel:
        """Do everything; errors end in the row."""
        error = self._planned.refusal
        if error is None:
            try:
                with self._saver.updated():
                    for style in self._settings.styles:
                        self._make(style)
            except StudioError as found:
                error = found
        return ConvertedModel(
            self._planned.source,
            tuple(self._outputs),
            tuple(self._verifier.checks),
            error,
            self._planned.opened,
            refused=self._planned.refusal is not None,
            notes=tuple(self._notes),
            required=self._required,
        )

    def _make(self, style: Style) -> None:
        """Everything of one style: all of it is made before any of it gets its name."""
        self._planned.check_unchanged()
        outputs = [output for output in self._planned.outputs if output.style is style]
        with ExitStack() as stack:
            made = {output: stack.enter_context(reserved(output.path)) for output in outputs}
            for output, temporary in made.items():
                self._write(output, temporary)
            self._planned.check_unchanged()
            self._report("publish")
            for output, temporary in made.items():
                self._publish(output, temporary)

    def _write(self, output: PlannedOutput, temporary: Path) -> None:
        if output.role is Role.CONFIG:
            self._write_config(output, temporary)
        elif output.role is Role.OPTIMIZED_ONNX:
            self._saver.optimized_onnx(output, temporary)
        else:
            self._write_model(output, temporary)

    def _write_model(self, output: PlannedOutput, temporary: Path) -> None:
        self._saver.model(output, temporary)
        self._planned.check_unchanged()
        self._report("read")
        model = self._saver.read(output, temporary)
        names = lost(self._planned.defaults, model)
        notes = [*_warnings_of_replay(model), *([lost_note(names)] if names else [])]
        self._notes += [note for note in notes if note not in self._notes]
        if self._settings.write_config:
            self._required[output.style] = self._operators(output, model)
        values = lost_values(read_model(self._planned.source), model) if names else {}
        self._verify(output, temporary, values)

    def _publish(self, output: PlannedOutput, temporary: Path) -> None:
        size_bytes = temporary.stat().st_size
        attest(temporary, self._planned)
        publish(temporary, output.path, overwrite=self._settings.overwrite or output.replaces)
        made = Output(output.path, output.role.value, size_bytes, output.purpose)
        self._outputs.append(made)

    def _operators(self, output: PlannedOutput, model: Model) -> RequiredOperators:
        """What a minimal build needs for the model.

        For the runtime style the source is saved once more with its optimizations applied: either
        state may be what runs on a device.
        """
        types = self._settings.type_reduction
        if output.style is Style.FIXED:
            return required_operators(model, types=types)
        applied = self._saver.applied(output)
        required = merged(
            required_operators(one, types=types, replayed=False) for one in (model, applied)
        )
        self._replayed = replay_comments(required, required_operators(model, types=types))
        return required

    def _write_config(self, output: PlannedOutput, temporary: Path) -> None:
        models = (one for one in self._planned.outputs if one.role.is_model)
        name = next(one.path.name for one in models if one.style is output.style)
        comments = [f"For {name}.", *(self._replayed if output.style is Style.RUNTIME else ())]
        text = config_text(self._required[output.style], comments)
        try:
            temporary.write_text(text, encoding="ascii", newline="\n")
        except OSError as error:
            raise unwritable(output.path, error) from None

    def _verify(
        self, output: PlannedOutput, temporary: Path, values: Mapping[str, TensorValue]
    ) -> None:
        """Run both; `values` are given to the result only."""
        settings = self._settings
        self._verifier.check(
            self._planned.verification,
            settings.running_session(self._planned.source, FileKind.ONNX, output.style),
            settings.running_session(temporary, FileKind.ORT, output.style),
            output.path,
            hint="Convert at a lower level, or keep the result all the same with --no-verify.",
            lost=values,
        )


def _warnings_of_replay(model: Model) -> list[Finding]:
    """The recorded optimizations that keep the model from being loaded, or can do nothing."""
    known = knowledge()
    found = check_optimizations(Subject(model, known.operators, known.versions))
    return [finding for finding in found if finding.severity == "warning"]
