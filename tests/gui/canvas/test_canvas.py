"""A canvas and what it shows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QHelpEvent,
    QTextDocumentFragment,
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
from tests.gui.canvas.hands import LEFT, PLAIN, empty_pixel, look_at, pixel_of, press


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
