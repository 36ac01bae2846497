"""Dropping files: what is said while they hover, and what is delivered after."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.errors import FormatError
from ortstudio.ui import theme
from ortstudio.ui.views.drop import DropTarget, Outlook, local_paths
from tests.gui.drops import Drag, drop_files

A, B = Path("/models/a b.onnx").absolute(), Path("/models/ü.ort").absolute()


def plan(paths: Sequence[Path]) -> Outlook:
    if any(path.suffix == ".txt" for path in paths):
        return Outlook(f"Not a model: {paths[0].name}", accepted=False)
    if any(path.suffix == ".bad" for path in paths):
        raise FormatError("Cut short")
    if any(path.suffix == ".zip" for path in paths):
        return Outlook("Not a model: a.zip", warns=True)
    return Outlook(f"Convert {len(paths)} models")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


@pytest.fixture
def target(window: QWidget) -> DropTarget:
    return DropTarget(window, plan)


def said(window: QWidget) -> str:
    return "".join(c.accessibleName() for c in window.findChildren(QWidget) if c.isVisible())


def test_only_local_files_count_and_each_once() -> None:
    mime = QMimeData()
    assert local_paths(mime) == ()
    urls = [QUrl.fromLocalFile(str(path)) for path in (B, A, B)]
    mime.setUrls([*urls, QUrl("https://example.org/model.onnx")])
    assert local_paths(mime) == (B, A)


def test_hovering_files_say_what_will_happen(
    window: QWidget, target: DropTarget, qtbot: QtBot
) -> None:
    drag = Drag(window, [A, B])
    assert drag.enter()
    qtbot.waitUntil(lambda: said(window) == "Convert 2 models")
    assert drag.move()
    drag.leave()
    assert said(window) == ""
    with qtbot.assertNotEmitted(target.dropped, wait=20):
        pass


def test_what_is_no_model_is_refused_with_its_name(
    window: QWidget, target: DropTarget, qtbot: QtBot
) -> None:
    drag = Drag(window, [Path("/notes.txt")])
    assert drag.enter()
    qtbot.waitUntil(lambda: said(window) == "Not a model: notes.txt")
    assert not drag.move()
    with qtbot.assertNotEmitted(target.dropped, wait=20):
        assert not drag.drop()
    assert said(window) == ""


def test_what_would_only_be_explained_does_not_invite_but_is_taken(
    window: QWidget, target: DropTarget, qtbot: QtBot
) -> None:
    drag = Drag(window, [Path("/a.zip")])
    assert drag.enter()
    qtbot.waitUntil(lambda: said(window) == "Not a model: a.zip")
    image = window.grab().toImage()
    row = {image.pixelColor(x, 12).name() for x in range(30, 200)}
    assert theme.LIGHT.error.name() in row
    assert theme.LIGHT.accent.name() not in row
    with qtbot.waitSignal(target.dropped):
        assert drag.drop()


@pytest.mark.usefixtures("target")
def test_a_file_that_cannot_be_read_says_so(window: QWidget, qtbot: QtBot) -> None:
    drag = Drag(window, [Path("/x.bad")])
    drag.enter()
    qtbot.waitUntil(lambda: said(window) == "Cut short")
    assert not drag.move()


def test_paths_are_delivered_after_the_drop_is_over(
    window: QWidget, target: DropTarget, qtbot: QtBot
) -> None:
    heard: list[tuple[Path, ...]] = []
    target.dropped.connect(heard.append)
    drag = Drag(window, [A, B])
    assert drag.enter()
    assert drag.move()
    assert drag.drop()
    assert heard == []
    qtbot.waitUntil(lambda: heard == [(A, B)])
    assert drag.action == Qt.DropAction.CopyAction


def test_a_drop_before_the_plan_is_known_is_delivered(window: QWidget, qtbot: QtBot) -> None:
    gate = threading.Event()

    def slow(_paths: Sequence[Path]) -> Outlook:
        gate.wait(10)
        return Outlook("late")

    target = DropTarget(window, slow)
    with qtbot.waitSignal(target.dropped) as heard:
        assert drop_files(window, A)
    gate.set()
    assert heard.args == [(A,)]
    qtbot.wait(20)
    assert said(window) == ""


def test_a_drop_on_a_child_reaches_the_window(
    window: QWidget, target: DropTarget, qtbot: QtBot
) -> None:
    child = QLabel("child", window)
    child.show()
    with qtbot.waitSignal(target.dropped):
        assert drop_files(child, A)


@pytest.mark.usefixtures("target")
def test_dragged_text_is_left_alone(window: QWidget) -> None:
    drag = Drag(window, [])
    drag.mime.setText("words")
    assert not drag.enter()
    assert said(window) == ""


QUITTING = """
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from ortstudio.ui import theme
from ortstudio.ui.views.drop import DropTarget, Outlook
from tests.gui.drops import drop_files

app = QApplication([])
window = QWidget()
target = DropTarget(window, lambda paths: Outlook(str(len(paths))))
target.dropped.connect(lambda paths: (print(paths[0].name), app.quit()))
QTimer.singleShot(0, lambda: drop_files(window, Path("/a.onnx")))
app.exec()
"""


def test_the_program_may_end_at_a_drop() -> None:
    run = subprocess.run(
        [sys.executable, "-c", QUITTING],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert (run.returncode, run.stdout.strip()) == (0, "a.onnx")
