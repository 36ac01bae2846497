"""Portals: an edge that is drawn as a short named stub at each of its two ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.model.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.links import grouped
from ortstudio.ui.canvas.visible import BoxIndex

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stubs:
    """One stub below each node with portals out of it, one above each node with portals into it.

    `rects` (float64[s, 4] left, top, width, height) are the pills; `lines` join them with their
    nodes. `ends` are the nodes at the other ends.
    """

    rects: Floats
    lines: Floats
    nodes: Ints
    outgoing: NDArray[np.bool_]
    texts: tuple[str, ...]
    ends: tuple[tuple[int, ...], ...]
    index: BoxIndex


def make_stubs(portals: Ints, names: Sequence[str], rects: Floats) -> Stubs:
    """From the ends and the value's name of each portal."""
    nodes: list[int] = []
    outgoing: list[bool] = []
    texts: list[str] = []
    ends: list[tuple[int, ...]] = []
    for near, far, out in ((0, 1, True), (1, 0, False)):
        numbers = grouped(portals[:, near], np.arange(len(portals)), len(rects))
        for node in np.flatnonzero(numbers.lengths).tolist():
            own = numbers.row(node).tolist()
            nodes.append(node)
            outgoing.append(out)
            texts.append(_text([names[i] for i in own], out))
            ends.append(tuple(portals[own, far].tolist()))
    at, below = np.array(nodes, np.int64), np.array(outgoing, bool)
    pills, lines = _place(rects[at], below)
    boxes = np.hstack([pills[:, :2], pills[:, :2] + pills[:, 2:]])
    index = BoxIndex.of(boxes, np.arange(len(at)))
    return Stubs(pills, lines, at, below, tuple(texts), tuple(ends), index)


def _text(names: list[str], outgoing: bool) -> str:
    distinct = ", ".join(dict.fromkeys(names))
    return f"{len(names)} × {distinct}" if outgoing and len(names) > 1 else distinct


def _place(rects: Floats, outgoing: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Pills below the left half of a node for what leaves it, above the right half for what enters.

    So the two of neighbouring layers never meet, and neither hides the edge in the middle.
    """
    left, top, width, height = rects.T
    middle = np.round(left + width / 2)
    reach = width / 2 + dim.STUB_REACH - dim.LABEL_OFFSET
    pill_left = np.where(outgoing, middle - dim.LABEL_OFFSET - reach, middle + dim.LABEL_OFFSET)
    border = np.where(outgoing, top + height, top)
    gap = np.where(outgoing, dim.STUB_LINE, -dim.STUB_LINE)
    pill_top = np.where(outgoing, border + gap, border + gap - dim.STUB_HEIGHT)
    pills = np.column_stack([pill_left, pill_top, reach, np.full(len(rects), dim.STUB_HEIGHT)])
    x = np.where(outgoing, middle - 2.5 * dim.LABEL_OFFSET, middle + 2.5 * dim.LABEL_OFFSET)
    return pills, np.column_stack([x, border, x, border + gap])
