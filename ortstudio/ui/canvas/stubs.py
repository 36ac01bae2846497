"""Portals: an edge that is drawn as a short named stub at each of its two ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, distinct
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.links import grouped
from ortstudio.ui.canvas.measure import CharWidths
from ortstudio.ui.canvas.routes import Routes
from ortstudio.ui.canvas.visible import BoxIndex

Floats = NDArray[np.float64]


class Stubs:
    """One stub below each node with portals out of it, one above each node with portals into it.

    A stub is a pill with the value's name, on a short line. Out of a node it stands below its left
    half, into a node above its right half: so those of neighbouring layers never meet, and none
    hides the edge in the middle. `ends` are the nodes at the other ends.
    """

    def __init__(
        self,
        portals: Ints,
        names: Sequence[str],
        rects: Floats,
        nodes: BoxIndex,
        routes: Routes,
        widths: CharWidths,
    ) -> None:
        """From the ends and the value's name of each portal, and what is around them."""
        self._rects, self._nodes, self._routes = rects, nodes, routes
        own: list[int] = []
        texts: list[str] = []
        ends: list[tuple[int, ...]] = []
        for near, far in ((0, 1), (1, 0)):
            numbers = grouped(portals[:, near], np.arange(len(portals)), len(rects))
            for node in np.flatnonzero(numbers.lengths).tolist():
                mine = numbers.row(node).tolist()
                own.append(node)
                texts.append(_text([names[i] for i in mine], outgoing=near == 0))
                ends.append(tuple(portals[mine, far].tolist()))
        self.texts, self.ends = tuple(texts), tuple(ends)
        self._own = np.array(own, np.int64)
        outgoing = np.arange(len(own)) < len(distinct(portals[:, 0]))
        self._side = np.where(outgoing, -1.0, 1.0)
        left, top, width, height = rects[self._own].T
        self._start = np.round(left + width / 2) + self._side * dim.LABEL_OFFSET
        self._border = np.where(outgoing, top + height, top)
        self._wanted = np.minimum(widths.of(texts) + 2 * dim.PILL_PAD + 1.0, dim.MAX_STUB)
        self._least = np.maximum(width / 2 - dim.LABEL_OFFSET, dim.MIN_STUB)
        self._reach = np.full(len(own), np.nan)
        every = np.arange(len(own))
        self._index = BoxIndex.of(_boxes(self._pills(every, self._wanted)), every)

    def __len__(self) -> int:
        return len(self.texts)

    def within(self, box: Box) -> Ints:
        """The stubs in a part of the scene, or nearly."""
        return self._index.within(box)

    def at(self, x: float, y: float) -> int | None:
        """The stub at a place."""
        found = self._index.within(Box(x, y, x, y))
        left, top, width, height = self.pills(found).T
        hit = (x >= left) & (x <= left + width) & (y >= top) & (y <= top + height)
        return int(found[hit][0]) if hit.any() else None

    def pills(self, stubs: Ints) -> Floats:
        """Rectangles of some stubs: float64[k, 4] left, top, width, height.

        How wide one may be is found out when it is first asked for: 40 µs.
        """
        for stub in stubs[np.isnan(self._reach[stubs])].tolist():
            reach = max(self._free(stub), float(self._least[stub]))
            self._reach[stub] = min(reach, float(self._wanted[stub]))
        return self._pills(stubs, self._reach[stubs])

    def lines(self, stubs: Ints) -> Floats:
        """What joins some stubs with their nodes: float64[k, 4] x, y, x, y."""
        side, border = self._side[stubs], self._border[stubs]
        x = self._start[stubs] + side * 1.5 * dim.LABEL_OFFSET
        return np.column_stack([x, border, x, border - side * dim.STUB_LINE])

    def _pills(self, stubs: Ints, reach: Floats) -> Floats:
        start, border, outgoing = self._start[stubs], self._border[stubs], self._side[stubs] < 0
        left = np.where(outgoing, start - reach, start)
        above = border - dim.STUB_LINE - dim.STUB_HEIGHT
        top = np.where(outgoing, border + dim.STUB_LINE, above)
        return np.column_stack([left, top, reach, np.full(len(left), dim.STUB_HEIGHT)])

    def _free(self, stub: int) -> float:
        """How far a pill may reach to its side before it meets a node or an upright line."""
        node, side = int(self._own[stub]), float(self._side[stub])
        start, border = float(self._start[stub]), float(self._border[stub])
        # As high above the border as below: nodes beside this one may have stubs of their own.
        high = dim.STUB_HEIGHT + dim.STUB_LINE
        far = start + side * (float(self._wanted[stub]) + dim.LABEL_OFFSET)
        box = Box(min(start, far), border - high, max(start, far), border + high)
        found = self._nodes.within(box)
        rects = self._rects[found[found != node]]
        lines = self._routes.pieces[self._routes.index.within(box)]
        upright = lines[lines[:, 0] == lines[:, 2], 0]
        walls = np.concatenate([rects[:, 0], rects[:, 0] + rects[:, 2], upright])
        ahead = (walls - start) * side
        own_half = self._rects[node, 2] / 2 - dim.LABEL_OFFSET
        return float(ahead[ahead > own_half].min(initial=np.inf)) - dim.LABEL_OFFSET


def _text(names: list[str], outgoing: bool) -> str:
    distinct = ", ".join(dict.fromkeys(names))
    return f"{len(names)} × {distinct}" if outgoing and len(names) > 1 else distinct


def _boxes(rects: Floats) -> Floats:
    return np.hstack([rects[:, :2], rects[:, :2] + rects[:, 2:]])
