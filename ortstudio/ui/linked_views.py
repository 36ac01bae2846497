"""Both pictures move together: what one shows in its middle the other shows beside it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from ortstudio.ui.canvas.camera import Camera
from ortstudio.ui.graph_pane import GraphPane
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.services.crossing import Crossing

Pairs = NDArray[np.int64]
"""Boxes of the side that leads, and for each the box of the side that follows: int64[n, 2]."""


class LinkedViews(QObject):
    """Lets the pane that the user does not hold follow the one that he does."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._panes: list[GraphPane] = []
        self._crossing: Crossing | None = None
        self._pairs: dict[tuple[int, int, int], Pairs] = {}
        self._following = False
        self.is_on = True
        workspace.changed.connect(lambda: self.link([], None))

    def link(self, panes: list[GraphPane], crossing: Crossing | None) -> None:
        """Link these two, by what a comparison found."""
        self._crossing = crossing
        self._pairs.clear()
        if panes == self._panes:
            return
        self._panes = list(panes)
        for side, pane in enumerate(panes):
            pane.canvas.moved.connect(partial(self._moved, side))

    def _moved(self, side: int) -> None:
        if not self.is_on or self._following or len(self._panes) != 2:
            return
        leader, follower = self._panes[side], self._panes[1 - side]
        if not (leader.canvas.underMouse() or leader.canvas.hasFocus()):
            return
        self._following = True
        try:
            self._follow(side, leader, follower)
        finally:
            self._following = False

    def _follow(self, side: int, leader: GraphPane, follower: GraphPane) -> None:
        if leader.canvas.shows_whole:
            follower.canvas.fit()
            return
        pairs = self._boxes(side)
        lead, follow = leader.pictured, follower.pictured
        if lead is None or follow is None or not len(pairs):
            return
        camera = leader.canvas.camera
        here = _middles(lead.scene.rects)[pairs[:, 0]]
        nearest = int(np.argmin(np.hypot(here[:, 0] - camera.x, here[:, 1] - camera.y)))
        there = _middles(follow.scene.rects[pairs[nearest, 1]][np.newaxis])[0]
        x = float(there[0] + camera.x - here[nearest, 0])
        y = float(there[1] + camera.y - here[nearest, 1])
        follower.canvas.show_at(Camera(x, y, camera.scale))

    def _boxes(self, side: int) -> Pairs:
        """The boxes that stand for each other in the graphs that are shown."""
        key = side, self._workspace.graph(0), self._workspace.graph(1)
        if key not in self._pairs:
            self._pairs[key] = self._paired(side)
        return self._pairs[key]

    def _paired(self, side: int) -> Pairs:
        lead, follow = self._panes[side].pictured, self._panes[1 - side].pictured
        if self._crossing is None or lead is None or follow is None:
            return np.zeros((0, 2), np.int64)
        graph = self._workspace.graph(1 - side)
        partners = self._crossing.partners(side, self._workspace.graph(side))
        rows = [
            (lead.picture.box_of(row), follow.picture.box_of(ref.row))
            for row, ref in partners.items()
            if ref.graph == graph
        ]
        return np.array(rows, np.int64).reshape(-1, 2)


def _middles(rects: NDArray[np.float64]) -> NDArray[np.float64]:
    middles: NDArray[np.float64] = rects[:, :2] + rects[:, 2:] / 2
    return middles
