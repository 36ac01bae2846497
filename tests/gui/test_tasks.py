"""Work off the UI thread: answers come back in it, stale ones never, and it keeps ticking."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import QObject, QThreadPool, QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from ortstudio.errors import FormatError, StudioError
from ortstudio.ui.tasks import Task, Tasks


def unexpected(error: StudioError) -> None:
    raise AssertionError(error)


@pytest.fixture
def tasks() -> Iterator[Tasks]:
    owner = QObject()
    yield Tasks(owner)
    owner.deleteLater()


def wait_idle(qtbot: QtBot, tasks: Tasks) -> None:
    qtbot.waitUntil(tasks.is_idle, timeout=10_000)


def until(event: threading.Event, value: str) -> Callable[[Task], str]:
    """A function that answers `value` once the event is set."""

    def function(_task: Task) -> str:
        event.wait(10)
        return value

    return function


def answer_with(number: int, _task: Task) -> int:
    return number


def test_answer_is_delivered_in_the_ui_thread(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[tuple[int, bool]] = []
    tasks.run(
        lambda _: threading.get_ident(),
        done=lambda ident: seen.append((ident, threading.current_thread() is MAIN)),
        failed=unexpected,
    )
    wait_idle(qtbot, tasks)
    assert len(seen) == 1
    assert seen[0][0] != MAIN.ident
    assert seen[0][1]


MAIN = threading.main_thread()


def test_only_the_newest_of_a_lane_is_delivered(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[str] = []
    first, second = threading.Event(), threading.Event()
    old = tasks.run(until(first, "old"), done=seen.append, failed=unexpected, lane="layout")
    other = tasks.run(until(first, "other"), done=seen.append, failed=unexpected, lane="stats")
    tasks.run(until(second, "new"), done=seen.append, failed=unexpected, lane="layout")
    assert old.cancelled()
    assert not other.cancelled()
    first.set()
    qtbot.waitUntil(lambda: seen == ["other"], timeout=10_000)
    qtbot.wait(20)
    assert seen == ["other"]
    second.set()
    wait_idle(qtbot, tasks)
    assert seen == ["other", "new"]


def test_runs_without_a_lane_do_not_replace_each_other(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[int] = []
    for number in range(20):
        tasks.run(partial(answer_with, number), done=seen.append, failed=unexpected)
    wait_idle(qtbot, tasks)
    assert sorted(seen) == list(range(20))


def test_a_dropped_lane_stays_silent(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[str] = []
    gate = threading.Event()
    task = tasks.run(until(gate, "late"), done=seen.append, failed=unexpected, lane="open")
    tasks.drop("open")
    assert task.cancelled()
    assert tasks.is_idle()
    gate.set()
    qtbot.wait(50)
    assert seen == []


def test_answer_is_dropped_when_the_owner_is_gone(qtbot: QtBot) -> None:
    owner = QObject()
    tasks = Tasks(owner)
    seen: list[str] = []
    started, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def function(_task: Task) -> str:
        started.set()
        gate.wait(10)
        ended.set()
        return "late"

    task = tasks.run(function, done=seen.append, failed=unexpected)
    qtbot.waitUntil(started.is_set, timeout=10_000)
    owner.deleteLater()
    qtbot.waitUntil(task.cancelled, timeout=10_000)
    gate.set()
    qtbot.waitUntil(ended.is_set, timeout=10_000)
    qtbot.wait(50)
    assert seen == []


def test_event_loop_keeps_ticking_while_work_runs(qtbot: QtBot, tasks: Tasks) -> None:
    ticks: list[int] = []
    timer = QTimer(interval=1)
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start()
    enough = threading.Event()

    def function(_task: Task) -> int:
        count = 0
        while not enough.is_set():
            count += 1
        return count

    seen: list[int] = []
    tasks.run(function, done=seen.append, failed=unexpected)
    qtbot.waitUntil(lambda: len(ticks) > 5, timeout=10_000)
    assert seen == []
    enough.set()
    wait_idle(qtbot, tasks)
    assert seen[0] > 0


def test_progress_arrives_in_order_and_is_not_repeated(qtbot: QtBot, tasks: Tasks) -> None:
    heard: list[tuple[int, int]] = []

    def function(task: Task) -> None:
        for done in range(10_001):
            task.progress(done, 10_000)

    tasks.run(
        function,
        done=lambda _: None,
        failed=unexpected,
        progress=lambda done, total: heard.append((done, total)),
    )
    wait_idle(qtbot, tasks)
    assert heard == sorted(set(heard))
    assert heard[-1] == (10_000, 10_000)


def test_our_own_errors_are_answers(qtbot: QtBot, tasks: Tasks) -> None:
    def function(_task: Task) -> None:
        raise FormatError("cut short")

    errors: list[StudioError] = []
    tasks.run(function, done=lambda _: None, failed=errors.append)
    wait_idle(qtbot, tasks)
    assert [str(error) for error in errors] == ["cut short"]


def test_a_mistake_of_ours_reaches_the_crash_hook_and_the_view(qtbot: QtBot, tasks: Tasks) -> None:
    def function(_task: Task) -> None:
        raise KeyError("gone")

    errors: list[StudioError] = []
    with capture_exceptions() as crashes:
        tasks.run(function, done=lambda _: None, failed=errors.append)
        wait_idle(qtbot, tasks)
    assert [kind for kind, _, _ in crashes] == [KeyError]
    assert "KeyError" in str(errors[0])


def test_cancelled_work_says_so_once(qtbot: QtBot, tasks: Tasks) -> None:
    class EnoughError(Exception):
        pass

    def function(task: Task) -> None:
        while not task.cancelled():
            pass
        raise EnoughError

    ends: list[str] = []
    task = tasks.run(
        function,
        done=lambda _: ends.append("done"),
        failed=unexpected,
        cancelled=lambda: ends.append("cancelled"),
    )
    task.cancel()
    wait_idle(qtbot, tasks)
    assert ends == ["cancelled"]


def test_an_answer_that_was_ready_in_spite_of_cancel_is_kept(qtbot: QtBot, tasks: Tasks) -> None:
    started, gate = threading.Event(), threading.Event()
    seen: list[str] = []

    def function(_task: Task) -> str:
        started.set()
        gate.wait(10)
        return "written"

    task = tasks.run(function, done=seen.append, failed=unexpected)
    qtbot.waitUntil(started.is_set, timeout=10_000)
    task.cancel()
    gate.set()
    wait_idle(qtbot, tasks)
    assert seen == ["written"]


def test_what_is_cancelled_before_it_starts_never_runs(qtbot: QtBot, tasks: Tasks) -> None:
    gate = threading.Event()
    ran: list[str] = []
    for _ in range(QThreadPool.globalInstance().maxThreadCount()):
        tasks.run(until(gate, ""), done=lambda _: None, failed=unexpected)

    def function(_task: Task) -> None:
        ran.append("ran")

    task = tasks.run(
        function,
        done=lambda _: None,
        failed=unexpected,
        cancelled=lambda: ran.append("cancelled"),
    )
    task.cancel()
    gate.set()
    wait_idle(qtbot, tasks)
    assert ran == ["cancelled"]


QUITTING = """
from PySide6.QtCore import QCoreApplication, QTimer
from ortstudio.ui.tasks import Tasks

app = QCoreApplication([])
tasks = Tasks(app)
started = []

def function(task):
    started.append(1)
    while not task.cancelled():
        pass
    print("stopped")

tasks.run(function, done=print, failed=print)
poll = QTimer(interval=1)
poll.timeout.connect(lambda: started and app.quit())
poll.start()
app.exec()
"""


def test_quitting_ends_running_work_and_the_process() -> None:
    run = subprocess.run(
        [sys.executable, "-c", QUITTING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, "stopped")
