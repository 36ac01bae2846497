"""What can be selected, linked to and described in a model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class RefKind(Enum):
    """What a `Ref` names."""

    MODEL = "model"
    OPSETS = "opsets"
    METADATA = "metadata"
    GRAPH = "graph"
    NODE = "node"
    VALUE = "value"
    INITIALIZER = "initializer"
    SPARSE_INITIALIZER = "sparse initializer"
    RESOLVER = "resolver entry"
    OPTIMIZATION = "saved optimization"


@dataclass(frozen=True, slots=True)
class Ref:
    """One thing in a model.

    `graph` is its place in `Model.all_graphs`, `row` its place in the column that holds
    its kind: a node's row, a value's id, an initializer's row, a record's place in the model.
    """

    kind: RefKind
    graph: int = 0
    row: int = 0
