"""What hands do to a canvas."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ortstudio.ui.canvas.camera import Point
from ortstudio.ui.canvas.canvas import Canvas

LEFT = Qt.MouseButton.LeftButton
MIDDLE = Qt.MouseButton.MiddleButton
PLAIN = Qt.KeyboardModifier.NoModifier


def pixel_of(canvas: Canvas, row: int) -> QPoint:
    """The view pixel over a node's middle."""
    assert canvas.scene is not None
    box = canvas.scene.box(row)
    middle = Point((box.left + box.right) / 2, (box.top + box.bottom) / 2)
    x, y = canvas.camera.to_view(middle, canvas.extent)
    return QPoint(round(x), round(y))


def empty_pixel(canvas: Canvas) -> QPoint:
    return QPoint(4, canvas.height() // 2)


def look_at(canvas: Canvas, row: int) -> None:
    """Actual size, the node in the middle."""
    canvas.actual_size()
    middle = canvas.rect().center() - pixel_of(canvas, row)
    canvas.pan_by(middle.x(), middle.y())


def wheel(
    canvas: Canvas,
    at: QPoint,
    notches: QPoint,
    modifiers: Qt.KeyboardModifier,
    pixels: QPoint | None = None,
    phase: Qt.ScrollPhase = Qt.ScrollPhase.NoScrollPhase,
) -> None:
    place, button = QPointF(canvas.mapToGlobal(at)), Qt.MouseButton.NoButton
    turned = (pixels or QPoint(), notches * 120, button, modifiers, phase, False)
    QApplication.sendEvent(canvas, QWheelEvent(QPointF(at), place, *turned))


def press(canvas: Canvas, key: Qt.Key) -> None:
    QTest.keyClick(canvas, key)
