"""Which of several models needs which operator, with which types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_operators import RequiredOperators, merged, name_of
from ortstudio.analysis.required_types import Types


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One operator: the types that all models together ask of it, and those of each that needs it.

    Types are None where every type is asked for, or none is told apart.
    """

    operator: Operator
    types: Types | None
    by_model: Mapping[str, Types | None]


def matrix(parts: Mapping[str, RequiredOperators]) -> tuple[MatrixRow, ...]:
    """A row for each operator that any of the parts needs, in the order of a config."""
    users: dict[Operator, dict[str, Types | None]] = {}
    for model, part in parts.items():
        for operator in part.operators:
            users.setdefault(operator, {})[model] = part.types.get(name_of(operator))
    together = merged(parts.values())
    return tuple(
        MatrixRow(operator, together.types.get(name_of(operator)), users[operator])
        for operator in together.operators
    )
