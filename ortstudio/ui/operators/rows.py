"""What the tables of the page on operators say of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.operator_matrix import MatrixRow
from ortstudio.analysis.words import listed
from ortstudio.services.operator_config import types_words
from ortstudio.services.ops import Ops
from ortstudio.services.ops_flags import OpsFlags
from ortstudio.ui.tables import Column

MOST_COLUMNS = 8
"""More sources than this are counted, not shown one by one."""
LONGEST_TITLE = 28
_VERSION = (
    "The version that introduced this form of the operator, not the opset of a model:"
    " 11 for a Conv in a model of opset 17"
)


@dataclass(frozen=True, slots=True)
class FlagRow:
    """A flag that follows, one that is left out, or what speaks against the build."""

    kind: str
    flag: str
    why: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteRow:
    """Something to know of a source."""

    severity: str
    source: str
    text: str


def matrix_columns(found: Ops) -> list[Column[MatrixRow]]:
    """One row for each operator, a column for each source."""
    sources = [row.source for row in found.rows if row.required is not None]
    columns: list[Column[MatrixRow]] = [
        Column("Operator", lambda row: row.operator.op_type, mono=True),
        Column("Version", lambda row: row.operator.since_version, numeric=True, tip=_version),
        Column("Domain", lambda row: row.operator.domain or "ai.onnx", mono=True),
    ]
    if 1 < len(sources) <= MOST_COLUMNS:
        columns += [
            Column(_short(source.name), _marks(str(source)), tip=_types_of(str(source)))
            for source in sources
        ]
    elif len(sources) > MOST_COLUMNS:
        columns.append(
            Column(
                "Needed by",
                lambda row: len(row.by_model),
                lambda value: f"{value} of {len(sources)}",
                tip=lambda row: "\n".join(row.by_model),
            )
        )
    columns.append(Column("Types", _types, mono=True, tip=_types))
    return columns


def _version(_row: MatrixRow) -> str:
    return _VERSION


def _marks(source: str) -> Callable[[MatrixRow], object]:
    return lambda row: "✓" if source in row.by_model else None


def _types_of(source: str) -> Callable[[MatrixRow], str]:
    def text(row: MatrixRow) -> str:
        types = row.by_model.get(source)
        return types_words(types) if types else ""

    return text


def _types(row: MatrixRow) -> str:
    return types_words(row.types) if row.types else ""


def _short(name: str) -> str:
    if len(name) <= LONGEST_TITLE:
        return name
    half = LONGEST_TITLE // 2 - 1
    return f"{name[:half]}…{name[-half:]}"


def flag_columns() -> list[Column[FlagRow]]:
    """One row for each flag."""
    return [
        Column("", lambda row: row.kind),
        Column("Flag", lambda row: row.flag, mono=True),
        Column("Because of", lambda row: listed(row.models), tip=lambda row: "\n".join(row.models)),
        Column("Why", lambda row: row.why, tip=lambda row: row.why),
    ]


def flag_rows(found: OpsFlags) -> Iterator[FlagRow]:
    """What speaks against the build first."""
    for one in found.contradictions:
        yield FlagRow("against it", "", one.text, one.models)
    for flag in found.flags:
        yield FlagRow("use", flag.text, flag.reason, flag.models)
    for flag in found.left_out:
        yield FlagRow("leave out", flag.text, flag.reason, flag.models)


def note_columns() -> list[Column[NoteRow]]:
    """One row for each thing to know."""
    return [
        Column("Severity", lambda row: row.severity),
        Column("File", lambda row: row.source),
        Column("To know", lambda row: row.text, tip=lambda row: row.text),
    ]


def note_rows(found: Ops) -> Sequence[NoteRow]:
    """What could not be read first."""
    errors = [NoteRow("error", row.source.name, str(row.error)) for row in found.rows if row.error]
    notes = [
        NoteRow(note.severity, row.source.name, note.message)
        for row in found.rows
        for note in row.notes
    ]
    return errors + sorted(notes, key=lambda row: row.severity, reverse=True)
