"""A widget that shows a scene through a camera: painting, zooming, moving. It knows no input."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from ortstudio.format.arrays import Ints, distinct
from ortstudio.ui import theme
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.artist import Artist, Marks
from ortstudio.ui.canvas.camera import Box, Camera, Point, Size
from ortstudio.ui.canvas.legend import legend_place
from ortstudio.ui.canvas.motion import Glide
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.texts import Texts

ZOOM_STEP = 1.25
"""Factor of one step by key or button."""
FARTHEST = 0.8
"""The smallest scale, as a share of the one that shows the whole drawing."""
KEPT_IN_VIEW = 64.0
"""Pixels of the drawing that moving it about always leaves in view."""
REVEAL_MARGIN = 24.0
GRASP = 4.0
"""Pixels around an edge that count as on it."""
_REPAINTS = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)
_MEASURES = (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange)


class Stay(Enum):
    """What the view keeps showing while its size changes."""

    WHOLE = 0
    BEGINNING = 1
    MIDDLE = 2


class View(QWidget):
    """Shows a scene. Everything that moves the camera goes through here."""

    painted_whole = Signal()
    """Once for each scene, after its first complete painting."""
    moved = Signal()
    """The camera looks elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.scene: Scene | None = None
        self.camera = Camera()
        self._marks = Marks()
        self._overlay: Overlay | None = None
        self._artist: Artist | None = None
        self._texts = Texts()
        self._stay = Stay.WHOLE
        self._unseen = False
        self._glide = Glide(self, self.look)

    def set_scene(self, scene: Scene | None) -> None:
        """Show another scene, all of it; None for an empty ground. Marks and overlay go."""
        self._glide.stop()
        self.scene, self._overlay, self._marks = scene, None, Marks()
        self._unseen = scene is not None
        self._renew()
        self.fit()

    def set_overlay(self, overlay: Overlay | None) -> None:
        """Show nodes by classes instead of families; None for families again."""
        if overlay is not None and (self.scene is None or len(overlay.classes) != len(self.scene)):
            raise ValueError("an overlay has a class for each node of the scene")
        if overlay is not self._overlay:
            self._overlay = overlay
            self._renew()
            self._keep()

    def set_marked(self, rows: Ints) -> None:
        """Mark search hits (int64 rows), all of them."""
        self._mark(replace(self._marks, found=distinct(rows)))

    @property
    def marked(self) -> Ints:
        """The rows marked as hits, ascending."""
        return self._marks.found

    @property
    def extent(self) -> Size:
        """The view's size in logical pixels."""
        return Size(max(float(self.width()), 1.0), max(float(self.height()), 1.0))

    def look(self, camera: Camera) -> None:
        """Look through another camera at once."""
        if camera != self.camera:
            self.camera = camera
            self.moved.emit()
            self.update()

    def fit(self) -> None:
        """Show the whole drawing, at actual size at most, and go on doing so on resizing."""
        if self.scene is not None:
            self._glide.stop()
            self.look(self._whole())
        self._stay = Stay.WHOLE

    def begin(self) -> None:
        """Show the whole drawing where its labels can be read then, else its beginning."""
        if self.scene is not None:
            self._glide.stop()
            whole = self._whole()
            is_readable = whole.scale >= dim.COMPACT_SCALE
            self.look(whole if is_readable else self._beginning(self.scene))
        self._stay = Stay.BEGINNING

    def actual_size(self) -> None:
        """One scene unit to a pixel, around the middle of the view."""
        self.zoom_by(1.0 / self.camera.scale)

    def zoom_in(self) -> None:
        """One step closer."""
        self.zoom_by(ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step away."""
        self.zoom_by(1.0 / ZOOM_STEP)

    def zoom_by(self, factor: float, around: Point | None = None) -> None:
        """Zoom so that the scene stays where it is at a view point, the middle by default."""
        if self.scene is None:
            return
        self._glide.stop()
        size = self.extent
        factor = max(factor, self._whole().scale * FARTHEST / self.camera.scale)
        around = around or Point(size.width / 2, size.height / 2)
        self._stay = Stay.MIDDLE
        self.look(self.camera.zoomed(factor, around, size))

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the drawing by so many pixels; some of it stays in view."""
        if self.scene is None:
            return
        self._glide.stop()
        self._stay = Stay.MIDDLE
        size, scale = self.extent, self.camera.scale
        beyond_x = (size.width / 2 - KEPT_IN_VIEW) / scale
        beyond_y = (size.height / 2 - KEPT_IN_VIEW) / scale
        bounds = self.scene.bounds
        self.look(
            self.camera.panned(dx, dy).kept_over(
                Box(
                    bounds.left - beyond_x,
                    bounds.top - beyond_y,
                    bounds.right + beyond_x,
                    bounds.bottom + beyond_y,
                )
            )
        )

    def reveal(self, row: int, readable: bool = True) -> None:
        """Glide until a node is in view and, with `readable`, its texts can be read."""
        if self.scene is None:
            return
        node, scale = self.scene.box(row), self.camera.scale
        small = readable and scale < dim.COMPACT_SCALE
        if not small and self.camera.box(self.extent).contains(node.grown(REVEAL_MARGIN / scale)):
            return
        middle = ((node.left + node.right) / 2, (node.top + node.bottom) / 2)
        self._stay = Stay.MIDDLE
        self._glide.go(self.camera, Camera(*middle, 1.0 if small else scale))

    def tool_tip_at(self, place: QPointF) -> str:
        """Everything about the node, stub or edge at a view position, uncut."""
        scene = self.scene
        if scene is None:
            return ""
        row, stub = self.node_at(place), self.stub_at(place)
        if row is not None:
            return scene.columns.tool_tip(row)
        if stub is not None:
            return scene.stubs.texts[stub]
        route = self.route_at(place)
        return "" if route is None else scene.route_text(route)

    def node_at(self, place: QPointF) -> int | None:
        """The node at a view position."""
        if self.scene is None:
            return None
        return self.scene.node_at(*self.camera.to_scene(at_pixel(place), self.extent))

    def stub_at(self, place: QPointF) -> int | None:
        """The portal stub at a view position, where stubs can be told apart."""
        if self.scene is None or self.camera.scale < dim.COMPACT_SCALE:
            return None
        return self.scene.stubs.at(*self.camera.to_scene(at_pixel(place), self.extent))

    def route_at(self, place: QPointF) -> int | None:
        """The edge at a view position, where edges can be told apart."""
        if self.scene is None or self.camera.scale < dim.MARK_SCALE:
            return None
        at = self.camera.to_scene(at_pixel(place), self.extent)
        return self.scene.route_at(*at, GRASP / self.camera.scale)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The scene, or an empty ground."""
        with QPainter(self) as painter:
            if self.scene is None:
                painter.fillRect(self.rect(), theme.current().canvas)
                return
            if self._artist is None:
                self._artist = Artist(self.scene, theme.current(), self._overlay, self._texts)
            self._artist.paint(painter, self.camera, self.extent, self._marks, grid=True)
            if self._unseen:
                self._unseen = False
                QTimer.singleShot(0, self.painted_whole.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit again what was fitted; else keep the middle in the middle."""
        super().resizeEvent(event)
        self._keep()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Take over another theme or other fonts."""
        super().changeEvent(event)
        if event.type() in _MEASURES:
            self._texts = Texts()
        if event.type() in _MEASURES + _REPAINTS:
            self._renew()

    def _keep(self) -> None:
        """Show what was shown, now that there is more room for it or less."""
        if self._stay is Stay.WHOLE:
            self.fit()
        elif self._stay is Stay.BEGINNING:
            self.begin()

    def _whole(self) -> Camera:
        bounds = self.scene.bounds if self.scene is not None else Box(0.0, 0.0, 1.0, 1.0)
        size, whole = self.extent, Camera.fitted(bounds, self.extent)
        panel = self._overlay and legend_place(size, self._overlay, self._texts)
        if not panel or whole.to_view(Point(bounds.left, 0.0), size).x >= panel.right():
            return whole
        # The legend stands in the way: what is above it is the room there is.
        above = Size(size.width, panel.top())
        whole = Camera.fitted(bounds, above)
        return replace(whole, y=whole.y + (size.height - above.height) / 2 / whole.scale)

    def _beginning(self, scene: Scene) -> Camera:
        """The top at actual size, around the middle one of the highest nodes."""
        bounds, size = scene.bounds, self.extent
        x = (bounds.left + bounds.right) / 2
        if bounds.width > size.width and len(scene):
            highest = scene.rects[scene.rects[:, 1] <= scene.rects[:, 1].min()]
            middle = highest[np.argsort(highest[:, 0])[len(highest) // 2]]
            x = float(middle[0] + middle[2] / 2)
        return Camera(x, bounds.top + size.height / 2, 1.0)

    def _mark(self, marks: Marks) -> None:
        self._marks = marks
        self.update()

    def _renew(self) -> None:
        self._artist = None
        self.update()

    def _over(self, row: int) -> QRectF:
        """Where a node is in the view."""
        if self.scene is None:
            return QRectF()
        box, size = self.scene.box(row), self.extent
        left, top = self.camera.to_view(Point(box.left, box.top), size)
        return QRectF(left, top, box.width * self.camera.scale, box.height * self.camera.scale)


def at_pixel(place: QPointF) -> Point:
    """A view pixel as Qt gives it."""
    return Point(place.x(), place.y())
