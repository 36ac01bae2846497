"""The operator config that a build needs for a set of models and configs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ortstudio.analysis.build_facts import BuildFacts, build_facts
from ortstudio.analysis.finding import Finding
from ortstudio.analysis.operator_matrix import MatrixRow, matrix
from ortstudio.analysis.required_operators import RequiredOperators, merged, required_operators
from ortstudio.errors import (
    DONE_NO,
    DONE_YES,
    UNREADABLE,
    FormatError,
    RefusedError,
    StudioError,
    Where,
)
from ortstudio.format.source import Source
from ortstudio.model.model import FileKind, Model
from ortstudio.model.sniff import sniff
from ortstudio.services.conversion import Output
from ortstudio.services.knowledge import knowledge
from ortstudio.services.operator_config import config_text, types_json
from ortstudio.services.operator_config_reader import read_config
from ortstudio.services.ops_notes import COMMENTS, notes_on_config, notes_on_model
from ortstudio.services.paths import is_folder
from ortstudio.services.reading import read_model
from ortstudio.services.staging import check_target, publish, reserved, unwritable

MODELS = (".onnx", ".ort")
CONFIGS = (".config",)
TWIN = ".optimized.onnx"
"""What upstream's converter leaves beside an `.ort`: the same graph."""


@dataclass(frozen=True, slots=True)
class OpsRow:
    """What one model or config needs; `required` is None where `error` says why it is not known.

    `facts` are those of a model; `opened` is false of what is not even a sound file of its kind.
    """

    source: Path
    required: RequiredOperators | None = None
    facts: BuildFacts | None = None
    notes: tuple[Finding, ...] = ()
    outputs: tuple[Output, ...] = ()
    error: StudioError | None = None
    opened: bool = True

    def to_json(self) -> dict[str, object]:
        """A row of the command line's answer."""
        return {
            "source": str(self.source),
            "outputs": [output.to_json() for output in self.outputs],
            "ok": self.error is None,
            "verified": None,
            "verify_skipped": "A config is not run",
            "notes": [
                {"severity": note.severity, "code": note.code, "message": note.message}
                for note in self.notes
            ],
            "error": None if self.error is None else self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Ops:
    """What a set needs. Rows that failed count for nothing in `required`."""

    rows: tuple[OpsRow, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of the command line's contract."""
        if all(row.error is None for row in self.rows):
            return DONE_YES
        return DONE_NO if any(row.opened for row in self.rows) else UNREADABLE

    @property
    def required(self) -> RequiredOperators:
        """What all that could be read needs together."""
        return merged(row.required for row in self.rows if row.required is not None)

    def matrix(self) -> tuple[MatrixRow, ...]:
        """Which of them needs which operator, by the path."""
        return matrix({str(r.source): r.required for r in self.rows if r.required is not None})

    def text(self) -> str:
        """The config. Raises RefusedError where a name cannot be written into one."""
        return config_text(self.required, _comments(self.rows))

    def to_json(self) -> dict[str, object]:
        """The command line's answer."""
        done = sum(row.error is None for row in self.rows)
        return {
            "schema": "ortstudio/ops@1",
            "results": [row.to_json() for row in self.rows],
            "ok": done == len(self.rows),
            "converted": done,
            "failed": len(self.rows) - done,
            "operators": [_row_json(row) for row in self.matrix()],
        }


def _row_json(row: MatrixRow) -> dict[str, object]:
    return {
        "op_id": row.operator.op_id,
        "types": types_json(row.types) if row.types else None,
        "models": list(row.by_model),
        "types_by_model": {
            model: types_json(types) for model, types in row.by_model.items() if types is not None
        },
    }


def needs(paths: Iterable[str | Path], *, types: bool, configs: bool = False) -> Ops:
    """Read models, and with `configs` operator configs too, and say what each needs.

    Of a folder those at any depth, by their names. What goes wrong stands in the rows. Beside a
    config with types, the types of the models are read unasked: none would mean all.
    """
    files = [file for path in map(Path, paths) for file in _files(path, configs=configs)]
    rows = {file: row for file in files if configs and (row := _config_row(file)) is not None}
    typed = types or any(row.required and row.required.types for row in rows.values())
    return Ops(tuple(rows.get(file) or _model_row(file, types=typed) for file in files))


def write(found: Ops, target: Path, *, overwrite: bool = False) -> Ops:
    """The same answer, with the config written as the output of every row that is in it.

    Raises RefusedError where it cannot be written. Of nothing that could be read no config is made:
    it would mean that no operator is needed.
    """
    if all(row.required is None for row in found.rows):
        return found
    content = found.text().encode()
    check_target(target, [row.source for row in found.rows], overwrite=overwrite)
    with reserved(target) as temporary:
        try:
            temporary.write_bytes(content)
        except OSError as error:
            raise unwritable(target, error) from None
        publish(temporary, target, overwrite=overwrite)
    made = Output(target, "config", len(content))
    rows = (
        replace(row, outputs=(made,)) if row.required is not None else row for row in found.rows
    )
    return Ops(tuple(rows))


def _files(path: Path, *, configs: bool) -> Iterator[Path]:
    """The file, or what a folder holds; a folder that holds nothing stands for itself."""
    if not is_folder(path):
        yield path
        return
    suffixes = MODELS + CONFIGS if configs else MODELS
    found = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in suffixes
        and not file.name.lower().endswith(TWIN)
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
    ]
    yield from found or [path]


def _config_row(path: Path) -> OpsRow | None:
    """What a config lists; None of a file that is no text, or a model."""
    try:
        if is_folder(path) or not _is_text(path):
            return None
        config = read_config(path)
    except StudioError as error:
        return OpsRow(path, error=error.at(str(path)), opened=False)
    return OpsRow(path, config.listed(), notes=tuple(notes_on_config(config)))


def _model_row(path: Path, *, types: bool) -> OpsRow:
    """What a model needs, which is read here and let go of again."""
    try:
        if is_folder(path):
            raise RefusedError("The folder holds no model", where=Where(str(path)))
        if path.suffix.lower() in CONFIGS and _is_text(path):
            raise FormatError(
                "This is an operator config, not a model",
                hint="`ortstudio ops merge` takes it, and `ortstudio check MODEL --config`.",
            )
        return row_of(path, read_model(path), types=types)
    except StudioError as error:
        return OpsRow(path, error=error.at(str(path)), opened=isinstance(error, RefusedError))


def _is_text(path: Path) -> bool:
    """Whether a file is no model, and its first bytes are text."""
    source = Source.open(path)
    try:
        if sniff(source) is not None:
            return False
        source.read(0, min(source.size, 4096)).decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        # The cut may go through a character.
        return error.start > 4092
    return True


def _check_has_operators(model: Model) -> None:
    """Raises StudioError where the model is damaged, or is of a kind that has no operators."""
    if model.error is not None:
        raise model.error
    if model.kind in (FileKind.ORT, FileKind.ONNX):
        return
    what = "training checkpoint" if model.kind is FileKind.CHECKPOINT else "LoRA adapter"
    message = f"This is a {what}: it has parameters, but no operators"
    raise RefusedError(message, where=Where(model.source.path))


def row_of(path: Path, model: Model, *, types: bool) -> OpsRow:
    """What a model that was read needs; the error where it is damaged or has no operators."""
    try:
        _check_has_operators(model)
    except StudioError as error:
        return OpsRow(path, error=error, opened=isinstance(error, RefusedError))
    required = required_operators(model, types=types)
    facts = build_facts(path.name, model, required, knowledge().operators)
    return OpsRow(path, required, facts, tuple(notes_on_model(model, required, types=types)))


def _comments(rows: Sequence[OpsRow]) -> list[str]:
    """What the config is for: names of files, and no paths of this machine."""
    found = sorted(_named(row) for row in rows if row.required is not None)
    missing = sorted(row.source.name for row in rows if row.required is None)
    return [*dict.fromkeys(found), *(f"Not covered: {name}" for name in dict.fromkeys(missing))]


def _named(row: OpsRow) -> str:
    aside = "; ".join(COMMENTS[note.code] for note in row.notes if note.code in COMMENTS)
    return f"For {row.source.name} ({aside})" if aside else f"For {row.source.name}"
