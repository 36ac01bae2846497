"""What holds of the rows of any two models."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from typing import cast

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.defaults import DefaultData, Defaults
from ortstudio.analysis.pairing.graphs import pair_nodes
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.model.model import Model
from ortstudio.services.contents import FileContents
from tests.builders.knowledge import RESOURCES


@functools.cache
def attribute_defaults() -> Defaults:
    """The defaults of all operators."""
    path = RESOURCES / "attribute_defaults.json"
    return Defaults(cast(DefaultData, json.loads(path.read_text(encoding="utf-8"))))


def paired(a: Model, b: Model) -> tuple[NodeRow, ...]:
    """The rows of all nodes, once it is certain that each node stands in one."""
    nodes, _ = pair_nodes(a, b, contents=FileContents((a, b)), defaults=attribute_defaults())
    check_partition(a, [ref for row in nodes for ref in row.a])
    check_partition(b, [ref for row in nodes for ref in row.b])
    return nodes


def check_partition(model: Model, refs: Sequence[NodeRef]) -> None:
    """Every node of the model is named exactly once."""
    every = [
        NodeRef(graph.path, index)
        for graph in model.graphs
        for index in graph.nodes.indices.tolist()
    ]
    assert Counter(refs) == Counter(every)


def kinds(rows: Sequence[NodeRow]) -> dict[str, int]:
    """How many rows there are of each kind that occurs."""
    return dict(Counter(row.kind for row in rows))
