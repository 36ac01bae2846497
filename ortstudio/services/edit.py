"""Edits of finished models: changed, read back, run against the original, published.

No source and no conversion is needed: an ORT-format model is written anew by our own writer, an
ONNX model through the `onnx` package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ortstudio.analysis.words import listed
from ortstudio.errors import ChangedError, RefusedError, StudioError, UsageError
from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.model.model import FileKind, Model
from ortstudio.services.agreement import Tolerance
from ortstudio.services.conversion import (
    CancelledError,
    Converted,
    ConvertProgress,
    Output,
)
from ortstudio.services.data_files import DataFiles
from ortstudio.services.edit_changes import Changes, check_changes, check_kind, input_symbols
from ortstudio.services.edit_check import check_edited
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.onnx_edit import edit_onnx
from ortstudio.services.ort_changes import changing
from ortstudio.services.ort_write import rewrite
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
from ortstudio.services.verify import NotAcceptedError, Renamed, Verification


@dataclass(frozen=True, slots=True)
class EditSettings:
    """What the user chose."""

    target: Path
    changes: Changes
    overwrite: bool = False
    verify: bool = True
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)


@dataclass(frozen=True, slots=True)
class Edited(Converted):
    """What became of the source; `changes` says it in words, one thing a line."""

    changes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        return Converted.to_json(self) | {"changes": list(self.changes)}


def suffix_of(model: Model) -> str:
    """What runtimes know a result by: its format is that of the model."""
    return ".ort" if model.kind is FileKind.ORT else ".onnx"


def edit(
    source: Path,
    settings: EditSettings,
    *,
    on_progress: Callable[[ConvertProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Edited:
    """Edit one model; what goes wrong stands in its row. Blocks.

    `phase` of the progress is `write`, `check`, `load`, `run` or `publish`; `cancelled` is asked
    many times a second while a child works. Raises UsageError where the settings do not fit.
    """

    def report(phase: str) -> None:
        if on_progress:
            on_progress(ConvertProgress(source, 0, 1, phase))

    try:
        model = read_model(source)
        if model.error is not None:
            raise model.error
    except StudioError as error:
        return Edited(source, (), error=error.at(str(source)), opened=False)
    with temporary_folder() as folder, children(make_child) as child:
        return _Work(model, settings, child, folder, report, cancelled).edit()


class _Work:
    """The edit of one model."""

    def __init__(
        self,
        model: Model,
        settings: EditSettings,
        child: Callable[[], Child],
        folder: Path,
        report: Callable[[str], None],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._model = model
        self._source = Path(model.source.path)
        self._settings = settings
        self._changes = settings.changes
        self._report = report
        self._cancelled = cancelled
        self._verifier = Verifier("The edit", child, folder, report, cancelled)
        self._data = DataFiles(model, settings.target)
        self._outputs: list[Output] = []

    def edit(self) -> Edited:
        """Do everything; errors end in the row."""
        error: StudioError | None = None
        try:
            check_kind(self._model)
            check_changes(self._changes, self._model)
            self._check_targets()
            verification = self._verification()
            with reserved_folder(self._settings.target) as folder:
                self._report("write")
                self._data.bring(folder, run=not isinstance(verification, str))
                self._make(folder / self._settings.target.name, verification)
        except UsageError:
            raise
        except StudioError as found:
            error = found.at(str(self._source))
        outputs, checks = tuple(self._outputs), tuple(self._verifier.checks)
        words = () if error else tuple(self._changes.words(self._model))
        return Edited(self._source, outputs, checks, error, changes=words)

    def _check_targets(self) -> None:
        check_suffix(self._settings.target, suffix_of(self._model))
        inputs = [self._source, *self._data.originals]
        for path in (self._settings.target, *self._data.targets):
            check_target(path, inputs, overwrite=self._settings.overwrite)

    def _verification(self) -> Verification | str:
        if not self._settings.verify:
            return "Verification was switched off"
        given, sizes = self._settings.inputs, self._changes.sizes
        for symbol in given.dims.keys() & sizes.keys():
            if given.dims[symbol] != sizes[symbol]:
                both = f"fixed to {sizes[symbol]:,} and run at {given.dims[symbol]:,}"
                raise UsageError(f"The size {symbol} cannot be {both}")
        known = input_symbols(self._model)
        fixed = {symbol: size for symbol, size in sizes.items() if symbol in known}
        try:
            inputs = Inputs(self._model, replace(given, dims={**given.dims, **fixed}))
        except RefusedError as error:
            return str(error)
        renamed = Renamed(self._changes.renamed, self._changes.renamed)
        return Verification(inputs, self._settings.tolerance, {}, renamed)

    def _make(self, made: Path, verification: Verification | str) -> None:
        self._write(made)
        if self._cancelled is not None and self._cancelled():
            raise CancelledError("The edit was cancelled")
        self._report("check")
        check_edited(made, self._model, self._changes)
        self._verify(made, verification)
        if self._model.source.changed:
            raise ChangedError(
                "The file was changed during the edit, and nothing was written",
                hint="Edit it again once it is written in full.",
            )
        self._report("publish")
        self._publish(made)

    def _write(self, made: Path) -> None:
        if self._model.kind is FileKind.ORT:
            edits = list(changing(self._changes, self._model))
            rewrite(self._source, made, edits, final=self._settings.target)
            return
        try:
            edit_onnx(self._model.source, made, self._changes)
        except OSError as error:
            raise unwritable(self._settings.target, error) from None

    def _verify(self, made: Path, wanted: Verification | str) -> None:
        """Run both. Raises where the result must not be published."""
        source, result = (
            Session(str(path.absolute()), self._model.kind, Level.DISABLE)
            for path in (self._source, made)
        )
        sizes = self._changes.sizes
        try:
            self._verifier.check(
                wanted,
                source,
                result,
                self._settings.target,
                hint="Keep it with --no-verify.",
                must_run=bool(sizes),
            )
        except NotAcceptedError as reason:
            raise _contradicted(sizes, str(reason)) from None

    def _publish(self, made: Path) -> None:
        """The model last: without its weights it is none."""
        target, overwrite = self._settings.target, self._settings.overwrite
        weights = [
            (made.parent / path.relative_to(target.parent), path) for path in self._data.targets
        ]
        published: list[Path] = []
        try:
            for path, final in (*weights, (made, target)):
                _publish(path, final, overwrite=overwrite)
                published.append(final)
        except StudioError:
            for path in published if not overwrite else ():
                path.unlink()
            raise
        for path, role in ((target, "model"), *((final, "weights") for _, final in weights)):
            self._outputs.append(Output(path, role, path.stat().st_size))


def _publish(path: Path, target: Path, *, overwrite: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(target, error) from None
    publish(path, target, overwrite=overwrite)


def _contradicted(sizes: Mapping[str, int], words: str) -> RefusedError:
    text = listed([f"{symbol} = {size:,}" for symbol, size in sizes.items()])
    return RefusedError(
        f"The model does not run with {text}: {words.partition('. ')[2] or words}",
        hint="Fix another size, or write it all the same with --no-verify.",
    )
