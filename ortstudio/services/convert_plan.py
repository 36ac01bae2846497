"""What a conversion would write, and what it refuses to, before anything runs.

Names are those of the upstream converter: `M.ort`, `M.basic.ort`, `M[.L].with_runtime_opt.ort`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.errors import (
    ChangedError,
    MissingError,
    RefusedError,
    StudioError,
    UsageError,
    Where,
)
from ortstudio.format.source import Identity
from ortstudio.model.model import FileKind, Model
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import Inputs
from ortstudio.services.quantization import output_steps
from ortstudio.services.reading import read_model
from ortstudio.services.sessions import Level, Style
from ortstudio.services.staging import check_target
from ortstudio.services.verify import Verification
from ortstudio.services.weights import check_external_data, check_weights

_SUFFIXES = (".onnx", ".ort", ".pb")
_LEFTOVER = ".optimized.onnx"


@dataclass(frozen=True, slots=True)
class PlannedOutput:
    """A file that will be written."""

    path: Path
    style: Style


@dataclass(frozen=True, slots=True)
class PlannedSource:
    """A source and its outputs, or the reason why there will be none.

    `identities` are the source and its external files as they were when the plan was made,
    `verification` what its outputs are verified with, or why they are not. `opened` is false where
    the source is not even a sound model.
    """

    source: Path
    outputs: tuple[PlannedOutput, ...]
    settings: ConvertSettings
    identities: tuple[tuple[Path, Identity], ...] = ()
    verification: Verification | str = ""
    refusal: StudioError | None = None
    opened: bool = True

    def check_unchanged(self) -> None:
        """Raises ChangedError where what was planned for is no longer what is there."""
        for path, identity in self.identities:
            try:
                changed = Identity.of(path.stat()) != identity
            except OSError:
                changed = True
            if changed:
                raise ChangedError(
                    "The file was changed during the conversion, and nothing was written",
                    where=Where(str(path)),
                    hint="Convert it again once it is written in full.",
                )


@dataclass(frozen=True, slots=True)
class ConvertPlan:
    """All that will happen, in order."""

    sources: tuple[PlannedSource, ...]


def plan(paths: Sequence[str | Path], settings: ConvertSettings) -> ConvertPlan:
    """Plan the conversion of files and folders. Reads their structure, writes nothing.

    Raises UsageError where the settings fit none of the sources.
    """
    taken: dict[Path, Path] = {}
    planned = []
    for path, folder in _sources(paths):
        row = _planned(path, folder, settings)
        if row.refusal is None:
            row = _without_collision(row, taken)
        planned.append(row)
    if planned and all(isinstance(row.refusal, UsageError) for row in planned):
        raise planned[0].refusal or AssertionError
    return ConvertPlan(tuple(planned))


def output_name(source: Path, level: Level, style: Style) -> str:
    """The name of a result: `M.ort` at level all and style fixed."""
    stem = source.name
    for suffix in _SUFFIXES:
        if stem.lower().endswith(suffix) and len(stem) > len(suffix):
            stem = stem[: -len(suffix)]
            break
    middle = "" if level is Level.ALL else f".{level.value}"
    middle += ".with_runtime_opt" if style is Style.RUNTIME else ""
    return f"{stem}{middle}.ort"


def _sources(paths: Iterable[str | Path]) -> Iterator[tuple[Path, Path]]:
    """Each file, and the folder of its results below the output folder."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path, Path()
            continue
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() == ".onnx" and p.is_file())
        found = [p for p in found if not p.name.lower().endswith(_LEFTOVER)]
        yield from ((p, p.parent.relative_to(path)) for p in found)
        if not found:
            yield path, Path()


def _planned(path: Path, folder: Path, settings: ConvertSettings) -> PlannedSource:
    target_folder = Path(settings.output_dir, folder) if settings.output_dir else path.parent
    outputs = tuple(
        PlannedOutput(target_folder / output_name(path, settings.level, style), style)
        for style in settings.styles
    )
    try:
        model = _opened(path)
    except StudioError as error:
        refusal = error.at(str(path))
        return PlannedSource(path, outputs, settings, refusal=refusal, opened=path.is_dir())
    try:
        _check_kind(model)
        _check_library(settings.custom_ops)
        external = check_external_data(model)
        check_weights(model)
        for output in outputs:
            check_target(output.path, [path, *external], overwrite=settings.overwrite)
        verification = _verification(model, settings)
        identities = tuple((file, _identity(file)) for file in (path, *external))
    except StudioError as error:
        return PlannedSource(path, outputs, settings, refusal=error.at(str(path)))
    return PlannedSource(path, outputs, settings, identities, verification)


def _opened(path: Path) -> Model:
    """Raises StudioError where the path is no sound model."""
    if path.is_dir():
        raise RefusedError("The folder holds no .onnx model", where=Where(str(path)))
    model = read_model(path)
    if model.error is not None:
        raise model.error
    return model


def _verification(model: Model, settings: ConvertSettings) -> Verification | str:
    if not settings.verify:
        return "Verification was switched off"
    try:
        inputs = Inputs(model, settings.inputs)
    except RefusedError as error:
        return str(error)
    return Verification(inputs, settings.tolerance, output_steps(model))


def _identity(path: Path) -> Identity:
    try:
        return Identity.of(path.stat())
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}"
        raise MissingError(message, where=Where(str(path))) from None


def _check_kind(model: Model) -> None:
    """Refuse what is no ONNX model."""
    if model.kind is FileKind.ONNX:
        return
    version = f", version {model.ort.format_version_text}" if model.ort else ""
    what = {
        FileKind.ORT: f"already is an ORT-format model{version}",
        FileKind.CHECKPOINT: "is a training checkpoint, not an ONNX model",
        FileKind.ADAPTER: "is a LoRA adapter, not an ONNX model",
    }
    raise RefusedError(
        f"This {what[model.kind]}: there is nothing to convert", where=Where(model.source.path)
    )


def _check_library(library: str | None) -> None:
    if library is not None and not Path(library).is_file():
        raise MissingError("There is no such custom operator library", where=Where(library))


def _without_collision(row: PlannedSource, taken: dict[Path, Path]) -> PlannedSource:
    """Refuse a row that would write what an earlier one writes."""
    targets = [Path(os.path.normcase(output.path.resolve())) for output in row.outputs]
    for target in targets:
        if target in taken:
            error = RefusedError(
                f"The result of {taken[target]} has the same name",
                where=Where(str(row.source)),
                hint="Convert the two into different folders.",
            )
            return replace(row, refusal=error)
    taken.update(dict.fromkeys(targets, row.source))
    return row
