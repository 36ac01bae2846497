"""Compares two models: all that the other modules find, put together."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.pairing.contents import Contents
from ortstudio.analysis.pairing.defaults import Defaults
from ortstudio.analysis.pairing.graphs import pair_nodes
from ortstudio.analysis.pairing.initializers import initializer_rows
from ortstudio.analysis.pairing.model_level import model_rows
from ortstudio.analysis.pairing.rows import Diff, NodeRow
from ortstudio.model.model import Model


def compare(a: Model, b: Model, *, contents: Contents, defaults: Defaults) -> Diff:
    """Everything that two models differ in. Reads all constants."""

    def rows(one: Model, other: Model) -> Sequence[NodeRow]:
        return pair_nodes(one, other, contents=contents, defaults=defaults)[0]

    nodes, values = pair_nodes(a, b, contents=contents, defaults=defaults)
    initializers = initializer_rows(a, b, nodes, contents)
    return Diff(nodes, values, initializers, model_rows(a, b, rows))
