"""Comparisons by layers that share one child."""

from __future__ import annotations

from pathlib import Path

from ortstudio.jobs.runner import Child
from ortstudio.services.compare import CompareSettings
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_sides import opened
from ortstudio.services.layers import compare_layers
from ortstudio.services.layers_found import Layers, nodes_json


class Lent(Child):
    """Hands requests on to a child that others use too, and leaves that alone at its end."""

    def __init__(self, lender: Child) -> None:
        super().__init__([])
        self._lender = lender

    def ask(self, *request: object, **how: object):  # type: ignore[no-untyped-def]  # noqa: ANN201
        return self._lender.ask(*request, **how)  # type: ignore[arg-type]

    @property
    def usable(self) -> bool:
        return self._lender.usable

    def close(self) -> None:
        """Nothing: it is somebody else's."""


def looked(child: Child, a: Path, b: Path, settings: CompareSettings | None = None) -> Compared:
    """Compare two files by layers."""
    return compare_layers(
        opened(a), opened(b), settings or CompareSettings(), make_child=lambda: Lent(child)
    )


def layers_of(found: Compared) -> Layers:
    """The layers, which were asked for."""
    assert found.layers is not None
    return found.layers


def named(found: Compared) -> tuple[list[str], list[str]]:
    """The names of the nodes of A and of B with which the difference begins."""
    first = layers_of(found).first
    if first is None:
        return [], []
    sides = (first.row.a, found.a.model.main), (first.row.b, found.b.model.main)
    a, b = ([str(node["name"]) for node in nodes_json(refs, graph)] for refs, graph in sides)
    return a, b
