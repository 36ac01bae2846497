"""Times laid over a picture: the larger a node's share of a run, the warmer its colour."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtGui import QColor

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.ui.canvas.overlay import Entry, Overlay
from ortstudio.ui.theme import Family, Theme

STEPS = (0.2, 0.05, 0.01, 0.0)
"""The least share of each class, the warmest first."""
_TEXTS = ("20 % and more", "5 % and more", "1 % and more", "less")
_MARKS = "4321"
_LIGHT = (
    ("#d96a34", "#8f3d12"),
    ("#f09a4a", "#a8621c"),
    ("#fbd08c", "#9c7a3c"),
    ("#fdf0d8", "#928568"),
)
_DARK = (
    ("#b52d55", "#f0809c"),
    ("#805c10", "#c08a3c"),
    ("#4f3c1e", "#9a7a42"),
    ("#2e2a24", "#7d7465"),
)


def look(theme: Theme, step: int) -> Family:
    """How one class looks; 0 is the warmest."""
    fill, border = (_DARK if theme.dark else _LIGHT)[step]
    return Family(QColor(fill), QColor(border), theme.text, _MARKS[step])


def _entry(step: int) -> Entry:
    return Entry(_TEXTS[step], lambda theme: look(theme, step))


def heat_overlay(shares: Mapping[NodeRef, float], picture: Picture) -> Overlay | None:
    """The share of a run that each node takes; None where none of these nodes ran."""
    path, first = picture.graph.path, picture.box_of(0)
    classes = np.full(len(picture), -1, np.int64)
    for row, index in enumerate(picture.graph.nodes.indices.tolist()):
        share = shares.get(NodeRef(path, index))
        if share is not None:
            classes[first + row] = next(n for n, least in enumerate(STEPS) if share >= least)
    used = sorted(set(classes.tolist()) - {-1})
    if not used:
        return None
    numbers = np.full(len(STEPS) + 1, -1, np.int64)
    numbers[used] = np.arange(len(used))
    return Overlay("Share of a run", tuple(_entry(step) for step in used), numbers[classes])
