"""Conversions under way and done: one run at a time, each source a row with its state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services import convert
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    Converted,
    ConvertProgress,
    FolderConfig,
    State,
)
from ortstudio.services.convert_plan import Planning
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.plan_freshness import still_holds
from ortstudio.ui.job import PHASES, Job
from ortstudio.ui.tasks import Task, Tasks


@dataclass(frozen=True, slots=True)
class KnownPlan:
    """A plan, what it was made for, and when it was begun, by the clock of file times."""

    sources: tuple[Path, ...]
    settings: ConvertSettings
    plan: ConvertPlan
    begun_s: float

    def fits(self, sources: Sequence[Path], settings: ConvertSettings) -> bool:
        """Whether it says what would happen with these now. Looks at every file's name."""
        same = (self.sources, self.settings) == (tuple(sources), settings)
        return same and still_holds(self.plan, sources, self.begun_s)


class Conversions(QObject):
    """Runs conversions in child processes and tells how they go."""

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
        self._first = 0
        self._asked: tuple[Sequence[Path], ConvertSettings] | None = None
        self._unwanted: set[int] = set()
        self.configs: tuple[FolderConfig, ...] = ()
        self._told: deque[ConvertProgress] = deque()
        self.make_child: Callable[[], Child] = agent_child
        self.jobs: list[Job] = []

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._task is not None

    @property
    def current(self) -> list[Job]:
        """The rows of the run that is under way, or was the last."""
        return self.jobs[self._first :]

    @property
    def can_resume(self) -> bool:
        """Whether the last run left something undone that another one may do."""
        undone = (State.CANCELLED, State.NOT_TRIED, State.FAILED)
        return not self.is_running and any(job.state in undone for job in self.current)

    def start(
        self, sources: Sequence[Path], settings: ConvertSettings, known: KnownPlan | None = None
    ) -> None:
        """Convert these, unless a run is under way; by a plan that is known if it still holds."""
        if not self.is_running:
            self._first = len(self.jobs)
            self._put_rows([row.source for row in known.plan.sources] if known else sources)
            self._run(sources, settings, known)

    def resume(self) -> None:
        """Do once more what was asked for last, but for what is finished; the rows stay theirs."""
        if self._asked is not None and not self.is_running:
            sources, settings = self._asked
            self._put_rows([job.source for job in self.current])
            self._run(sources, replace(settings, resume=True))

    def _run(
        self, sources: Sequence[Path], settings: ConvertSettings, known: KnownPlan | None = None
    ) -> None:
        self._asked = sources, settings
        self._unwanted = unwanted = set[int]()
        self.configs = ()
        self._told.clear()
        told, make_child = self._told, self.make_child

        def work(task: Task) -> Conversion:
            def tell(news: ConvertProgress) -> None:
                told.append(news)
                task.progress(len(told), 0)

            fits = known is not None and known.fits(sources, settings)
            return convert.run(
                known.plan
                if known and fits
                else Planning(sources, settings, make_child=make_child),
                on_progress=tell,
                cancelled=task.cancelled,
                unwanted=unwanted,
                make_child=make_child,
            )

        self._task = self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            progress=lambda _done, _total: self._hear(),
            cancelled=lambda: self._done(Conversion(())),
        )

    def cancel(self) -> None:
        """Ask the run to end; what is finished stays."""
        if self._task is not None:
            self._task.cancel()

    def cancel_some(self, jobs: Iterable[Job]) -> None:
        """Ask for the end of some of the run's sources; the others go on."""
        self._unwanted |= {job.progress.index for job in jobs if not job.state.is_end}

    def _put_rows(self, sources: Sequence[Path]) -> None:
        """Rows of the run, before anything is known of them."""
        queued = [
            Job(ConvertProgress(source, place, len(sources), state=State.QUEUED))
            for place, source in enumerate(sources)
        ]
        self.jobs[self._first :] = queued
        self.changed.emit()

    def _hear(self) -> None:
        """Take in all that was told since the last time."""
        newest: ConvertProgress | None = None
        while self._told:
            newest = self._told.popleft()
            place = self._first + newest.index
            self.jobs[place : place + 1] = [Job(newest)]
        if newest is not None:
            self.changed.emit()
            ended = sum(job.state.is_end for job in self.current)
            doing = PHASES.get(newest.phase)
            text = f"{doing} {newest.source.name}" if doing else newest.source.name
            self.progressed.emit(text, ended, newest.count)

    def _done(self, conversion: Conversion) -> None:
        self._task = None
        self._hear()
        self.configs = conversion.configs
        rows = dict(enumerate(conversion.results))
        if rows:  # A folder may have fewer models than when it was planned.
            del self.jobs[self._first + len(rows) :]
        for place, job in enumerate(self.current):
            if not job.state.is_end:
                self.jobs[self._first + place] = _at_end(job, rows.get(place))
        self.changed.emit()
        self.ended.emit(conversion)

    def _failed(self, error: StudioError) -> None:
        self._task = None
        for place, job in enumerate(self.current):
            result = Converted(job.source, (), error=error)
            self.jobs[self._first + place] = _at_end(job, result)
        self.changed.emit()
        self.failed.emit(error)


def _at_end(job: Job, result: Converted | None) -> Job:
    """What became of a source that nothing more was told of."""
    if result is None:
        result = Converted(job.source, (), error=CancelledError("Not reached"))
    now = job.progress
    progress = ConvertProgress(
        now.source, now.index, now.count, state=result.state, elapsed_ns=0, result=result
    )
    return Job(progress)
