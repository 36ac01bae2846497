"""ORT → ONNX: rebuilt from what our reader finds, checked, run against the original, published.

The runtime can save an `.ort` as ONNX too, but leaves graphs without the names that ONNX demands,
and values without types.
"""

from __future__ import annotations

import contextlib
import filecmp
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.analysis.imports import needed_imports
from ortstudio.errors import (
    ChangedError,
    RefusedError,
    StudioError,
    UsageError,
    Where,
)
from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.model.model import FileKind, Model
from ortstudio.services.agreement import Tolerance
from ortstudio.services.conversion import Converted, ConvertProgress, Output
from ortstudio.services.custom_ops import check_library
from ortstudio.services.export_notes import Note, notes_on
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.knowledge import knowledge
from ortstudio.services.onnx_check import check_export
from ortstudio.services.onnx_message import ir_version
from ortstudio.services.onnx_outside import outside_of
from ortstudio.services.onnx_write import write_onnx
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Session
from ortstudio.services.staging import (
    check_suffix,
    check_target,
    publish,
    reserved_folder,
    unwritable,
)
from ortstudio.services.verifier import Verifier
from ortstudio.services.verify import Verification

MESSAGE_BYTES = (1 << 31) - (1 << 27)
"""A file larger than this may pass the 2 GiB of a protobuf message once its names are repeated."""


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """What the user chose. Files above `message_bytes` are exported with their weights outside.

    `custom_ops` is a library that both sides are run with.
    """

    target: Path
    overwrite: bool = False
    verify: bool = True
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)
    custom_ops: str | None = None
    message_bytes: int = MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class Exported(Converted):
    """What became of the source, and what of it ONNX cannot have back."""

    notes: tuple[Note, ...] = ()

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        return Converted.to_json(self) | {"notes": [note.to_json() for note in self.notes]}


def export(
    source: Path,
    settings: ExportSettings,
    *,
    on_progress: Callable[[ConvertProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
    shared: Callable[[], Child] | None = None,
) -> Exported:
    """Export one model; what goes wrong stands in its row. Blocks.

    `phase` of the progress is `write`, `check`, `load`, `run` or `publish`; `cancelled` is asked
    many times a second while a child works, which is `shared` where others have a use for it too.
    Raises UsageError where the settings do not fit, and what `check_library` raises.
    """
    if settings.custom_ops is not None:
        check_library(settings.custom_ops)

    def report(phase: str) -> None:
        if on_progress:
            on_progress(ConvertProgress(source, 0, 1, phase))

    try:
        model = _opened(source)
    except StudioError as error:
        return Exported(source, (), error=error.at(str(source)), opened=False)
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        child = shared or stack.enter_context(children(make_child))
        return _Work(model, settings, child, folder, report, cancelled).export()


class _Work:
    """The export of one model."""

    def __init__(
        self,
        model: Model,
        settings: ExportSettings,
        child: Callable[[], Child],
        folder: Path,
        report: Callable[[str], None],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._model = model
        self._source = Path(model.source.path)
        self._settings = settings
        self._target = settings.target
        self._report = report
        self._verifier = Verifier("The export", child, folder, report, cancelled)
        self._known = knowledge().operators
        self._outputs: list[Output] = []
        self._notes: list[Note] = []

    def export(self) -> Exported:
        """Do everything; errors end in the row."""
        error: StudioError | None = None
        try:
            _check_kind(self._model)
            check_suffix(self._target, ".onnx")
            check_target(self._target, [self._source], overwrite=self._settings.overwrite)
            verification = self._verification()
            with reserved_folder(self._target) as staged:
                self._make(staged, verification)
        except UsageError:
            raise
        except StudioError as found:
            error = found.at(str(self._source))
        outputs, checks = tuple(self._outputs), tuple(self._verifier.checks)
        notes = () if error else tuple(self._notes)
        return Exported(self._source, outputs, checks, error, notes=notes)

    def _verification(self) -> Verification | str:
        if not self._settings.verify:
            return "Verification was switched off"
        try:
            inputs = Inputs(self._model, self._settings.inputs)
        except RefusedError as error:
            return str(error)
        return Verification(inputs, self._settings.tolerance, {})

    def _make(self, staged: Path, verification: Verification | str) -> None:
        self._report("write")
        made = self._write(staged)
        self._report("check")
        self._notes += check_export(made[0], self._model, self._known, self._verifier.ask)
        self._verifier.check(
            verification,
            self._session(self._source, FileKind.ORT),
            self._session(made[0], FileKind.ONNX),
            self._target,
            hint="Keep it with --no-verify.",
        )
        if self._model.source.changed:
            raise ChangedError(
                "The file was changed during the export, and nothing was written",
                hint="Export it again once it is written in full.",
            )
        self._report("publish")
        self._publish(made)

    def _write(self, staged: Path) -> tuple[Path, ...]:
        """The model, and its weights where they do not fit into it, in another folder."""
        model = self._model
        imports = needed_imports(model, self._known)
        self._notes += notes_on(model, imports, ir_version(model), self._known)
        outside = model.source.size > self._settings.message_bytes
        try:
            made = write_onnx(model, imports, staged / self._target.name, outside=outside)
        except OSError as error:
            raise unwritable(self._target, error) from None
        self._notes += (_beside(path.name) for path in made[1:])
        return made

    def _session(self, path: Path, kind: FileKind) -> Session:
        """As it is: whatever the runtime optimizes, it would do on both sides alike."""
        return Session(
            str(path.absolute()),
            kind,
            Level.DISABLE,
            custom_ops=self._settings.custom_ops,
        )

    def _publish(self, made: tuple[Path, ...]) -> None:
        """The weights first, under a name that no other have: a model never finds another's.

        Those of a model that is replaced go last.
        """
        overwrite, (model, *weights) = self._settings.overwrite, made
        replaced = outside_of(self._target) if overwrite and self._target.exists() else ()
        targets = [self._target.with_name(path.name) for path in weights]
        new = [target for target in targets if not target.exists()]
        try:
            for path, target in zip(weights, targets, strict=True):
                if target in new or not filecmp.cmp(path, target, shallow=False):
                    publish(path, target, overwrite=overwrite)
            publish(model, self._target, overwrite=overwrite)
        except StudioError:
            for target in new:
                target.unlink(missing_ok=True)
            raise
        for left in set(replaced) - set(targets):
            with contextlib.suppress(OSError):
                left.unlink()
        for path, role in ((self._target, "model"), *((target, "weights") for target in targets)):
            self._outputs.append(Output(path, role, path.stat().st_size))


def _opened(path: Path) -> Model:
    """Raises StudioError where the path is no sound model."""
    model = read_model(path)
    if model.error is not None:
        raise model.error
    return model


def _check_kind(model: Model) -> None:
    """Refuse what is no model in ORT format."""
    if model.kind is FileKind.ORT:
        return
    what = {
        FileKind.ONNX: "already is an ONNX model: there is nothing to export",
        FileKind.CHECKPOINT: "is a training checkpoint: it has parameters, but no graph to export",
        FileKind.ADAPTER: "is a LoRA adapter: it has parameters, but no graph to export",
    }
    raise RefusedError(f"This {what[model.kind]}", where=Where(model.source.path))


def _beside(name: str) -> Note:
    return Note(
        "external-data",
        f"One ONNX file cannot pass 2 GiB: the weights are in {name}, which must stay beside it",
    )
