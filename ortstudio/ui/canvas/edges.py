"""Paints edges, their labels and portal stubs. The painter is in scene coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ortstudio.format.arrays import Ints, distinct
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.batch import draw_lines, draw_rects
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.curves import arrow_heads, curve, flattened
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.labels import place_labels
from ortstudio.ui.canvas.routes import uncovered
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import NO_BRUSH, thin_pen
from ortstudio.ui.canvas.texts import Text, Texts
from ortstudio.ui.theme import Theme

Floats = NDArray[np.float64]

EDGE_WIDTH = 1.4
STRONG_WIDTH = 2.2
CURVE_PARTS = 6
"""Straight pieces that stand for a bent one where room for a label is sought."""
LABEL_TILE = 2400.0
"""Labels are placed for squares of the scene of this size, one after the other."""
LABEL_MARGIN = 320.0
"""How far around the view labels are placed, so that those in it do not depend on where it ends."""
_HINT = QPainter.RenderHint.Antialiasing


@dataclass(frozen=True, eq=False)
class EdgeArt:
    """Paints edges of one scene in one theme."""

    scene: Scene
    theme: Theme
    texts: Texts

    def plain(self, painter: QPainter, found: Ints, scale: float) -> None:
        """Straight lines."""
        painter.setRenderHint(_HINT, len(found) <= dim.SHARP_LINES and scale >= dim.MARK_SCALE / 2)
        painter.setPen(thin_pen(self.theme.edge, 1.0))
        draw_lines(painter, self.scene.routes.pieces[found])

    def smooth(self, painter: QPainter, found: Ints, scale: float, heads: bool) -> None:
        """Bent lines and, with `heads`, arrow heads."""
        width = max(EDGE_WIDTH, 1.0 / scale)
        self._curves(painter, self.scene.routes.pieces[found], self.theme.edge, width)
        if heads:
            self._heads(painter, found, self.theme.edge)

    def strong(self, painter: QPainter, routes: Ints, box: Box, scale: float) -> None:
        """The given edges once more, so that they stand out."""
        found = self._within(routes, box)
        of = self.scene.routes
        pieces, left = uncovered(of.segments[found], of.source[of.owner[found]])
        pieces = pieces[left]
        painter.setRenderHint(_HINT, True)
        if len(pieces) <= dim.SMOOTH_EDGES and scale >= dim.COMPACT_SCALE:
            width = max(STRONG_WIDTH, 1.5 / scale)
            self._curves(painter, pieces, self.theme.edge_strong, width)
        else:
            painter.setPen(thin_pen(self.theme.edge_strong, 1.5))
            draw_lines(painter, pieces)
        if scale >= dim.FULL_SCALE:
            self._heads(painter, found, self.theme.edge_strong)

    def stubs(self, painter: QPainter, box: Box, words: bool) -> None:
        """Portals: short lines with pills; with `words`, the value's name in them."""
        stubs = self.scene.stubs
        found = stubs.within(box)
        pills = stubs.pills(found)
        painter.setPen(thin_pen(self.theme.edge, 1.0))
        painter.setBrush(self.theme.canvas)
        draw_lines(painter, stubs.lines(found))
        if len(found) > dim.ROUND_NODES:
            draw_rects(painter, pills)
            return
        painter.setFont(self.texts.fonts[Role.SMALL])
        rects = [QRectF(*rect) for rect in pills.tolist()]
        for rect in rects:
            painter.drawRoundedRect(rect, dim.STUB_HEIGHT / 2, dim.STUB_HEIGHT / 2)
        painter.setPen(QPen(self.theme.text_muted))
        for number, rect in zip(found.tolist() if words else (), rects, strict=False):
            x, y, text = self.stub_text(number, rect)
            painter.drawStaticText(QPointF(x, y), text.static)

    def stub_text(self, stub: int, pill: QRectF) -> tuple[float, float, Text]:
        """The text of a portal in its pill, by its upper left corner."""
        room = pill.width() - 2 * dim.PILL_PAD + 0.5
        text = self.texts.get(Role.SMALL, self.scene.stubs.texts[stub], room)
        middle = pill.center()
        return middle.x() - text.width / 2, middle.y() - text.height / 2, text

    def labels(self, painter: QPainter, box: Box) -> None:
        """What edges carry, where there is room."""
        painter.setFont(self.texts.fonts[Role.EDGE])
        painter.setPen(QPen(self.theme.text_muted))
        for x, y, text in self.placed_labels(box):
            painter.drawStaticText(QPointF(x, y), text.static)

    def placed_labels(self, box: Box) -> Iterator[tuple[float, float, Text]]:
        """The labels for which there is room, by their upper left corners."""
        if not self.scene.edge_labels:
            return
        # A label may reach into the view from an edge that begins outside.
        region = box.grown(LABEL_MARGIN)
        for left in np.arange(region.left, region.right, LABEL_TILE).tolist():
            for top in np.arange(region.top, region.bottom, LABEL_TILE).tolist():
                right, bottom = left + LABEL_TILE, top + LABEL_TILE
                tile = Box(left, top, min(right, region.right), min(bottom, region.bottom))
                yield from self._labels_of(tile)

    def _labels_of(self, tile: Box) -> Iterator[tuple[float, float, Text]]:
        """Labels of the edges that begin in a part of the scene."""
        routes, stubs = self.scene.routes, self.scene.stubs
        around = tile.grown(LABEL_MARGIN)
        found = routes.index.within(around)
        spots = self.scene.label_spots
        carrying = np.sort(found[spots[found] >= 0])
        if not len(carrying):
            return
        words = [self.scene.edge_labels[route] for route in spots[carrying].tolist()]
        texts = [self.texts.get(Role.EDGE, word, np.inf) for word in words]
        obstacles = [
            self.scene.rects[self.scene.nodes.within(around)],
            stubs.pills(stubs.within(around)),
        ]
        places, free = place_labels(
            routes.segments[carrying],
            np.array([text.width for text in texts]),
            np.vstack(obstacles),
            flattened(routes.pieces[found], CURVE_PARTS),
        )
        begin = routes.segments[carrying, :2]
        inside = (begin >= (tile.left, tile.top)) & (begin < (tile.right, tile.bottom))
        free &= inside.all(axis=1)
        for i in np.flatnonzero(free).tolist():
            x, y, _, height = places[i].tolist()
            yield x, y + (height - texts[i].height) / 2, texts[i]

    def _curves(self, painter: QPainter, pieces: Floats, colour: QColor, width: float) -> None:
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.setBrush(NO_BRUSH)
        upright = pieces[:, 0] == pieces[:, 2]
        draw_lines(painter, pieces[upright])
        # One by one: a single path of all of them takes Qt several times as long.
        for piece in pieces[~upright].tolist():
            painter.drawPath(curve(*piece))

    def _heads(self, painter: QPainter, found: Ints, colour: QColor) -> None:
        tips = self.scene.routes.segments[self.scene.routes.ends_in(found), 2:]
        painter.fillPath(arrow_heads(distinct(tips, axis=0)), colour)

    def _within(self, routes: Ints, box: Box) -> Ints:
        """Segments of some edges that touch the box, ascending."""
        ptr, segments = self.scene.routes.ptr, self.scene.routes.segments
        lengths = np.diff(ptr)[routes]
        before = np.cumsum(lengths) - lengths
        ids = np.arange(int(lengths.sum())) + np.repeat(ptr[routes] - before, lengths)
        x0, y0, x1, y1 = segments[ids].T
        seen = (np.maximum(x0, x1) >= box.left) & (np.minimum(x0, x1) <= box.right)
        seen &= (np.maximum(y0, y1) >= box.top) & (np.minimum(y0, y1) <= box.bottom)
        return distinct(ids[seen])
