"""The bridge from work in other threads to the window: answers arrive as calls in the UI thread.

A view owns a `Tasks`; what it started is dropped when the view goes. Runs that replace each other,
such as the layouts of one picture, share a lane: only the newest one's answer is delivered.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Hashable
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QThreadPool, Signal

from ortstudio.errors import StudioError
from ortstudio.ui.collector import Collector

Answer = TypeVar("Answer")

_MAILBOX = "ortstudio-mailbox"
_THREADS = 8
"""At least; most of them wait for a child process or a disk."""


class Task:
    """One run of a function: what the function asks and tells, and a way to stop it."""

    def __init__(self, mailbox: _Mailbox, progress: Callable[[int, int], None] | None) -> None:
        self._mailbox = mailbox
        self._progress = progress
        self._steps: tuple[int, int] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the function to end. If it has an answer all the same, that is still delivered."""
        self._cancelled = True

    def cancelled(self) -> bool:
        """Whether to stop. The function asks, and raises what it likes to end."""
        return self._cancelled

    def progress(self, done: int, total: int) -> None:
        """Told by the function as often as it likes; the window hears only the newest state."""
        announced = self._steps is not None
        self._steps = done, total
        if self._progress is not None and not announced:
            self._mailbox.progressed.emit(self)

    def show_progress(self) -> None:
        """Pass the newest state on, in the UI thread."""
        steps, self._steps = self._steps, None
        if steps is not None and self._progress is not None:
            self._progress(*steps)


class Tasks(QObject):
    """Runs functions off the UI thread and calls back in it, as long as `parent` lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QCoreApplication.instance()
        assert app is not None, "answers arrive through the event loop of an application"
        self._pool = QThreadPool.globalInstance()
        self._pool.setMaxThreadCount(max(_THREADS, self._pool.maxThreadCount()))
        self._mailbox = app.findChild(_Mailbox, _MAILBOX) or _Mailbox(app)
        self._mailbox.progressed.connect(self._show_progress)
        self._mailbox.ended.connect(self._deliver)
        running: dict[Task, Hashable] = {}
        self._running = running
        self.destroyed.connect(lambda: _cancel(running))
        app.aboutToQuit.connect(self.cancel_all)

    def run(
        self,
        function: Callable[[Task], Answer],
        *,
        done: Callable[[Answer], None],
        failed: Callable[[StudioError], None],
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], None] | None = None,
        lane: Hashable = None,
    ) -> Task:
        """Start a function in another thread and return at once.

        The function asks its task `cancelled()` and tells it `progress(done, total)`. When it ends,
        one of `done`, `failed` and `cancelled` is called in the UI thread, unless a newer run of
        the same lane has replaced it or `drop` or the end of the owner took it away. An exception
        that is no `StudioError` goes to `sys.excepthook` as well.
        """
        task, mailbox = Task(self._mailbox, progress), self._mailbox
        if lane is not None:
            self.drop(lane)
        self._running[task] = lane

        def work() -> None:
            outcome = _outcome(task, function, done, failed, cancelled)
            with contextlib.suppress(RuntimeError):  # The application is gone: nobody waits.
                mailbox.ended.emit(task, outcome)

        self._pool.start(work)
        return task

    def drop(self, lane: Hashable) -> None:
        """Stop the lane's run and forget its answer: nobody waits for it any more."""
        for task in [task for task, other in self._running.items() if other == lane]:
            task.cancel()
            del self._running[task]

    def cancel_all(self) -> None:
        """Ask every run to end."""
        _cancel(self._running)

    def is_idle(self) -> bool:
        """Whether nothing that anyone waits for is running."""
        return not self._running

    def _show_progress(self, task: Task) -> None:
        if task in self._running:
            task.show_progress()

    def _deliver(self, task: Task, end: Callable[[], None]) -> None:
        if task in self._running:
            del self._running[task]
            end()


class _Mailbox(QObject):
    """Lives as long as the application, so that no thread posts to what is being deleted."""

    progressed = Signal(object)
    ended = Signal(object, object)

    def __init__(self, app: QCoreApplication) -> None:
        super().__init__(app)
        self.setObjectName(_MAILBOX)
        Collector(self)


def _outcome(
    task: Task,
    function: Callable[[Task], Answer],
    done: Callable[[Answer], None],
    failed: Callable[[StudioError], None],
    cancelled: Callable[[], None] | None,
) -> Callable[[], None]:
    """Run the function in this thread; what is to be called in the UI thread."""
    if task.cancelled():  # While it waited for a free thread.
        return cancelled or _nothing
    try:
        answer = function(task)
    except Exception as error:  # noqa: BLE001 - whatever it is, the UI thread has to know
        caught = error
    else:
        return lambda: done(answer)
    if task.cancelled():
        return cancelled or _nothing
    if isinstance(caught, StudioError):
        return lambda: failed(caught)
    return lambda: _crashed(caught, failed)


def _crashed(error: Exception, failed: Callable[[StudioError], None]) -> None:
    """A mistake of ours: tell it where all of them go, and let the view leave its waiting."""
    sys.excepthook(type(error), error, error.__traceback__)
    failed(StudioError(f"ORT Studio made a mistake: {type(error).__name__}: {error}"))


def _nothing() -> None:
    pass


def _cancel(tasks: dict[Task, Hashable]) -> None:
    for task in tuple(tasks):
        task.cancel()
