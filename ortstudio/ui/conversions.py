"""Conversions under way and done: one run at a time, each source a row with its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.words import size_text
from ortstudio.errors import JobError, StudioError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services import convert
from ortstudio.services.conversion import CancelledError, Conversion, Converted, ConvertProgress
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.tasks import Task, Tasks

_PHASES = {
    "convert": "Converting",
    "read": "Reading the result",
    "load": "Verifying: loading",
    "run": "Verifying: running",
    "publish": "Publishing",
}


@dataclass(frozen=True, slots=True)
class Job:
    """One source and how far it is. `state` is waiting, running, done, failed or cancelled."""

    source: Path
    state: str
    text: str
    result: Converted | None = None

    @property
    def details(self) -> str:
        """The runtime's own words, where there are any."""
        error = self.result.error if self.result else None
        return error.details if isinstance(error, JobError) else ""


class Conversions(QObject):
    """Runs conversions in a child process and tells how they go."""

    changed = Signal()
    """Rows or their states are not what they were."""
    progressed = Signal(str, int, int)
    """What is done now, and how many sources of how many are done."""
    ended = Signal(object)
    """A run is over: its `Conversion`."""
    failed = Signal(object)
    """A run could not even be planned: a `StudioError`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self._task: Task | None = None
        self._current: list[int] = []
        self.make_child: Callable[[], Child] = agent_child
        self.jobs: list[Job] = []

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._task is not None

    def start(self, sources: Sequence[Path], settings: ConvertSettings) -> None:
        """Convert these, unless a run is under way."""
        if self.is_running:
            return
        first = len(self.jobs)
        self.jobs += [Job(source, "waiting", "Waiting") for source in sources]
        self._current = list(range(first, len(self.jobs)))
        self.changed.emit()
        progress: list[ConvertProgress] = []

        def work(task: Task) -> Conversion:
            def report(now: ConvertProgress) -> None:
                if now.phase:
                    progress.append(now)
                    task.progress(len(progress), 0)

            return convert.run(
                plan(sources, settings),
                on_progress=report,
                cancelled=task.cancelled,
                make_child=self.make_child,
            )

        def show_progress(_done: int, _total: int) -> None:
            self._show_progress(progress[-1])

        self._task = self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            progress=show_progress,
            cancelled=lambda: self._done(Conversion(())),
        )

    def cancel(self) -> None:
        """Ask the run to end; what is finished stays."""
        if self._task is not None:
            self._task.cancel()

    def _show_progress(self, now: ConvertProgress) -> None:
        text = f"{_PHASES.get(now.phase, now.phase)} {now.source.name}"
        place = self._current[now.index] if now.index < len(self._current) else None
        if place is not None and self.jobs[place].state in ("waiting", "running"):
            self.jobs[place] = replace(self.jobs[place], state="running", text=text)
            self.changed.emit()
        self.progressed.emit(text, now.index, now.count)

    def _done(self, conversion: Conversion) -> None:
        self._task = None
        reached = dict(zip(self._current, conversion.results, strict=False))
        for place in self._current:
            self.jobs[place] = _ended(self.jobs[place], reached.get(place))
        self.changed.emit()
        self.ended.emit(conversion)

    def _failed(self, error: StudioError) -> None:
        self._task = None
        for place in self._current:
            self.jobs[place] = replace(self.jobs[place], state="failed", text=str(error))
        self.changed.emit()
        self.failed.emit(error)


def _ended(job: Job, result: Converted | None) -> Job:
    if result is None:
        return replace(job, state="cancelled", text="Not reached")
    if isinstance(result.error, CancelledError):
        return replace(job, state="cancelled", text="Cancelled", result=result)
    if result.error is not None:
        return replace(job, state="failed", text=str(result.error), result=result)
    return replace(job, state="done", text=summary(result), result=result)


def summary(result: Converted) -> str:
    """What came out, in one sentence."""
    sizes = [f"{output.path.name}, {size_text(output.size_bytes)}" for output in result.outputs]
    text = " and ".join(sizes)
    if result.verified is not None:
        return f"{text}. Outputs agree."
    return f"{text}. Not verified: {result.verify_skipped}." if result.verify_skipped else text
