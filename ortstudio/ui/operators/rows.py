"""What the table of operators says of its rows."""

from __future__ import annotations

from collections.abc import Callable

from ortstudio.analysis.operator_matrix import MatrixRow
from ortstudio.analysis.required_operators import name_of
from ortstudio.analysis.required_types import Types
from ortstudio.services.operator_config import types_words
from ortstudio.services.ops_open import OpenNeeds
from ortstudio.ui.tables import Column

MOST_COLUMNS = 8
"""More sources than this are counted, not shown one by one."""
LONGEST_TITLE = 28
_VERSION = (
    "The version that introduced this form of the operator, not the opset of a model:"
    " 11 for a Conv in a model of opset 17"
)


def matrix_columns(found: OpenNeeds) -> list[Column[MatrixRow]]:
    """One row for each operator, a column for each source; types are those of the config."""
    sources = [row.source for row in found.everything.rows if row.required is not None]
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
    listed = found.shipped.required.types
    if listed:

        def types(row: MatrixRow) -> str:
            return _words(listed.get(name_of(row.operator)))

        columns.append(Column("Types", types, mono=True, tip=types))
    return columns


def _version(_row: MatrixRow) -> str:
    return _VERSION


def _marks(source: str) -> Callable[[MatrixRow], object]:
    return lambda row: "✓" if source in row.by_model else None


def _types_of(source: str) -> Callable[[MatrixRow], str]:
    return lambda row: _words(row.by_model.get(source))


def _words(types: Types | None) -> str:
    return types_words(types) if types else ""


def _short(name: str) -> str:
    if len(name) <= LONGEST_TITLE:
        return name
    half = LONGEST_TITLE // 2 - 1
    return f"{name[:half]}…{name[-half:]}"
