"""What a comparison of two models says: rows in which every node of either side stands once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ortstudio.analysis.nodes import NodeRef

RowKind = Literal["kept", "changed", "fused", "split", "added", "removed", "folded", "inlined"]
KINDS: tuple[RowKind, ...] = get_args(RowKind)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: `what` names it (`attribute pads`, `input 1`), before and after in words."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class NodeRow:
    """Nodes of A and the nodes of B that came of them. One side may be empty.

    `reason` says in words why they stand together. `rewrite` is the stable name of a rewrite that
    is known, empty where none is: then the row says what is seen and guesses nothing.
    `portability` says what the rewrite does to it, empty for nothing.
    """

    kind: RowKind
    a: tuple[NodeRef, ...]
    b: tuple[NodeRef, ...]
    reason: str
    changes: tuple[Change, ...] = ()
    rewrite: str = ""
    portability: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """A value or an initializer: its graph's path and its name."""

    graph: str
    name: str


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A value or an initializer of A and what it is in B; either may be None."""

    kind: RowKind
    a: Named | None
    b: Named | None
    reason: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A fact about the whole model on both sides, such as the graph's name or an imported opset."""

    kind: RowKind
    name: str
    a: str
    b: str
    reason: str


@dataclass(frozen=True, slots=True)
class Diff:
    """Everything that a comparison found, the rows in the order of the models."""

    nodes: tuple[NodeRow, ...]
    values: tuple[NamedRow, ...]
    initializers: tuple[NamedRow, ...]
    model: tuple[ModelRow, ...]

    def summary(self) -> dict[str, Mapping[str, int]]:
        """How many rows of each kind there are, for nodes, values, initializers and the model."""
        return {
            "nodes": counts(row.kind for row in self.nodes),
            "values": counts(row.kind for row in self.values),
            "initializers": counts(row.kind for row in self.initializers),
            "model": counts(row.kind for row in self.model),
        }


def counts(kinds: Iterable[RowKind]) -> dict[str, int]:
    """A count for every kind, in their order."""
    found = Counter(kinds)
    return {kind: found[kind] for kind in KINDS}
