"""The window without a mouse: where Tab goes, and what the keys do there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.rich_text import RichText

Open = Callable[[MainWindow, Sequence[Path]], None]


def walk(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> list[QWidget]:
    """Every widget that Tab comes by, once around."""
    found: list[QWidget] = []
    for _ in range(300):
        focused = QApplication.focusWidget()
        qtbot.keyClick(focused if focused is not None else window, key)
        reached = QApplication.focusWidget()
        assert reached is not None
        if reached in found[:1] and reached is not found[-1]:
            break
        if not found or found[-1] is not reached:
            found.append(reached)
    return found


def zone(window: MainWindow, widget: QWidget) -> str:
    studio = window.studio
    zones = {
        "find": studio.find,
        "verdicts": studio.verdicts,
        "contents": studio.docks["contents"],
        "middle": studio.pair,
        "inspector": studio.docks["inspector"],
        "findings": studio.docks["findings"],
    }
    return next((name for name, owner in zones.items() if owner.isAncestorOf(widget)), "?")


def test_tab_goes_through_the_window_as_it_is_read(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    window.activateWindow()
    open_in(window, [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    window.studio.show_page("findings")
    inspector = window.studio.inspector
    qtbot.waitUntil(lambda: inspector.view.sheet.title == "cnn.onnx")
    window.studio.find.box.setFocus()
    reached = walk(window, qtbot, Qt.Key.Key_Tab)
    zones = [zone(window, widget) for widget in reached]
    assert list(dict.fromkeys(zones)) == [
        "verdicts",
        "contents",
        "middle",
        "inspector",
        "findings",
        "find",
    ]
    assert [name for name in zones if name == "middle"] == ["middle"] * 2
    texts = [widget for widget in reached if isinstance(widget, RichText)]
    assert texts
    assert all('href="' in text.toHtml() for text in texts)
    window.studio.find.box.setFocus()
    backwards = [zone(window, widget) for widget in walk(window, qtbot, Qt.Key.Key_Backtab)]
    assert backwards[0] == "findings"


def test_what_the_keyboard_reaches_is_in_view(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    window.activateWindow()
    window.resize(1000, 420)
    open_in(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    view = window.studio.inspector.view
    qtbot.waitUntil(lambda: len(view.sheet.sections) > 4)
    window.studio.find.box.setFocus()
    seen = 0
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        reached = QApplication.focusWidget()
        if reached is not None and view.isAncestorOf(reached):
            top = reached.mapTo(view, QPoint()).y()
            assert top < view.height()
            assert top + reached.height() > 0
            seen += 1
    assert seen > 4


def test_the_first_page_is_walked_without_a_model(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    reached = walk(window, qtbot, Qt.Key.Key_Tab)
    assert all(window.empty.isAncestorOf(widget) for widget in reached)
    assert len(reached) == 2


def test_find_walk_open_and_come_back_by_keys(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    window.activateWindow()
    open_in(window, [corpus / "sources" / "control.onnx"])
    canvas = window.studio.pair.panes[0].canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is window.studio.find.box
    qtbot.keyClicks(window.studio.find.box, "loop")
    qtbot.keyClick(window.studio.find.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: canvas.selection is not None)
    canvas.setFocus()
    with qtbot.waitSignal(window.studio.settled):
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert window.studio.workspace.graph(0) != 0
    with qtbot.waitSignal(window.studio.settled):
        qtbot.keyClick(canvas, Qt.Key.Key_Backspace)
    assert window.studio.workspace.graph(0) == 0
