"""Garbage is collected where widgets may die: in the UI thread."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ortstudio.ui.collector import collector_of_closed
from ortstudio.ui.tasks import Task, Tasks


class Cycle(QWidget):
    """A widget that only the garbage collector can take down."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self


def test_a_widget_in_a_cycle_dies_in_the_ui_thread_however_busy_the_others_are(
    qtbot: QtBot,
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    died: list[threading.Thread] = []
    for _ in range(20):
        weakref.finalize(Cycle(), lambda: died.append(threading.current_thread()))

    def allocate(task: Task) -> int:
        kept = [[k] for k in range(200_000)]
        while not task.cancelled() and len(died) < 20:
            kept = [[k] for k in range(50_000)]
        return len(kept)

    tasks = Tasks(owner)
    assert not gc.isenabled()
    running = tasks.run(allocate, done=lambda _: None, failed=lambda _: None)
    qtbot.waitUntil(lambda: len(died) == 20, timeout=30_000)
    running.cancel()
    assert set(died) == {threading.main_thread()}


def test_what_was_closed_is_collected_even_when_old(qtbot: QtBot) -> None:
    class Large:
        """Something in a cycle that has survived earlier collections."""

    large = Large()
    large.itself = large  # type: ignore[attr-defined]
    gc.collect()
    gone = weakref.ref(large)
    owner = QObject()
    timer = collector_of_closed(owner)
    timer.setInterval(0)
    timer.start()
    del large
    qtbot.waitUntil(lambda: gone() is None)
