"""Works through a plan of upgrades, one file after the other, with a child for each release."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    ConvertProgress,
    NotStartedError,
    NotTriedError,
    State,
)
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.runtimes import Runtime
from ortstudio.services.upgrade.planned import PlannedUpgrade, UpgradePlan
from ortstudio.services.upgrade.upgraded import Upgraded
from ortstudio.services.upgrade.work import Work

OnProgress = Callable[[ConvertProgress], None]
_VERIFYING = ("compare", "load", "run", "publish")


def run(
    plan: UpgradePlan,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] | None = None,
    child_under: Callable[[Runtime], Child] = Runtime.child,
) -> Conversion:
    """Upgrade what was planned. Blocks. Every trouble with a file stands in its row.

    A file that fails ends only itself. `phase` of the progress is `write`, `compare`, `load`, `run`
    or `publish`; `cancelled` is asked many times a second while a child works.
    """
    is_cancelled = cancelled or _never
    rows: list[Upgraded] = []
    with temporary_folder() as folder, _children(child_under) as child_of:
        stopped: StudioError | None = None
        for place, planned in enumerate(plan.rows):
            teller = _Teller(planned, place, len(plan.rows), on_progress)
            stopped = _cancelled() if is_cancelled() else stopped
            if stopped is not None and planned.is_wanted:
                row = _left(planned, stopped)
            else:
                work = Work(planned, child_of, folder, teller.report, is_cancelled)
                row = work.upgrade()
            if isinstance(row.error, NotStartedError):
                stopped = NotTriedError("Not tried: no child process can be started")
            teller.end(row)
            rows.append(row)
    return Conversion(tuple(rows), "upgrade", skipped=plan.skipped)


def _cancelled() -> CancelledError:
    return CancelledError("The upgrade was cancelled before it began")


def _left(planned: PlannedUpgrade, why: StudioError) -> Upgraded:
    """The end of a file whose turn did not come."""
    return Upgraded(planned.source, (), error=why, opened=planned.opened, planned=planned)


class _Teller:
    """Says how far one file is."""

    def __init__(
        self, planned: PlannedUpgrade, place: int, count: int, on_progress: OnProgress | None
    ) -> None:
        self._planned = planned
        self._place = place
        self._count = count
        self._on_progress = on_progress
        self._began_ns = time.perf_counter_ns()

    def report(self, phase: str) -> None:
        """A step begins."""
        state = State.VERIFYING if phase in _VERIFYING else State.CONVERTING
        self._tell(state, phase)

    def end(self, row: Upgraded) -> None:
        """It has come to its end."""
        self._tell(row.state, "", row)

    def _tell(self, state: State, phase: str, row: Upgraded | None = None) -> None:
        if self._on_progress is None:
            return
        identity = self._planned.identity
        self._on_progress(
            ConvertProgress(
                self._planned.source,
                self._place,
                self._count,
                phase,
                state,
                source_bytes=identity.size if identity else 0,
                output_bytes=sum(one.size_bytes for one in row.outputs) if row else 0,
                elapsed_ns=time.perf_counter_ns() - self._began_ns,
                result=row,
            )
        )


@contextmanager
def _children(child_under: Callable[[Runtime], Child]) -> Iterator[Callable[[Runtime], Child]]:
    """Inside, one child for each release, started when needed and replaced when it has ended."""
    sitting: dict[str, Child] = {}

    def child_of(runtime: Runtime) -> Child:
        child = sitting.get(runtime.name)
        if child is None or not child.usable:
            if child is not None:
                child.close()
            child = sitting[runtime.name] = child_under(runtime)
        return child

    try:
        yield child_of
    finally:
        for child in sitting.values():
            child.close()


def _never() -> bool:
    return False
