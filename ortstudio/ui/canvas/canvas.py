"""The graph canvas: a view used by mouse, touchpad and keyboard, which says what was chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from ortstudio.ui import theme
from ortstudio.ui.canvas.camera import Camera
from ortstudio.ui.canvas.message import Message
from ortstudio.ui.canvas.navigation import Way, nearest_to, neighbour
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.spoken import announce, describe
from ortstudio.ui.canvas.styles import NO_BRUSH, thin_pen
from ortstudio.ui.canvas.view import Stay, View, at_pixel
from ortstudio.ui.plain import tip

NOTCH = 120.0
"""Units that Qt reports for one notch of a wheel."""
SCROLL = 72.0
"""Pixels that one notch moves the drawing."""
WHEEL_ZOOM = 1.2
"""Factor by which one notch zooms."""
PAGE = 0.9
"""Share of the view that Page Up and Page Down move."""

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_WAYS: dict[int, Way] = {
    Qt.Key.Key_Up: Way.UP,
    Qt.Key.Key_Down: Way.DOWN,
    Qt.Key.Key_Left: Way.LEFT,
    Qt.Key.Key_Right: Way.RIGHT,
}
_KEY_FOCUS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class Canvas(View):
    """The picture of a graph. Signals tell what the user did; calls from outside emit none."""

    selected = Signal(int)
    """The row of the node now selected, -1 for none."""
    activated = Signal(int)
    """A node was double-clicked, or Enter pressed on it."""
    hovered = Signal(int)
    """The row of the node under the mouse, -1 for none."""
    menu_requested = Signal(int, QPoint)
    """A context menu is wanted for a row, -1 for the ground, at a global position."""
    cancel_requested = Signal()
    """The message's button was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Graph")
        self._grip: QPointF | None = None
        self._dragged = False
        self._ring = False
        self._message = Message(self)
        self._message.cancel_requested.connect(self.cancel_requested)
        self._message.hide()

    def set_scene(self, scene: Scene | None) -> None:
        """Show another scene, all of it, in place of any message; None for an empty ground."""
        super().set_scene(scene)
        self._message.hide()
        self._grip = None
        announce(self, "")

    def set_message(self, text: str, progress: float | None = None, *, busy: bool = False) -> None:
        """Show a sentence instead of the picture; with `busy` also progress and a Cancel button.

        `progress` is a share of 1, None while it is not known. No text ends the message.
        """
        self._message.setVisible(bool(text))
        self._message.say(text, progress, busy)

    @property
    def shows_whole(self) -> bool:
        """Whether all of the drawing is in view."""
        return self.scene is not None and self.camera == self._whole()

    def show_at(self, camera: Camera) -> None:
        """Look through a camera that something else moves."""
        self._glide.stop()
        self._stay = Stay.MIDDLE
        self.look(camera)

    @property
    def selection(self) -> int | None:
        """The selected row."""
        return self._marks.selected

    def select(self, row: int | None, reveal: bool = True) -> None:
        """Select a node and, with `reveal`, glide to it; None selects nothing."""
        if self.scene is None:
            return
        if row != self._marks.selected:
            self._mark(replace(self._marks, selected=row))
            announce(self, "" if row is None else describe(self.scene, row))
        if row is not None and reveal:
            self.reveal(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select on a node; take hold of the drawing elsewhere or with the middle button."""
        place, middle = event.position(), event.button() == Qt.MouseButton.MiddleButton
        self._end_drag()
        self._glide.stop()
        if event.button() == Qt.MouseButton.LeftButton and self._press(place):
            return
        if middle or event.button() == Qt.MouseButton.LeftButton:
            self._grip = place

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the drawing that was taken hold of; else follow what is under the mouse."""
        if self._grip is None:
            self._hover(event.position())
            return
        way = event.position() - self._grip
        if self._dragged or way.manhattanLength() >= QApplication.startDragDistance():
            self._dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._grip = event.position()
            self.pan_by(way.x(), way.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a click on empty ground that moved nothing clears the selection."""
        clicked = event.button() == Qt.MouseButton.LeftButton and self._grip is not None
        if clicked and not self._dragged:
            self._choose(None)
        self._end_drag()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate a node."""
        row = self.node_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self.activated.emit(row)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the mouse any more."""
        super().leaveEvent(event)
        self._set_hover(None, None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl zoom around the cursor, with Shift scroll sideways."""
        angle, exact = event.angleDelta(), event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(WHEEL_ZOOM ** (angle.y() / NOTCH), at_pixel(event.position()))
        else:
            dx, dy = angle.x() * SCROLL / NOTCH, angle.y() * SCROLL / NOTCH
            # Only a touchpad has phases; X11 makes up pixels for a wheel.
            if not exact.isNull() and event.phase() != Qt.ScrollPhase.NoScrollPhase:
                dx, dy = float(exact.x()), float(exact.y())
            sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not dx
            self.pan_by(*((dy, 0.0) if sideways else (dx, dy)))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along edges, zoom, activate, clear; everything else is left to others."""
        plain = not event.modifiers() & _COMMANDS
        if self.scene is not None and plain and self._key(event.key()):
            self._show_focus(True)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask the owner for a menu, on the node under the mouse or the selected one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.selection
            middle = self.rect().center() if row is None else self._over(row).center().toPoint()
            self.menu_requested.emit(_number(row), self.mapToGlobal(middle))
            return
        row = self.node_at(QPointF(event.pos()))
        if row is not None:
            self._choose(row)
        self.menu_requested.emit(_number(row), event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Pinches and tool tips; everything else as usual."""
        if event.type() == QEvent.Type.NativeGesture:
            gesture = cast(QNativeGestureEvent, event)
            if gesture.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom_by(1.0 + gesture.value(), at_pixel(gesture.position()))
                return True
        if event.type() == QEvent.Type.ToolTip:
            return self._tool_tip(cast(QHelpEvent, event))
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a ring where the focus came by key."""
        super().focusInEvent(event)
        self._show_focus(event.reason() in _KEY_FOCUS)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._show_focus(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the message over the whole canvas."""
        super().resizeEvent(event)
        self._message.setGeometry(self.rect())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The scene, and a ring around it while the keyboard is here."""
        super().paintEvent(event)
        if self._ring:
            with QPainter(self) as painter:
                painter.setPen(thin_pen(theme.current().selection, 2.0))
                painter.setBrush(NO_BRUSH)
                painter.drawRect(QRectF(self.rect()).adjusted(1.0, 1.0, -1.0, -1.0))

    def _press(self, place: QPointF) -> bool:
        """Whether there is a node, or a portal's stub, which leads to the other end."""
        row = self.node_at(place)
        if row is not None:
            self._choose(row)
            return True
        stub = self.stub_at(place)
        if stub is None or self.scene is None:
            return False
        self._choose(self.scene.stubs.ends[stub][0], reveal=True)
        return True

    def _choose(self, row: int | None, reveal: bool = False) -> None:
        """Select for the user, and tell the owner."""
        if row == self.selection:
            return
        self.select(row, reveal=False)
        if row is not None and reveal:
            self.reveal(row, readable=False)
        self.selected.emit(_number(row))

    def _key(self, key: int) -> bool:
        if key in _WAYS:
            self._walk(_WAYS[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.zoom_out()
        elif key in (Qt.Key.Key_F, Qt.Key.Key_0):
            self.fit()
        elif key == Qt.Key.Key_Home and self.scene is not None:
            self._choose(self.scene.first, reveal=True)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            page = PAGE * self.height()
            self.pan_by(0.0, page if key == Qt.Key.Key_PageUp else -page)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selection is not None:
            self.activated.emit(self.selection)
        elif key == Qt.Key.Key_Escape and self.selection is not None:
            self._choose(None)
        else:
            return False
        return True

    def _walk(self, way: Way) -> None:
        scene = self.scene
        if scene is None:
            return
        if self.selection is not None:
            row = neighbour(scene, self.selection, way)
        else:
            visible = scene.nodes.within(self.camera.box(self.extent))
            row = nearest_to(scene, self.camera.x, self.camera.y, visible)
        if row is not None:
            self._choose(row, reveal=True)

    def _hover(self, place: QPointF) -> None:
        row, route = self.node_at(place), None
        stub = self.stub_at(place) if row is None else None
        if row is None and stub is None:
            route = self.route_at(place)
        self._set_hover(row, route)
        pointing = Qt.CursorShape.PointingHandCursor
        self.setCursor(Qt.CursorShape.ArrowCursor if stub is None else pointing)

    def _set_hover(self, row: int | None, route: int | None) -> None:
        marks = self._marks
        if (row, route) == (marks.hovered, marks.hovered_route):
            return
        self._mark(replace(marks, hovered=row, hovered_route=route))
        if row != marks.hovered:
            self.hovered.emit(_number(row))

    def _end_drag(self) -> None:
        self._grip, self._dragged = None, False
        self.unsetCursor()

    def _tool_tip(self, event: QHelpEvent) -> bool:
        text = self.tool_tip_at(QPointF(event.pos()))
        if text:
            QToolTip.showText(event.globalPos(), tip(text), self)
        else:
            QToolTip.hideText()
            event.ignore()
        return True

    def _show_focus(self, shown: bool) -> None:
        if shown != self._ring:
            self._ring = shown
            self.update()


def _number(row: int | None) -> int:
    return -1 if row is None else row
