"""One source's conversion: a child saves, our reader and a run verify, a rename publishes.

Until then a result has a hidden name of ours beside its target, which is removed on every path,
and by the next conversion into that folder should the whole program die.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ortstudio.analysis.required_operators import RequiredOperators, merged, required_operators
from ortstudio.errors import FormatError, RefusedError, StudioError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome
from ortstudio.model.external import external_tensors
from ortstudio.model.model import FileKind, Model
from ortstudio.services.conversion import ConvertedModel, Output, served
from ortstudio.services.convert_checks import fixable_dims
from ortstudio.services.convert_outputs import PlannedOutput, Role
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_resume import attest
from ortstudio.services.operator_config import config_text
from ortstudio.services.ort_edits import set_stamp
from ortstudio.services.ort_write import rewrite
from ortstudio.services.reading import read_model
from ortstudio.services.replay_comments import replay_comments
from ortstudio.services.runtime_words import child_error, update_error
from ortstudio.services.sessions import Form, Style
from ortstudio.services.staging import publish, reserved
from ortstudio.services.stamp import Stamp
from ortstudio.services.verify import SkippedError, Verified, verify
from ortstudio.services.verify_words import disagreement

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
        self._source = planned.source
        self._outputs: list[Output] = []
        self._checks: list[Verified | str] = []
        self._required: dict[Style, RequiredOperators] = {}
        self._replayed: list[str] = []

    def convert(self) -> ConvertedModel:
        """Do everything; errors end in the row."""
        error = self._planned.refusal
        if error is None:
            try:
                with self._updated():
                    for style in self._settings.styles:
                        self._make(style)
            except StudioError as found:
                error = found
        return ConvertedModel(
            self._planned.source,
            tuple(self._outputs),
            tuple(self._checks),
            error,
            self._planned.opened,
            refused=self._planned.refusal is not None,
            notes=self._planned.notes,
            required=self._required,
        )

    @contextmanager
    def _updated(self) -> Iterator[None]:
        """Inside, the source that is saved is of the opset that was asked for."""
        opset = self._planned.opset
        if opset is None:
            yield
            return
        updated = self._folder / "updated.onnx"
        try:
            self._update(opset, updated)
            self._source = updated
            yield
        finally:
            updated.unlink(missing_ok=True)

    def _update(self, opset: int, target: Path) -> None:
        source = str(self._planned.source.absolute())
        outcome = self._ask(
            "update-opset", {"model": source, "opset": opset, "output": str(target)}
        )
        if not outcome.ok:
            raise update_error(outcome, opset, Where(source))

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
            temporary.write_text(self._config(output), encoding="ascii", newline="\n")
            return
        if output.role is Role.OPTIMIZED_ONNX:
            self._save(output, Form.ONNX, temporary)
            self._gather_weights(_read_back(temporary, output.path, FileKind.ONNX), temporary)
            return
        release = self._save(output, Form.ORT, temporary)
        self._rewrite(output, temporary, release)
        self._planned.check_unchanged()
        self._report("read")
        model = _read_back(temporary, output.path, FileKind.ORT)
        self._check_fixed(model, output)
        if self._settings.write_config:
            self._required[output.style] = self._operators(output, model)
        self._verify(output, temporary)

    def _publish(self, output: PlannedOutput, temporary: Path) -> None:
        size_bytes = temporary.stat().st_size
        attest(temporary, self._planned)
        publish(temporary, output.path, overwrite=self._settings.overwrite or output.replaces)
        made = Output(output.path, output.role.value, size_bytes, output.purpose)
        self._outputs.append(made)

    def _save(self, output: PlannedOutput, form: Form, temporary: Path) -> str:
        """Have the runtime save a form of the source, and give its release."""
        session = self._settings.saving_session(self._source, output.style, form)
        outcome = self._ask("convert", {"session": session.to_json(), "output": str(temporary)})
        if outcome.ok:
            return str(outcome.value["onnxruntime"])
        if shutil.disk_usage(temporary.parent).free < FULL_BYTES:
            raise RefusedError(
                "The disk is full",
                where=Where(str(output.path)),
                hint="Make room, or choose another folder with -o.",
            )
        raise child_error(outcome, "The conversion", Where(str(self._planned.source)))

    def _rewrite(self, output: PlannedOutput, temporary: Path, release: str) -> None:
        """In canonical order and with a stamp, as far as that was asked for."""
        settings = self._settings
        edits = []
        if settings.stamp:
            source, *external = (path for path, _ in self._planned.identities)
            stamp = Stamp.of(
                source, release, settings.level, output.style, settings.target, external
            )
            edits.append(set_stamp(stamp))
        if edits or settings.reproducible:
            again = temporary.with_name(f"{temporary.name}.again")
            rewrite(temporary, again, edits)
            again.replace(temporary)

    def _gather_weights(self, model: Model, written: Path) -> None:
        """The runtime leaves external weights where they are, which is not beside the result."""
        if any(True for _ in external_tensors(model)):
            source = self._planned.source
            folder = str(source.absolute().parent)
            outcome = self._ask("gather-weights", {"model": str(written), "folder": folder})
            if not outcome.ok:
                raise child_error(outcome, "Taking the weights in", Where(str(source)))

    def _check_fixed(self, model: Model, output: PlannedOutput) -> None:
        """Raises FormatError where a size that was to be fixed is still open."""
        for symbol in fixable_dims(model):
            if symbol in self._settings.fixed_dims:
                raise FormatError(
                    f"ONNX Runtime left the size {symbol} open", where=Where(str(output.path))
                )

    def _operators(self, output: PlannedOutput, model: Model) -> RequiredOperators:
        """What a minimal build needs for the model.

        For the runtime style the source is saved once more with its optimizations applied: either
        state may be what runs on a device.
        """
        types = self._settings.type_reduction
        if output.style is Style.FIXED:
            return required_operators(model, types=types)
        path = self._folder / "applied.ort"
        try:
            self._save(output, Form.APPLIED, path)
            applied = _read_back(path, output.path, FileKind.ORT)
        finally:
            path.unlink(missing_ok=True)
        required = merged(
            required_operators(one, types=types, replayed=False) for one in (model, applied)
        )
        self._replayed = replay_comments(required, required_operators(model, types=types))
        return required

    def _config(self, output: PlannedOutput) -> str:
        models = (one for one in self._planned.outputs if one.role.is_model)
        name = next(one.path.name for one in models if one.style is output.style)
        comments = [f"For {name}.", *(self._replayed if output.style is Style.RUNTIME else ())]
        return config_text(self._required[output.style], comments)

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


def _read_back(written: Path, target: Path, kind: FileKind) -> Model:
    """What the runtime wrote. Raises FormatError where that is no sound model of the kind."""
    try:
        model = read_model(written)
        if model.error is not None:
            raise model.error
        if model.kind is not kind or (model.ort and model.ort.format_version is None):
            raise FormatError(f"it is no model in {kind.value.upper()} format")
    except StudioError as error:
        raise FormatError(
            f"ONNX Runtime wrote a file that is not sound: {error.message}",
            where=Where(str(target), error.where.offset_bytes, error.where.field),
        ) from None
    return model
