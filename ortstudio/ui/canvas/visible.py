"""Finds what lies in a part of the scene, without looking at the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas.camera import Box

Floats = NDArray[np.float64]
_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class BoxIndex:
    """Boxes sorted by their top; those taller than `tallest` stand apart and are tested as a whole.

    `ids` are the numbers that the caller knows the boxes by; `left` … `bottom` run along them.
    """

    ids: Ints
    left: Floats
    top: Floats
    right: Floats
    bottom: Floats
    tallest: float
    tall: BoxIndex | None

    @staticmethod
    def of(boxes: Floats, ids: Ints, split: float = np.inf) -> BoxIndex:
        """From float64[n, 4] left, top, right, bottom. Boxes taller than `split` are set apart."""
        height = boxes[:, 3] - boxes[:, 1]
        apart = height > split
        tall = BoxIndex.of(boxes[apart], ids[apart]) if apart.any() else None
        order = np.argsort(boxes[:, 1], kind="stable")
        order = order[~apart[order]]
        left, top, right, bottom = np.ascontiguousarray(boxes[order].T)
        tallest = float(height[order].max(initial=0.0))
        return BoxIndex(ids[order], left, top, right, bottom, tallest, tall)

    def all_ids(self) -> Ints:
        """Every id, ascending."""
        return np.sort(self.ids if self.tall is None else np.append(self.ids, self.tall.ids))

    def within(self, box: Box, smallest: float = 0.0) -> Ints:
        """Ids of the boxes that touch `box`, in no order; not those smaller than `smallest`."""
        a = int(np.searchsorted(self.top, box.top - self.tallest, "left"))
        b = int(np.searchsorted(self.top, box.bottom, "right"))
        found = _NOTHING
        if a < b:
            keep = self.right[a:b] >= box.left
            keep &= self.left[a:b] <= box.right
            keep &= self.bottom[a:b] >= box.top
            if smallest > 0.0:
                across = self.right[a:b] - self.left[a:b]
                keep &= np.maximum(across, self.bottom[a:b] - self.top[a:b]) >= smallest
            found = self.ids[a:b][keep]
        if self.tall is not None:
            found = np.concatenate([found, self.tall.within(box, smallest)])
        return found
