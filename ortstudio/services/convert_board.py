"""The rows of a run as they fill, and who is told of it. For several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from ortstudio.services.conversion import Converted, ConvertProgress, State
from ortstudio.services.convert_planned import PlannedSource

OnProgress = Callable[[ConvertProgress], None]

_VERIFYING = ("read", "load", "run", "publish")


class Board:
    """What became of each of `count` sources so far. `on_progress` is called one at a time."""

    def __init__(self, count: int, on_progress: OnProgress | None) -> None:
        self._count = count
        self._sources: list[PlannedSource] = []
        self._on_progress = on_progress
        self._rows: dict[int, Converted] = {}
        self._began_ns: dict[int, int] = {}
        self._telling = threading.RLock()

    def add(self, source: PlannedSource) -> int:
        """The next source, and its place."""
        self._sources.append(source)
        index = len(self._sources) - 1
        self._tell(index, State.QUEUED)
        return index

    @property
    def sources(self) -> Sequence[PlannedSource]:
        """Those that were added."""
        return self._sources

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
            self._count,
            phase,
            state,
            source_bytes=sum(identity.size for _path, identity in source.identities),
            output_bytes=sum(output.size_bytes for output in row.outputs) if row else 0,
            elapsed_ns=0 if began_ns is None else time.perf_counter_ns() - began_ns,
            result=row,
        )
        with self._telling:
            self._on_progress(now)
