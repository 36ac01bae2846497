"""The rows of a run as they fill, and who is told of it. For several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ortstudio.services.conversion import Converted, ConvertProgress, State
from ortstudio.services.convert_planned import ConvertPlan

OnProgress = Callable[[ConvertProgress], None]

_VERIFYING = ("read", "load", "run", "publish")


class Board:
    """What became of every source of a plan so far. `on_progress` is called one at a time."""

    def __init__(self, plan: ConvertPlan, on_progress: OnProgress | None) -> None:
        self._sources = plan.sources
        self._on_progress = on_progress
        self._rows: dict[int, Converted] = {}
        self._began_ns: dict[int, int] = {}
        self._telling = threading.RLock()
        for index in range(len(plan.sources)):
            self._tell(index, State.QUEUED)

    def begin(self, index: int) -> Callable[[str], None]:
        """The work on a source begins; what is given takes the phases of the work."""
        self._began_ns[index] = time.perf_counter_ns()

        def report(phase: str) -> None:
            state = State.VERIFYING if phase in _VERIFYING else State.CONVERTING
            self._tell(index, state, phase)

        return report

    def requeue(self, index: int) -> None:
        """The work on a source will begin anew."""
        del self._began_ns[index]
        self._tell(index, State.QUEUED)

    def end(self, index: int, row: Converted) -> None:
        """The source has come to its end."""
        self._rows[index] = row
        self._tell(index, row.state, row=row)

    def row(self, index: int) -> Converted | None:
        """The end of a source; None before."""
        return self._rows.get(index)

    def _tell(
        self, index: int, state: State, phase: str = "", row: Converted | None = None
    ) -> None:
        if self._on_progress is None:
            return
        source, began_ns = self._sources[index], self._began_ns.get(index)
        now = ConvertProgress(
            source.source,
            index,
            len(self._sources),
            phase,
            state,
            source_bytes=sum(identity.size for _path, identity in source.identities),
            output_bytes=sum(output.size_bytes for output in row.outputs) if row else 0,
            elapsed_ns=0 if began_ns is None else time.perf_counter_ns() - began_ns,
            result=row,
        )
        with self._telling:
            self._on_progress(now)
