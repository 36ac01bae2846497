"""A saved optimization laid over the picture: its target, and the nodes around that go with it."""

from __future__ import annotations

import numpy as np

from ortstudio.analysis.picture import Picture
from ortstudio.analysis.runtime_optimizations import SavedOptimization
from ortstudio.model.refs import RefKind
from ortstudio.services.document import Document
from ortstudio.ui.canvas.overlay import Entry, Overlay

_SIDES = ("input", "target", "output")
_ENTRIES = (
    Entry("before the target", lambda theme: theme.diff["folded"]),
    Entry("target", lambda theme: theme.diff["fused"]),
    Entry("after the target", lambda theme: theme.diff["changed"]),
)


def optimization_overlay(document: Document, saved: SavedOptimization, picture: Picture) -> Overlay:
    """Marks the nodes that the record names; every other node stays in the background."""
    classes = np.full(len(picture), -1, np.int64)
    for role in saved.roles:
        found = None if role.node is None else document.find_node(role.node)
        if found is not None and found.kind is RefKind.NODE:
            classes[picture.box_of(found.row)] = _SIDES.index(role.side)
    used = sorted(set(classes.tolist()) - {-1})
    renumbered = np.full(len(_ENTRIES) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    return Overlay(saved.text, tuple(_ENTRIES[k] for k in used), renumbered[classes])
