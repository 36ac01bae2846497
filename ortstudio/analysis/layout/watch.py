"""Progress of a long computation, and the question whether to go on with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ortstudio.analysis.layout.types import Cancelled

_OFTEN = 4096
"""Elements looked at between two questions: some milliseconds."""


class Watch:
    """Asks `cancelled` while work goes on, and tells `progress` the steps done and to do."""

    def __init__(
        self,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._cancelled = cancelled
        self._progress = progress
        self._ticks = 0
        self._done = 0
        self._total = 0

    def check(self) -> None:
        """Raise `Cancelled` if the caller wants no more."""
        self._ticks = 0
        if self._cancelled is not None and self._cancelled():
            raise Cancelled

    def tick(self, elements: int) -> None:
        """So many elements were looked at; checks every few thousand."""
        self._ticks += elements
        if self._ticks >= _OFTEN:
            self.check()

    def parts(self, items: Sequence[int]) -> Iterator[Sequence[int]]:
        """The items in runs, with a check before each."""
        for start in range(0, len(items), _OFTEN):
            self.check()
            yield items[start : start + _OFTEN]

    def expect(self, total: int) -> None:
        """From here on, `total` steps are to be done."""
        self._total = total
        self.reach(0)

    def did(self, steps: int) -> None:
        """So many more steps are done."""
        self.reach(self._done + steps)

    def reach(self, done: int) -> None:
        """All steps up to `done` are done, some perhaps because they turned out needless."""
        self._done = done
        if self._progress is not None and self._total > 0:
            self._progress(done, self._total)
