"""What an earlier run left: results that are known to be made from this very source.

Every result carries a note of ours, which the file system keeps beside its content and which is
there before the result has its name. It says which file it was put on, and in a digest from which
files and with which choices that was made. So a result that was exchanged, copied or written to
since is known by nobody, and so is one on a file system without notes.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import fields, replace
from enum import Enum
from pathlib import Path

from ortstudio.analysis.required_operators import RequiredOperators, required_operators
from ortstudio.errors import ChangedError, StudioError, Where
from ortstudio.format.source import Identity
from ortstudio.jobs import platform
from ortstudio.services.conversion import ConvertedModel, Output
from ortstudio.services.convert_outputs import PlannedOutput
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import own
from ortstudio.services.sessions import Style

ALREADY = "already converted"
_VERSION = 1
_NO_MATTER = frozenset(
    {
        *("styles", "optimized_onnx", "write_config", "type_reduction"),
        *("output_dir", "overwrite", "verify", "inputs", "tolerance"),
        *("keep_going", "jobs", "memory", "resume", "dry_run", "threads"),
    }
)
"""Choices that the bytes of a result do not depend on, or that its name tells."""


class Left(Enum):
    """What is there in a result's place. `OURS` is ours, but of something else."""

    NOTHING = "nothing"
    CURRENT = "current"
    OURS = "ours"
    UNKNOWN = "unknown"


def attest(made: Path, source: PlannedSource) -> None:
    """Note on a finished file what it was made from. Nothing may be written to it after that."""
    note = {
        "version": _VERSION,
        "file": _stamp(made),
        "of": _digest(source),
        "verify": source.settings.verify,
    }
    platform.set_note(made, json.dumps(note))


def attest_ours(made: Path) -> None:
    """Note on a finished file that it is ours, and may be replaced when it is made again."""
    platform.set_note(made, json.dumps({"version": _VERSION, "file": _stamp(made)}))


def left(path: Path, source: PlannedSource | None = None) -> Left:
    """What an earlier run left in the place of a result."""
    if not os.path.lexists(path):
        return Left.NOTHING
    note = _note(path)
    if note is None:
        return Left.UNKNOWN
    if source is None or note.get("of") != _digest(source):
        return Left.OURS
    return Left.CURRENT if note.get("verify") or not source.settings.verify else Left.OURS


def is_done(source: PlannedSource) -> bool:
    """Whether all results of a source are there already, of this very source and sound."""
    return all(
        left(output.path, source) is Left.CURRENT and _is_sound(output) for output in source.outputs
    )


def done_row(source: PlannedSource) -> ConvertedModel:
    """The end of a source whose results stay as they are."""
    row = ConvertedModel(source.source, (), skipped=source.skipped, notes=source.notes)
    checked = "It was verified when it was converted"
    if not source.settings.verify:
        checked = "Verification was switched off"
    try:
        outputs = tuple(map(_output, source.outputs))
        required = _required(source)
    except OSError as error:
        message = f"A result was there and can no longer be read: {error.strerror}"
        return replace(row, error=ChangedError(message, where=Where(str(source.source))))
    except StudioError as error:
        return replace(row, error=error)
    checks = tuple(checked for output in outputs if output.is_model)
    return replace(row, outputs=outputs, checks=checks, required=required)


def _output(output: PlannedOutput) -> Output:
    size_bytes = output.path.stat().st_size
    return Output(output.path, output.role.value, size_bytes, output.purpose)


def _required(source: PlannedSource) -> dict[Style, RequiredOperators]:
    """What the models need, where the config of their folder is to say it."""
    settings = source.settings
    if not settings.write_config or source.root is None:
        return {}
    return {
        output.style: required_operators(read_model(output.path), types=settings.type_reduction)
        for output in source.outputs
        if output.role.is_model
    }


def _is_sound(output: PlannedOutput) -> bool:
    """Whether a result can be read; the weights of a model are not looked at."""
    if not output.role.is_model:
        return True
    try:
        return read_model(output.path).error is None
    except StudioError:
        return False


def _note(path: Path) -> dict[str, object] | None:
    """The note on a file, if it is of our kind and the file is still the one that it was put on."""
    try:
        note = json.loads(platform.note(path) or "")
        is_known = note["version"] == _VERSION and note["file"] == _stamp(path)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return note if is_known else None


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _digest(source: PlannedSource) -> str:
    """Of the files that a result is made from, as they were when planned, and of the choices."""
    folder = source.source.parent
    files = [(os.path.relpath(path, folder), found) for path, found in source.identities]
    told = repr((files, _choices(source.settings)))
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def _choices(settings: ConvertSettings) -> dict[str, object]:
    found = {
        field.name: getattr(settings, field.name)
        for field in fields(settings)
        if field.name not in _NO_MATTER
    }
    found["release"] = settings.release or own().release
    if settings.custom_ops is not None:
        found["custom_ops"] = Identity.of(Path(settings.custom_ops).stat())
    return found
