"""What a child saves of one source, each of it read back before anything is done with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ortstudio.analysis.checks.file import check_container
from ortstudio.analysis.checks.subject import Subject
from ortstudio.errors import FormatError, RefusedError, StudioError, Where
from ortstudio.model.external import external_tensors
from ortstudio.model.model import FileKind, Model
from ortstudio.services.convert_checks import fixable_dims
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.knowledge import knowledge
from ortstudio.services.ort_edits import set_stamp
from ortstudio.services.ort_write import rewrite
from ortstudio.services.reading import read_model
from ortstudio.services.runtime_words import child_error, update_error
from ortstudio.services.sessions import UNPACKED, Form
from ortstudio.services.staging import disk_full
from ortstudio.services.stamp import Stamp
from ortstudio.services.verify import Ask

PACKED_BYTES = 32 << 20
"""From here on nothing is packed to be saved: it would take time, and the weights' size once more.

With little in tens of thousands of weights it is the other way: to go without takes time.
"""
FULL_BYTES = 1 << 20
"""A disk with less room than this is what made the runtime fail to write."""


class Saver:
    """Saves one source; `folder` takes what is made on the way."""

    def __init__(self, planned: PlannedSource, ask: Ask, folder: Path) -> None:
        self._planned = planned
        self._settings = planned.settings
        self._ask = ask
        self._folder = folder
        self._source = planned.source
        self._where = Where(str(planned.source))

    @contextmanager
    def updated(self) -> Iterator[None]:
        """Inside, what is saved is of the opset that was asked for."""
        opset = self._planned.opset
        if opset is None:
            yield
            return
        made = self._folder / "updated.onnx"
        source = str(self._planned.source.absolute())
        arguments = {"model": source, "opset": opset, "output": str(made)}
        try:
            outcome = self._ask("update-opset", arguments)
            if not outcome.ok:
                raise update_error(outcome, opset, self._where)
            self._source = made
            yield
        finally:
            _remove(made)

    def model(self, output: PlannedOutput, target: Path) -> None:
        """Save the model itself, in canonical order and with a stamp as far as asked for."""
        release = self._save(output, Form.ORT, target)
        settings = self._settings
        edits = [set_stamp(self._stamp(output, release))] if settings.stamp else []
        if edits or settings.reproducible:
            again = target.with_name(f"{target.name}.again")
            rewrite(target, again, edits, final=output.path)
            again.replace(target)

    def read(self, output: PlannedOutput, target: Path) -> Model:
        """Read the model back. Raises FormatError where it is not what it should be."""
        model = _read_back(target, output.path, FileKind.ORT)
        where = Where(str(output.path))
        for symbol in fixable_dims(model):
            if symbol in self._settings.fixed_dims:
                raise FormatError(f"ONNX Runtime left the size {symbol} open", where=where)
        _check_limits(model, where)
        return model

    def applied(self, output: PlannedOutput) -> Model:
        """The model with its recorded optimizations applied. Its file is gone, its weights too."""
        path = self._folder / "applied.ort"
        try:
            self._save(output, Form.APPLIED, path)
            return _read_back(path, output.path, FileKind.ORT)
        finally:
            _remove(path)

    def optimized_onnx(self, output: PlannedOutput, target: Path) -> None:
        """Save the same graph as ONNX, with all weights.

        The runtime leaves external ones where they are, which is not beside the result.
        """
        self._save(output, Form.ONNX, target)
        model = _read_back(target, output.path, FileKind.ONNX)
        if any(True for _ in external_tensors(model)):
            folder = str(self._planned.source.absolute().parent)
            outcome = self._ask("gather-weights", {"model": str(target), "folder": folder})
            if not outcome.ok:
                raise child_error(outcome, "Taking the weights in", self._where)

    def _save(self, output: PlannedOutput, form: Form, target: Path) -> str:
        """Have the runtime save a form of the source, and give its release."""
        session = self._settings.saving_session(self._source, output.style, form)
        if sum(identity.size for _, identity in self._planned.identities) > PACKED_BYTES:
            session = replace(session, config={**session.config, **UNPACKED})
        outcome = self._ask("convert", {"session": session.to_json(), "output": str(target)})
        if outcome.ok:
            return str(outcome.value.get("onnxruntime", ""))
        if shutil.disk_usage(target.parent).free < FULL_BYTES:
            raise disk_full(output.path)
        raise child_error(outcome, "The conversion", self._where, self._settings.custom_ops)

    def _stamp(self, output: PlannedOutput, release: str) -> Stamp:
        source, *external = (path for path, _ in self._planned.identities)
        settings = self._settings
        return Stamp.of(source, release, settings.level, output.style, settings.target, external)


def _check_limits(model: Model, where: Where) -> None:
    """Raises RefusedError for what the runtime writes and refuses to load."""
    known = knowledge()
    for finding in check_container(Subject(model, known.operators, known.versions)):
        if finding.severity == "error" and finding.code != "no-identifier":
            hint = "Split the model, or stay with ONNX."
            raise RefusedError(
                f"No runtime would load it: {finding.message}", where=where, hint=hint
            )


def _remove(path: Path) -> None:
    """As far as the system lets us: on Windows, what is open goes with the folder at the end."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


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
