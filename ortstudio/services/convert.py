"""ONNX → ORT: works through a plan, in a child process."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ortstudio.jobs.runner import Child, agent_child, children
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    Converted,
    ConvertProgress,
    NotStartedError,
    State,
)
from ortstudio.services.convert_planned import ConvertPlan, PlannedSource
from ortstudio.services.convert_work import Work

OnProgress = Callable[[ConvertProgress], None]


def run(
    plan: ConvertPlan,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Conversion:
    """Convert what was planned, one source after the other, in one child. Blocks.

    `cancelled` is asked many times a second. Every trouble with a source stands in its row.
    """
    tellers = [Teller(planned, i, plan, on_progress) for i, planned in enumerate(plan.sources)]
    rows: list[Converted] = []
    with tempfile.TemporaryDirectory(prefix="ortstudio-") as folder, children(make_child) as child:
        for planned, teller in zip(plan.sources, tellers, strict=True):
            work = Work(planned, child, Path(folder), teller.begin(), cancelled)
            rows.append(work.convert())
            teller.end(rows[-1])
            if isinstance(rows[-1].error, CancelledError | NotStartedError):
                break
    return Conversion(tuple(rows))


class Teller:
    """Tells what becomes of one source."""

    def __init__(
        self, planned: PlannedSource, index: int, plan: ConvertPlan, on_progress: OnProgress | None
    ) -> None:
        self._planned = planned
        self._index = index
        self._count = len(plan.sources)
        self._on_progress = on_progress
        self._source_bytes = sum(identity.size for _path, identity in planned.identities)
        self._start_ns = 0
        self._tell(State.QUEUED)

    def begin(self) -> Callable[[str], None]:
        """The work on it begins; what is given takes the phases of the work."""
        self._start_ns = time.perf_counter_ns()
        return lambda phase: self._tell(_STATES.get(phase, State.CONVERTING), phase)

    def end(self, row: Converted) -> None:
        """The work on it is over."""
        self._tell(row.state, result=row)

    def _tell(self, state: State, phase: str = "", result: Converted | None = None) -> None:
        if self._on_progress is None:
            return
        progress = ConvertProgress(
            self._planned.source,
            self._index,
            self._count,
            phase,
            state,
            source_bytes=self._source_bytes,
            output_bytes=sum(output.size_bytes for output in result.outputs) if result else 0,
            elapsed_ns=time.perf_counter_ns() - self._start_ns if self._start_ns else 0,
            result=result,
        )
        self._on_progress(progress)


_STATES = dict.fromkeys(("read", "load", "run", "publish"), State.VERIFYING)
