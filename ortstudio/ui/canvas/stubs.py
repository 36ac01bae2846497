"""Portals: an edge that is drawn as a short named stub at each of its two ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.model.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.links import grouped
from ortstudio.ui.canvas.measure import CharWidths
from ortstudio.ui.canvas.routes import Routes
from ortstudio.ui.canvas.visible import BoxIndex

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a stub must leave room for, and how wide its text is."""

    rects: Floats
    nodes: BoxIndex
    routes: Routes
    widths: CharWidths


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


def make_stubs(portals: Ints, names: Sequence[str], around: Surroundings) -> Stubs:
    """From the ends and the value's name of each portal."""
    nodes: list[int] = []
    outgoing: list[bool] = []
    texts: list[str] = []
    ends: list[tuple[int, ...]] = []
    for near, far, out in ((0, 1, True), (1, 0, False)):
        numbers = grouped(portals[:, near], np.arange(len(portals)), len(around.rects))
        for node in np.flatnonzero(numbers.lengths).tolist():
            own = numbers.row(node).tolist()
            nodes.append(node)
            outgoing.append(out)
            texts.append(_text([names[i] for i in own], out))
            ends.append(tuple(portals[own, far].tolist()))
    at, below = np.array(nodes, np.int64), np.array(outgoing, bool)
    pills, lines = _place(at, below, around, texts)
    boxes = np.hstack([pills[:, :2], pills[:, :2] + pills[:, 2:]])
    index = BoxIndex.of(boxes, np.arange(len(at)))
    return Stubs(pills, lines, at, below, tuple(texts), tuple(ends), index)


def _text(names: list[str], outgoing: bool) -> str:
    distinct = ", ".join(dict.fromkeys(names))
    return f"{len(names)} × {distinct}" if outgoing and len(names) > 1 else distinct


def _place(
    nodes: Ints, outgoing: NDArray[np.bool_], around: Surroundings, texts: Sequence[str]
) -> tuple[Floats, Floats]:
    """Pills below the left half of a node for what leaves it, above the right half for what enters.

    So the two of neighbouring layers never meet, and neither hides the edge in the middle.
    """
    left, top, width, height = around.rects[nodes].T
    side = np.where(outgoing, -1.0, 1.0)
    start = np.round(left + width / 2) + side * dim.LABEL_OFFSET
    border = np.where(outgoing, top + height, top)
    near = border - side * dim.STUB_LINE
    pill_top = np.where(outgoing, near, near - dim.STUB_HEIGHT)
    wanted = np.minimum(around.widths.of(texts) + 2 * dim.PILL_PAD + 1.0, dim.MAX_STUB)
    columns = (nodes.tolist(), start.tolist(), side.tolist(), wanted.tolist(), border.tolist())
    free = [_free(*one, around) for one in zip(*columns, strict=True)]
    least = np.maximum(width / 2 - dim.LABEL_OFFSET, dim.MIN_STUB)
    reach = np.minimum(np.maximum(free, least), wanted)
    pill_left = np.where(outgoing, start - reach, start)
    pills = np.column_stack([pill_left, pill_top, reach, np.full(len(nodes), dim.STUB_HEIGHT)])
    x = start + side * 1.5 * dim.LABEL_OFFSET
    return pills, np.column_stack([x, border, x, near])


def _free(
    node: int, start: float, side: float, wanted: float, border: float, around: Surroundings
) -> float:
    """How far a pill may reach from `start` to its side before it meets a node or upright line."""
    # As high above the border as below: nodes beside this one may have stubs of their own.
    high = dim.STUB_HEIGHT + dim.STUB_LINE
    left, right = sorted((start, start + side * (wanted + dim.LABEL_OFFSET)))
    box = Box(left, border - high, right, border + high)
    found = around.nodes.within(box)
    rects = around.rects[found[found != node]]
    lines = around.routes.pieces[around.routes.index.within(box)]
    upright = lines[lines[:, 0] == lines[:, 2], 0]
    ahead = (np.concatenate([rects[:, 0], rects[:, 0] + rects[:, 2], upright]) - start) * side
    own_half = around.rects[node, 2] / 2 - dim.LABEL_OFFSET
    return float(ahead[ahead > own_half].min(initial=np.inf)) - dim.LABEL_OFFSET
