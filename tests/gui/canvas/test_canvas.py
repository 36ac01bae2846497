from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QNativeGestureEvent,
    QPointingDevice,
    QTextDocumentFragment,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QProgressBar, QPushButton, QToolTip
from pytestqt.qtbot import QtBot

from ortstudio.ui import theme
from ortstudio.ui.canvas import motion
from ortstudio.ui.canvas.camera import Box, Camera, Point
from ortstudio.ui.canvas.canvas import Canvas
from ortstudio.ui.canvas.legend import legend_place
from ortstudio.ui.canvas.message import Message
from ortstudio.ui.canvas.overlay import Entry, Overlay
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.texts import Texts
from tests.gui.canvas.graphs import Builder

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


def test_a_new_scene_is_fitted_and_painted_once(qtbot: QtBot, residual: Scene) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(500, 400)
    with qtbot.waitSignal(canvas.painted_whole, timeout=5000):
        canvas.show()
        canvas.set_scene(residual)
    assert canvas.camera.box(canvas.extent).grown(1).contains(residual.bounds)
    with qtbot.assertNotEmitted(canvas.painted_whole, wait=50):
        canvas.repaint()


def test_what_is_fitted_stays_fitted_when_the_widget_grows(canvas: Canvas, residual: Scene) -> None:
    before = canvas.camera.scale
    canvas.resize(900, 1400)
    QApplication.processEvents()
    assert canvas.camera.scale > before
    assert canvas.camera.box(canvas.extent).grown(1).contains(residual.bounds)
    canvas.zoom_in()
    chosen = canvas.camera
    canvas.resize(700, 500)
    QApplication.processEvents()
    assert canvas.camera == chosen


def test_a_drawing_that_can_be_read_begins_whole(qtbot: QtBot, residual: Scene) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.set_scene(residual)
    bounds = residual.bounds
    canvas.resize(int(bounds.width * 0.5), int(bounds.height * 0.5))
    canvas.begin()
    assert canvas.camera.scale == pytest.approx(0.5, rel=0.01)
    assert canvas.shows_whole


def test_a_tall_drawing_begins_at_its_top_and_stays_there(
    canvas: Canvas, transformer: Scene
) -> None:
    canvas.set_scene(transformer)
    canvas.begin()
    for size in ((800, 600), (300, 900)):
        canvas.resize(*size)
        QApplication.processEvents()
        assert canvas.camera.scale == 1.0
        seen = canvas.camera.box(canvas.extent)
        assert seen.top == transformer.bounds.top
        highest = np.flatnonzero(transformer.rects[:, 1] == transformer.rects[:, 1].min())
        boxes = sorted(transformer.box(row) for row in highest.tolist())
        middle = boxes[len(boxes) // 2]
        wide = transformer.bounds.width > size[0]
        expected = middle if wide else transformer.bounds
        assert canvas.camera.x == (expected.left + expected.right) / 2
    canvas.pan_by(0, -500)
    moved = canvas.camera
    canvas.resize(500, 500)
    QApplication.processEvents()
    assert canvas.camera == moved


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


def test_selecting_from_outside_emits_nothing(qtbot: QtBot, canvas: Canvas) -> None:
    with qtbot.assertNotEmitted(canvas.selected):
        canvas.select(7)
    assert canvas.selection == 7


def test_selecting_reveals_the_node_in_a_glide(qtbot: QtBot, canvas: Canvas) -> None:
    last = len(canvas.scene or ()) - 1
    look_at(canvas, 0)
    canvas.select(last)
    assert not canvas.rect().contains(pixel_of(canvas, last))
    qtbot.waitUntil(lambda: canvas.rect().contains(pixel_of(canvas, last)), timeout=2000)
    qtbot.wait(2 * motion.GLIDE_MS)
    assert (pixel_of(canvas, last) - canvas.rect().center()).manhattanLength() <= 2


def test_the_view_jumps_where_motion_is_unwelcome(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motion, "wants_less_motion", lambda _: True)
    last = len(canvas.scene or ()) - 1
    look_at(canvas, 0)
    canvas.select(last)
    assert canvas.rect().contains(pixel_of(canvas, last))


def test_a_node_that_is_in_view_moves_nothing(canvas: Canvas) -> None:
    look_at(canvas, 5)
    before = canvas.camera
    canvas.select(5)
    assert canvas.camera == before


def test_a_revealed_node_can_be_read(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "wants_less_motion", lambda _: True)
    canvas.fit()
    assert canvas.camera.scale < 0.4
    canvas.select(9)
    assert canvas.camera.scale == 1.0


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


def test_the_tool_tip_says_all_of_a_node_or_edge(canvas: Canvas, residual: Scene) -> None:
    row = residual.columns.labels.index("If")
    look_at(canvas, row)
    middle = pixel_of(canvas, row)
    assert canvas.tool_tip_at(QPointF(middle)).splitlines() == ["If", "if_2", "2 graphs"]
    x, y = middle.x(), middle.y() + round(residual.rects[row, 3] / 2) + 8
    assert canvas.tool_tip_at(QPointF(x, y)).startswith("If → Add\n1×")
    assert canvas.tool_tip_at(QPointF(empty_pixel(canvas))) == ""


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_the_tool_tip_appears_and_goes(qtbot: QtBot, canvas: Canvas) -> None:
    look_at(canvas, 5)
    node, ground = pixel_of(canvas, 5), empty_pixel(canvas)
    asked = QHelpEvent(QEvent.Type.ToolTip, node, canvas.mapToGlobal(node))
    QApplication.sendEvent(canvas, asked)
    qtbot.waitUntil(QToolTip.isVisible)
    asked = QHelpEvent(QEvent.Type.ToolTip, ground, canvas.mapToGlobal(ground))
    QApplication.sendEvent(canvas, asked)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_a_name_is_no_markup_in_the_tool_tip(qtbot: QtBot) -> None:
    made = Builder()
    made.add("<b>bold</b>", detail="x" * 5000)
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show()
    canvas.set_scene(made.scene())
    at = pixel_of(canvas, 0)
    QApplication.sendEvent(canvas, QHelpEvent(QEvent.Type.ToolTip, at, canvas.mapToGlobal(at)))
    shown = QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText()
    assert shown.startswith("<b>bold</b>\nxxx")
    assert shown.endswith("…")
    QToolTip.hideText()


def test_a_stub_leads_to_the_other_end(
    qtbot: QtBot, canvas: Canvas, transformer: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motion, "wants_less_motion", lambda _: True)
    canvas.set_scene(transformer)
    stub = len(transformer.stubs) - 1
    left, top, width, height = transformer.stubs.pills(np.array([stub]))[0].tolist()
    middle = Point(left + width / 2, top + height / 2)
    canvas.actual_size()
    x, y = canvas.camera.to_view(middle, canvas.extent)
    canvas.pan_by(400 - x, 300 - y)
    assert canvas.tool_tip_at(QPointF(400, 300)) == transformer.stubs.texts[stub]
    QTest.mouseMove(canvas, QPoint(400, 300))
    assert canvas.cursor().shape() == Qt.CursorShape.PointingHandCursor
    with qtbot.waitSignal(canvas.selected) as chosen:
        QTest.mouseClick(canvas, LEFT, PLAIN, QPoint(400, 300))
    assert chosen.args == [transformer.stubs.ends[stub][0]]
    assert canvas.selection is not None
    assert canvas.rect().contains(pixel_of(canvas, canvas.selection))


def test_a_message_stands_in_for_the_picture(qtbot: QtBot, residual: Scene) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(500, 400)
    canvas.show()
    bar, button = canvas.findChild(QProgressBar), canvas.findChild(QPushButton)
    assert isinstance(bar, QProgressBar)
    assert isinstance(button, QPushButton)
    canvas.set_message("Laying out 50 000 nodes…", 0.25, busy=True)
    assert bar.isVisible()
    assert bar.value() * 4 == bar.maximum()
    with qtbot.waitSignal(canvas.cancel_requested):
        QTest.mouseClick(button, LEFT)
    canvas.set_message("Reading…", busy=True)
    assert bar.maximum() == 0
    canvas.set_message("There is no graph in this file.")
    assert not bar.isVisible()
    assert not button.isVisible()
    canvas.set_scene(residual)
    assert not canvas.findChildren(Message)[0].isVisible()


def test_a_ring_shows_where_the_keyboard_is(canvas: Canvas) -> None:
    def corner() -> int:
        return canvas.grab().toImage().pixel(1, 300)

    ground = theme.LIGHT.canvas.rgb()
    QApplication.sendEvent(
        canvas, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.MouseFocusReason)
    )
    assert corner() == ground
    QApplication.sendEvent(canvas, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.TabFocusReason))
    assert corner() == theme.LIGHT.selection.rgb()
    QApplication.sendEvent(canvas, QFocusEvent(QEvent.Type.FocusOut))
    assert corner() == ground


@pytest.mark.parametrize("listening", [True, False])
def test_a_screen_reader_is_told_what_is_selected(canvas: Canvas, listening: bool) -> None:
    QAccessible.setActive(listening)
    assert canvas.accessibleName() == "Graph"
    canvas.select(1)
    said = canvas.accessibleDescription()
    assert said.startswith("Conv, ")
    assert "convolution" in said
    assert f"2 of {len(canvas.scene or ())}" in said
    canvas.select(None)
    assert canvas.accessibleDescription() == ""
    QAccessible.setActive(False)


def test_another_theme_is_taken_over(qapp: QApplication, canvas: Canvas) -> None:
    before = canvas.grab().toImage().pixel(4, 300)
    theme.apply(qapp, "dark")
    QApplication.processEvents()
    after = canvas.grab().toImage().pixel(4, 300)
    assert before == theme.LIGHT.canvas.rgb()
    assert after == theme.DARK.canvas.rgb()


def test_marks_and_overlay_change_the_picture(canvas: Canvas, residual: Scene) -> None:
    plain = canvas.grab().toImage()
    canvas.set_marked(np.array([3, 3, 5]))
    marked = canvas.grab().toImage()
    assert marked != plain
    entry = Entry("Added", lambda look: look.diff["added"])
    canvas.set_overlay(Overlay("Changes", (entry,), np.zeros(len(residual), np.int64)))
    assert canvas.grab().toImage() != marked
    canvas.set_overlay(None)
    canvas.set_marked(np.zeros(0, np.int64))
    assert canvas.grab().toImage() == plain
    with pytest.raises(ValueError, match="each node"):
        canvas.set_overlay(Overlay("Changes", (entry,), np.zeros(3, np.int64)))


@pytest.mark.parametrize("size", [(300, 500), (300, 900), (1200, 300)])
def test_the_whole_drawing_leaves_room_for_the_legend(
    canvas: Canvas, residual: Scene, size: tuple[int, int]
) -> None:
    canvas.resize(*size)
    canvas.fit()
    entry = Entry("Added", lambda look: look.diff["added"])
    overlay = Overlay("Changes", (entry,), np.zeros(len(residual), np.int64))
    canvas.set_overlay(overlay)
    assert canvas.shows_whole
    panel = legend_place(canvas.extent, overlay, Texts())
    assert panel is not None
    seen = canvas.camera.box(canvas.extent)
    assert seen.grown(1).contains(residual.bounds)
    left, top = canvas.camera.to_scene(Point(panel.left(), panel.top()), canvas.extent)
    right = canvas.camera.to_scene(Point(panel.right(), panel.top()), canvas.extent).x
    assert not len(residual.nodes.within(Box(left, top, right, seen.bottom)))
    canvas.set_overlay(None)
    assert canvas.shows_whole


def test_without_a_scene_nothing_fails(qtbot: QtBot) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(100, 80)
    canvas.show()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Plus, Qt.Key.Key_F, Qt.Key.Key_Home):
        press(canvas, key)
    QTest.mouseClick(canvas, LEFT, PLAIN, QPoint(50, 40))
    QTest.mouseMove(canvas, QPoint(20, 20))
    canvas.select(3)
    canvas.zoom_in()
    canvas.pan_by(3, 3)
    canvas.reveal(2)
    canvas.set_scene(None)
    assert canvas.selection is None
    assert canvas.camera == Camera()
    assert canvas.grab().toImage().pixel(3, 3) == theme.LIGHT.canvas.rgb()
