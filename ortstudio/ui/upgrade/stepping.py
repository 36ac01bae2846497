"""Takes the wizard from state to state: its work goes on in other threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import Conversion, ConvertProgress
from ortstudio.services.runtimes import Places, Runtime, at_hand
from ortstudio.services.upgrade.planned import UpgradePlan
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.wizard import (
    Explained,
    Looking,
    Reported,
    Request,
    State,
    Upgrading,
)
from ortstudio.ui.runtimes.choosing import Choosing
from ortstudio.ui.tasks import Task, Tasks

_PHASES = {
    "write": "Writing",
    "compare": "Comparing node for node:",
    "load": "Loading, to verify:",
    "run": "Running, to verify:",
    "publish": "Putting in its place:",
}


class Stepping(QObject):
    """Where the wizard is, and what can be asked of it there. What does not fit is passed over."""

    changed = Signal()
    """It is in another state, or knows more in this one."""
    said = Signal(str, int, int)
    """What is being done, and how much of how much; 0 of 0 where nobody knows."""
    failed = Signal(object)
    """Something could not be done: a `StudioError`. What stood before stands again."""
    left = Signal()
    """Nobody waits for the first look any more."""

    def __init__(self, request: Request, places: Places, parent: QObject) -> None:
        super().__init__(parent)
        self._places = places
        self._tasks = Tasks(self)
        self._task: Task | None = None
        self._told: list[ConvertProgress] = []
        self._choosing = Choosing(places, self)
        self.child_under: Callable[[Runtime], Child] = Runtime.child
        self.state: State = Looking(request)
        self._choosing.said.connect(lambda words: self.said.emit(words, 0, 0) if words else None)
        self._choosing.made.connect(self._brought)
        self._choosing.failed.connect(self.failed)

    @property
    def is_busy(self) -> bool:
        """Whether something is under way that can be cancelled."""
        return self._task is not None or self._choosing.is_busy

    def runtimes(self) -> Sequence[Runtime]:
        """The releases at hand."""
        return at_hand(self._places)

    def look(self) -> None:
        """Have the files looked at."""
        state = self.state
        if not isinstance(state, Looking):
            return

        def work(task: Task) -> UpgradePlan:
            return state.look(
                runtimes=self.runtimes, on_progress=task.progress, cancelled=task.cancelled
            )

        self._task = self._tasks.run(
            work,
            done=lambda found: self._end(state.looked(found)),
            failed=self._fail,
            progress=lambda done, total: self.said.emit("Looking at the files…", done, total),
            cancelled=self._leave,
            lane="look",
        )
        self.changed.emit()
        self.said.emit("Looking at the files…", 0, 0)

    def choose(self, settings: UpgradeSettings) -> None:
        """Want something else."""
        if isinstance(self.state, Explained):
            self.state = self.state.chosen(settings)
            self.look()

    def tick(self, path: Path, ticked: bool) -> None:
        """Take a file in, or leave it out."""
        if isinstance(self.state, Explained):
            self._enter(self.state.leaving_out(path, out=not ticked))

    def agree(self, agreed: bool) -> None:
        """Agree to the loss of saved optimizations, or no longer."""
        if isinstance(self.state, Explained):
            self._enter(self.state.agreeing(agreed))

    def install(self, release: str) -> None:
        """Bring a release, then look again."""
        self._choosing.install(release)
        self.changed.emit()

    def start(self) -> None:
        """Upgrade."""
        if not isinstance(self.state, Explained) or self.state.obstacle:
            return
        state = self.state.started()
        told, child_under = self._told, self.child_under
        told.clear()

        def work(task: Task) -> Conversion:
            def tell(now: ConvertProgress) -> None:
                told.append(now)
                task.progress(len(told), 0)

            return state.upgrade(
                on_progress=tell, cancelled=task.cancelled, child_under=child_under
            )

        self._task = self._tasks.run(
            work,
            done=self._ended,
            failed=self._fail,
            progress=lambda _done, _total: self._hear(),
        )
        self._enter(state)
        self.said.emit("Upgrading…", 0, 0)

    def back(self) -> None:
        """From the report to the files as they are by now."""
        if isinstance(self.state, Reported):
            self.state = self.state.back()
            self.look()

    def cancel(self) -> None:
        """Stop what is under way. What is finished stays."""
        self.said.emit("Cancelling…", 0, 0)
        if self._task is not None:
            self._task.cancel()
        if self._choosing.is_busy:
            self._choosing.cancel()

    def _enter(self, state: State) -> None:
        self.state = state
        self.changed.emit()

    def _end(self, state: State) -> None:
        """The work of a state is over: the next one."""
        self._task = None
        self._enter(state)

    def _leave(self) -> None:
        """Nobody waits for the look: what was there before stands again."""
        state = self.state
        self._task = None
        if isinstance(state, Looking) and state.before is not None:
            self._enter(state.before)
        else:
            self.left.emit()

    def _brought(self, _runtime: object) -> None:
        if isinstance(self.state, Explained):
            self.choose(self.state.request.settings)

    def _fail(self, error: StudioError) -> None:
        state = self.state
        self._task = None
        if isinstance(state, (Looking, Upgrading)) and state.before is not None:
            self._enter(state.before)
        self.failed.emit(error)

    def _hear(self) -> None:
        """Take in all that was told since the last time."""
        state = self.state
        news = self._told[:]
        del self._told[: len(news)]
        if not isinstance(state, Upgrading) or not news:
            return
        for now in news:
            state = state.told(now)
        self._enter(state)
        newest, total = news[-1], len(state.plan.rows)
        ended = sum(now.state.is_end for now in state.progress.values())
        words = f"{_PHASES.get(newest.phase, 'Upgrading')} {newest.source.name}"
        self.said.emit(words, ended, total if total > 1 else 0)

    def _ended(self, done: Conversion) -> None:
        self._hear()
        if isinstance(self.state, Upgrading):
            self._end(self.state.ended(done))
