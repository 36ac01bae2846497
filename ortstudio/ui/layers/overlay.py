"""A comparison by layers laid over a picture: where the difference begins, and where it goes on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.services.layers_found import Layers
from ortstudio.ui.canvas.overlay import Entry, Overlay
from ortstudio.ui.theme import Family, Theme

FIRST, DIFFERS, AGREES = range(3)


def _look(kind: str) -> Callable[[Theme], Family]:
    return lambda theme: theme.diff[kind]


_ENTRIES = (
    Entry("the difference begins here", _look("removed")),
    Entry("differs", _look("changed")),
    Entry("agrees", _look("added")),
)


def layers_overlay(layers: Layers, side: int, picture: Picture) -> Overlay | None:
    """What became of the values that nodes make; None where none was compared in this graph."""
    kinds: dict[NodeRef, int] = {}
    for value in layers.values:
        ref = value.node_b if side else value.node_a
        kind = DIFFERS if value.differs else AGREES
        kinds[ref] = min(kind, kinds.get(ref, kind))
    if layers.first is not None:
        row = layers.first.row
        kinds.update(dict.fromkeys(row.b if side else row.a, FIRST))
    path, first = picture.graph.path, picture.box_of(0)
    classes = np.full(len(picture), -1, np.int64)
    for row_number, index in enumerate(picture.graph.nodes.indices.tolist()):
        classes[first + row_number] = kinds.get(NodeRef(path, index), -1)
    used = sorted(set(classes.tolist()) - {-1})
    if not used:
        return None
    numbers = np.full(len(_ENTRIES) + 1, -1, np.int64)
    numbers[used] = np.arange(len(used))
    return Overlay("Values", tuple(_ENTRIES[kind] for kind in used), numbers[classes])
