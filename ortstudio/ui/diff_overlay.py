"""The kinds of change laid over a picture: what was kept is quiet, everything else stands out."""

from __future__ import annotations

import numpy as np

from ortstudio.analysis.pairing.rows import KINDS
from ortstudio.analysis.picture import Picture
from ortstudio.services.crossing import Crossing
from ortstudio.ui.canvas.overlay import Entry, Overlay
from ortstudio.ui.theme import Family, Theme

KEPT = KINDS.index("kept")


def _entry(kind: str) -> Entry:
    def look(theme: Theme) -> Family:
        return theme.diff[kind]

    return Entry(kind, look)


def diff_overlay(crossing: Crossing, side: int, graph: int, picture: Picture) -> Overlay | None:
    """What became of each node of one side, or what it came from; None where all were kept."""
    kinds = crossing.kinds(side, graph)
    classes = np.full(len(picture), -1, np.int64)
    first = picture.box_of(0)
    classes[first : first + len(kinds)] = np.where(kinds == KEPT, -1, kinds)
    used = sorted(set(classes.tolist()) - {-1})
    if not used:
        return None
    numbers = np.full(len(KINDS) + 1, -1, np.int64)
    numbers[used] = np.arange(len(used))
    title = ("What became of it", "Where it came from")[side]
    return Overlay(title, tuple(_entry(KINDS[kind]) for kind in used), numbers[classes])
