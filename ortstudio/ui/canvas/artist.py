"""Paints a scene as a camera sees it, with as much detail as there is room for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.batch import draw_points, draw_rects
from ortstudio.ui.canvas.camera import Box, Camera, Point, Size
from ortstudio.ui.canvas.edges import EdgeArt
from ortstudio.ui.canvas.legend import draw_legend
from ortstudio.ui.canvas.nodes import NodeArt
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.canvas.raster import SHORTEST, Raster, put_lines, put_rects
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import NO_BRUSH, NO_PEN, Styles, mixed, thin_pen
from ortstudio.ui.canvas.texts import Texts
from ortstudio.ui.theme import Theme

REACH = 24.0
"""How far what belongs to a node may stand out from it: stubs, marks, the sheet behind."""
SMALLEST_RING = 9.0
SMALLEST_DOT = 5.0
"""Pixels that the selection and a search hit take at least, however far away."""
_NONE = np.zeros(0, np.int64)
_SMOOTH = QPainter.RenderHint.Antialiasing


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What stands out: rows of nodes, and the route of a hovered edge."""

    selected: int | None = None
    hovered: int | None = None
    hovered_route: int | None = None
    found: Ints = field(default_factory=lambda: _NONE)


NO_MARKS = Marks()


class Level(Enum):
    """How much of each node is painted."""

    BOXES = 0
    COMPACT = 1
    FULL = 2


def _level(scale: float, crowd: int) -> Level:
    if scale < dim.COMPACT_SCALE or crowd > dim.TEXT_NODES:
        return Level.BOXES
    return Level.FULL if scale >= dim.FULL_SCALE else Level.COMPACT


class Artist:
    """Everything that painting one scene in one theme needs, kept from one frame to the next."""

    def __init__(
        self, scene: Scene, theme: Theme, overlay: Overlay | None = None, texts: Texts | None = None
    ) -> None:
        self.scene = scene
        self.theme = theme
        self.overlay = overlay
        self.texts = texts or Texts()
        self._styles = Styles.of(scene, theme, overlay)
        self._dots = np.array([style.dot for style in self._styles.looks], np.uint32)
        self._nodes = NodeArt(scene, self._styles, self.texts)
        self._edges = EdgeArt(scene, theme, self.texts)
        self._thin_edge = mixed(theme.edge, theme.canvas, 0.45).rgb()
        self._raster = Raster()

    def paint(
        self,
        painter: QPainter,
        camera: Camera,
        size: Size,
        marks: Marks = NO_MARKS,
        *,
        vector: bool = False,
        grid: bool = False,
    ) -> None:
        """Fill the view with what the camera sees.

        With `vector` nothing is left out and no image made for the sake of speed; with `grid` the
        ground shows dots.
        """
        painter.save()
        painter.fillRect(QRectF(0.0, 0.0, *size), self.theme.canvas)
        box, scale = camera.box(size).grown(REACH), camera.scale
        rows = self.scene.nodes.within(box)
        crowd = 0 if vector else len(rows)
        if crowd > dim.RASTER_NODES:
            self._crowd(painter, camera, size, rows, box)
        painter.translate(*camera.origin(size, painter.device().devicePixelRatioF()))
        painter.scale(scale, scale)
        if grid and scale >= dim.COMPACT_SCALE:
            self._grid(painter, box)
        level = _level(scale, crowd)
        if crowd <= dim.RASTER_NODES:
            self._draw_edges(painter, scale, box, level, vector)
        self._strong_edges(painter, scale, box, marks)
        if crowd <= dim.RASTER_NODES:
            self._draw_nodes(painter, scale, rows, level, crowd)
        self._rings(painter, scale, rows, marks)
        if self.overlay is not None and level is not Level.BOXES:
            self._nodes.corners(painter, rows, scale)
        painter.restore()
        if self.overlay is not None:
            painter.save()
            draw_legend(painter, size, self.overlay, self.theme, self.texts)
            painter.restore()

    def _crowd(self, painter: QPainter, camera: Camera, size: Size, rows: Ints, box: Box) -> None:
        """Edges and nodes as one image."""
        ratio = painter.device().devicePixelRatioF()
        at, scale = camera.origin(size, ratio), camera.scale * ratio
        origin = Point(at.x * ratio, at.y * ratio)
        routes = self.scene.routes
        found = routes.index.within(box, SHORTEST / scale)
        pixels = self._raster.begin(size, ratio, self.theme.canvas)
        put_lines(pixels, routes.pieces[found], scale, origin, self._thin_edge)
        colours = self._dots[self._styles.of_node[rows]]
        put_rects(pixels, self.scene.rects[rows], scale, origin, colours)
        self._raster.end(painter, ratio)

    def _grid(self, painter: QPainter, box: Box) -> None:
        x = np.arange(np.floor(box.left / dim.GRID), box.right / dim.GRID) * dim.GRID
        y = np.arange(np.floor(box.top / dim.GRID), box.bottom / dim.GRID) * dim.GRID
        painter.setRenderHint(_SMOOTH, False)
        painter.setPen(thin_pen(self.theme.canvas_grid, 2.0))
        draw_points(painter, np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]))

    def _draw_edges(
        self, painter: QPainter, scale: float, box: Box, level: Level, vector: bool
    ) -> None:
        found = self.scene.routes.index.within(box)
        painter.setRenderHint(_SMOOTH, True)
        if level is Level.BOXES or (len(found) > dim.SMOOTH_EDGES and not vector):
            self._edges.plain(painter, found, scale)
        else:
            self._edges.smooth(painter, found, scale, heads=level is Level.FULL)
        if level is not Level.BOXES:
            self._edges.stubs(painter, box, words=level is Level.FULL)
        if level is Level.FULL:
            self._edges.labels(painter, box)

    def _draw_nodes(
        self, painter: QPainter, scale: float, rows: Ints, level: Level, crowd: int
    ) -> None:
        painter.setRenderHint(_SMOOTH, scale >= dim.MARK_SCALE)
        if level is Level.FULL:
            self._nodes.full(painter, rows, scale)
        elif level is Level.COMPACT:
            self._nodes.compact(painter, rows, scale, rounded=crowd <= dim.ROUND_NODES)
        else:
            letters = scale >= dim.MARK_SCALE and crowd <= dim.TEXT_NODES
            self._nodes.boxes(painter, rows, scale, letters)

    def _strong_edges(self, painter: QPainter, scale: float, box: Box, marks: Marks) -> None:
        if marks.hovered_route is not None:
            self._edges.strong(painter, np.array([marks.hovered_route]), box, scale)
        for row in (marks.hovered, marks.selected):
            if row is not None:
                self._edges.strong(painter, self.scene.links.routes(row), box, scale)

    def _rings(self, painter: QPainter, scale: float, rows: Ints, marks: Marks) -> None:
        self._found(painter, scale, marks.found[np.isin(marks.found, rows)])
        painter.setBrush(NO_BRUSH)
        if marks.hovered is not None:
            self._ring(painter, scale, marks.hovered, self.theme.edge_strong, 1.5)
        if marks.selected is not None:
            halo = QColor(self.theme.selection)
            halo.setAlphaF(0.25)
            self._ring(painter, scale, marks.selected, halo, 9.0)
            self._ring(painter, scale, marks.selected, self.theme.selection, 3.0)

    def _found(self, painter: QPainter, scale: float, rows: Ints) -> None:
        """Search hits: a ring each, or where nodes are small or many a dot that is not."""
        if scale >= dim.MARK_SCALE and len(rows) <= dim.ROUND_NODES:
            painter.setBrush(NO_BRUSH)
            for row in rows.tolist():
                self._ring(painter, scale, row, self.theme.selection, 2.0)
            return
        rects = self.scene.rects[rows]
        grow = np.maximum(SMALLEST_DOT / scale - rects[:, 2:], 0.0)
        painter.setPen(NO_PEN)
        painter.setBrush(self.theme.selection)
        draw_rects(painter, np.hstack([rects[:, :2] - grow / 2, rects[:, 2:] + grow]))

    def _ring(
        self, painter: QPainter, scale: float, row: int, colour: QColor, width: float
    ) -> None:
        rect = QRectF(*self.scene.rects[row].tolist())
        space = 3.0 / min(scale, 1.0)
        missing = SMALLEST_RING / scale
        across = max(rect.width() + 2 * space, missing) - rect.width()
        along = max(rect.height() + 2 * space, missing) - rect.height()
        rect.adjust(-across / 2, -along / 2, across / 2, along / 2)
        radius = rect.height() / 2 if self.scene.is_port(row) else dim.CORNER + space
        painter.setRenderHint(_SMOOTH, True)
        painter.setPen(thin_pen(colour, width))
        painter.drawRoundedRect(rect, radius, radius)
