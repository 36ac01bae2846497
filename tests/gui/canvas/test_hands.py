"""A canvas in the hands of its user: mouse, wheel, touchpad and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QNativeGestureEvent,
    QPointingDevice,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.canvas.camera import Point
from ortstudio.ui.canvas.canvas import Canvas
from ortstudio.ui.canvas.scene import Scene
from tests.gui.canvas.hands import LEFT, MIDDLE, PLAIN, empty_pixel, look_at, pixel_of, press, wheel


def test_a_click_selects_and_a_click_beside_clears(qtbot: QtBot, canvas: Canvas) -> None:
    look_at(canvas, 5)
    with qtbot.waitSignal(canvas.selected) as chosen:
        QTest.mouseClick(canvas, LEFT, PLAIN, pixel_of(canvas, 5))
    assert chosen.args == [5]
    assert canvas.selection == 5
    with qtbot.waitSignal(canvas.selected) as cleared:
        QTest.mouseClick(canvas, LEFT, PLAIN, empty_pixel(canvas))
    assert cleared.args == [-1]
    assert canvas.selection is None


def test_the_wheel_zooms_around_the_cursor_with_ctrl(canvas: Canvas) -> None:
    at = QPoint(200, 150)
    fixed = canvas.camera.to_scene(Point(200, 150), canvas.extent)
    before = canvas.camera.scale
    wheel(canvas, at, QPoint(0, 1), Qt.KeyboardModifier.ControlModifier)
    assert canvas.camera.scale > before
    after = canvas.camera.to_view(fixed, canvas.extent)
    assert after == pytest.approx((200, 150), abs=1e-6)


def test_the_wheel_scrolls(canvas: Canvas) -> None:
    look_at(canvas, 20)
    start = canvas.camera
    wheel(canvas, QPoint(200, 150), QPoint(0, -1), PLAIN)
    assert canvas.camera.y > start.y
    assert canvas.camera.x == start.x
    down = canvas.camera
    wheel(canvas, QPoint(200, 150), QPoint(0, -1), Qt.KeyboardModifier.ShiftModifier)
    assert canvas.camera.x > down.x
    assert canvas.camera.y == down.y


def test_a_touchpad_scrolls_by_pixels(canvas: Canvas) -> None:
    look_at(canvas, 20)
    start, finger = canvas.camera, Qt.ScrollPhase.ScrollUpdate
    wheel(canvas, QPoint(200, 150), QPoint(), PLAIN, QPoint(-7, -11), finger)
    assert canvas.camera.x == pytest.approx(start.x + 7)
    assert canvas.camera.y == pytest.approx(start.y + 11)


def test_a_pinch_zooms_around_the_fingers(canvas: Canvas) -> None:
    at = QPointF(300, 200)
    fixed = canvas.camera.to_scene(Point(300, 200), canvas.extent)
    before = canvas.camera.scale
    device = QPointingDevice.primaryPointingDevice()
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture, device, 2, at, at, at, 0.25, QPointF()
    )
    QApplication.sendEvent(canvas, event)
    assert canvas.camera.scale == pytest.approx(before * 1.25)
    assert canvas.camera.to_view(fixed, canvas.extent) == pytest.approx((300, 200), abs=1e-6)


def test_zooming_out_ends_a_little_beyond_the_whole(canvas: Canvas) -> None:
    canvas.fit()
    whole = canvas.camera.scale
    for _ in range(20):
        canvas.zoom_out()
    assert 0.5 * whole < canvas.camera.scale < whole


@pytest.mark.parametrize("button", [LEFT, MIDDLE])
def test_dragging_the_ground_moves_the_drawing(canvas: Canvas, button: Qt.MouseButton) -> None:
    look_at(canvas, 20)
    start, before = empty_pixel(canvas), canvas.camera
    canvas.select(20)
    QTest.mousePress(canvas, button, PLAIN, start)
    for step in (5, 30, 60):
        QTest.mouseMove(canvas, start + QPoint(step, step))
    assert canvas.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    QTest.mouseRelease(canvas, button, PLAIN, start + QPoint(60, 60))
    assert canvas.camera.x == pytest.approx(before.x - 60 / before.scale)
    assert canvas.camera.y == pytest.approx(before.y - 60 / before.scale)
    assert canvas.cursor().shape() == Qt.CursorShape.ArrowCursor
    assert canvas.selection == 20


def test_some_of_the_drawing_stays_in_view(canvas: Canvas, residual: Scene) -> None:
    for _ in range(100):
        canvas.pan_by(500, 500)
    box = canvas.camera.box(canvas.extent)
    assert box.left < residual.bounds.right
    assert box.right > residual.bounds.left
    assert box.top < residual.bounds.bottom
    assert box.bottom > residual.bounds.top


def test_arrow_keys_walk_along_edges(qtbot: QtBot, canvas: Canvas, residual: Scene) -> None:
    canvas.select(1, reveal=False)
    press(canvas, Qt.Key.Key_Down)
    assert canvas.selection in residual.links.targets.row(1).tolist()
    press(canvas, Qt.Key.Key_Up)
    assert canvas.selection == 1
    press(canvas, Qt.Key.Key_Up)
    assert canvas.selection == 0
    with qtbot.assertNotEmitted(canvas.selected):
        press(canvas, Qt.Key.Key_Up)
    assert canvas.selection == 0


def test_arrow_keys_walk_sideways(canvas: Canvas, residual: Scene) -> None:
    tops = residual.rects[:, 1] + residual.rects[:, 3] / 2
    pair = next(
        (a, b)
        for a in range(len(residual))
        for b in range(len(residual))
        if tops[a] == tops[b] and residual.rects[a, 0] < residual.rects[b, 0]
    )
    canvas.select(pair[0])
    press(canvas, Qt.Key.Key_Right)
    assert canvas.selection == pair[1]
    press(canvas, Qt.Key.Key_Left)
    assert canvas.selection == pair[0]


def test_an_arrow_key_begins_in_the_middle_of_the_view(canvas: Canvas) -> None:
    look_at(canvas, 13)
    press(canvas, Qt.Key.Key_Down)
    assert canvas.selection == 13


def test_keys_zoom_fit_page_and_go_home(canvas: Canvas, residual: Scene) -> None:
    whole = canvas.camera
    press(canvas, Qt.Key.Key_Plus)
    assert canvas.camera.scale > whole.scale
    press(canvas, Qt.Key.Key_Minus)
    assert canvas.camera.scale == pytest.approx(whole.scale)
    for key in (Qt.Key.Key_F, Qt.Key.Key_0):
        press(canvas, Qt.Key.Key_Plus)
        press(canvas, key)
        assert canvas.camera == whole
    canvas.actual_size()
    middle = canvas.camera.y
    press(canvas, Qt.Key.Key_PageDown)
    assert canvas.camera.y > middle
    press(canvas, Qt.Key.Key_PageUp)
    assert canvas.camera.y == pytest.approx(middle)
    press(canvas, Qt.Key.Key_Home)
    assert canvas.selection == residual.first


@pytest.mark.parametrize("key", [0x0414, 0x01FFFFFF, Qt.Key.Key_X])
def test_other_keys_are_left_to_others(canvas: Canvas, key: int) -> None:
    canvas.select(3)
    before = canvas.camera
    event = QKeyEvent(QEvent.Type.KeyPress, int(key), PLAIN)
    QApplication.sendEvent(canvas, event)
    assert not event.isAccepted()
    assert (canvas.camera, canvas.selection) == (before, 3)


def test_keys_with_ctrl_are_left_to_menus(canvas: Canvas) -> None:
    before = canvas.camera
    ctrl = Qt.KeyboardModifier.ControlModifier
    event = QKeyEvent(QEvent.Type.KeyPress, int(Qt.Key.Key_Plus), ctrl)
    QApplication.sendEvent(canvas, event)
    assert not event.isAccepted()
    assert canvas.camera == before


def test_escape_clears_and_is_then_left_to_others(qtbot: QtBot, canvas: Canvas) -> None:
    canvas.select(3)
    with qtbot.waitSignal(canvas.selected) as cleared:
        press(canvas, Qt.Key.Key_Escape)
    assert cleared.args == [-1]
    with qtbot.assertNotEmitted(canvas.selected):
        press(canvas, Qt.Key.Key_Escape)


def test_enter_and_double_click_activate(qtbot: QtBot, canvas: Canvas) -> None:
    look_at(canvas, 11)
    canvas.select(11)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        with qtbot.waitSignal(canvas.activated) as opened:
            press(canvas, key)
        assert opened.args == [11]
    with qtbot.waitSignal(canvas.activated) as opened:
        QTest.mouseDClick(canvas, LEFT, PLAIN, pixel_of(canvas, 11))
    assert opened.args == [11]
    with qtbot.assertNotEmitted(canvas.activated):
        QTest.mouseDClick(canvas, LEFT, PLAIN, empty_pixel(canvas))


def test_hovering_is_told_once(qtbot: QtBot, canvas: Canvas) -> None:
    look_at(canvas, 5)
    at = pixel_of(canvas, 5)
    with qtbot.waitSignal(canvas.hovered) as entered:
        QTest.mouseMove(canvas, at)
    assert entered.args == [5]
    with qtbot.assertNotEmitted(canvas.hovered):
        QTest.mouseMove(canvas, at + QPoint(1, 0))
    with qtbot.waitSignal(canvas.hovered) as left:
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert left.args == [-1]


def test_a_menu_is_asked_for_the_node_under_the_mouse(qtbot: QtBot, canvas: Canvas) -> None:
    look_at(canvas, 5)
    at = pixel_of(canvas, 5)
    mouse = QContextMenuEvent.Reason.Mouse
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        QApplication.sendEvent(canvas, QContextMenuEvent(mouse, at, canvas.mapToGlobal(at)))
    assert asked.args == [5, canvas.mapToGlobal(at)]
    assert canvas.selection == 5
    key = QContextMenuEvent.Reason.Keyboard
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        QApplication.sendEvent(canvas, QContextMenuEvent(key, QPoint(), QPoint()))
    assert asked.args is not None
    assert asked.args[0] == 5
    assert (asked.args[1] - canvas.mapToGlobal(at)).manhattanLength() <= 2
    ground = empty_pixel(canvas)
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        QApplication.sendEvent(canvas, QContextMenuEvent(mouse, ground, canvas.mapToGlobal(ground)))
    assert asked.args is not None
    assert asked.args[0] == -1
