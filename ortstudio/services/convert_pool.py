"""Children side by side: each serves one source after the other, all within a budget of memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.errors import JobError, RefusedError, StudioError, Where
from ortstudio.jobs.admission import Admission, Share
from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import (
    CancelledError,
    Converted,
    ConvertedModel,
    NotStartedError,
    NotTriedError,
)
from ortstudio.services.convert_board import Board
from ortstudio.services.convert_needs import CHILD_BYTES, Means, need_bytes
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_resume import done_row
from ortstudio.services.convert_work import Work

TICK_S = 0.05
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Has Linux hand out memory in larger pieces, which saves an eighth of a conversion's time."""


class Pool:
    """Works through sources as they are planned. With `keep_going` a failure ends only itself.

    Without it, what goes on when one fails comes to its end, and nothing else begins. `cancelled`
    and `unwanted` are asked from several threads.
    """

    def __init__(
        self,
        means: Means,
        board: Board,
        make_child: Callable[[], Child],
        *,
        keep_going: bool,
        cancelled: Callable[[], bool],
        unwanted: Container[int],
    ) -> None:
        self._threads = means.threads
        self._board = board
        self._keep_going = keep_going
        self._cancelled = cancelled
        self._unwanted = unwanted
        self._interrupt: BaseException | None = None
        # So that none is late alone; but in order where the first failure ends the run.
        self._admission = Admission(means.memory_bytes, means.jobs, largest_first=keep_going)
        self._seats = [_Seat(make_child) for _ in range(means.jobs)]

    def work(self, sources: Iterable[PlannedSource], folder: Path) -> None:
        """Convert them; `folder` takes values on their way. Blocks."""
        threads = [
            threading.Thread(target=self._serve, args=(seat, folder / str(number)), daemon=True)
            for number, seat in enumerate(self._seats)
        ]
        try:
            for thread in threads:
                thread.start()
            self._add_all(sources)
            self._wait(threads)
        except BaseException as interrupt:  # noqa: BLE001 - raised again once all have ended
            self._interrupt = interrupt
            self._wait(threads)
        if self._interrupt is not None:
            raise self._interrupt

    def _add_all(self, sources: Iterable[PlannedSource]) -> None:
        """All of them, unless the run ends before: what was not added has no end yet."""
        for source in sources:
            index = self._board.add(source)
            if source.skipped:
                self._board.end(index, done_row(source))
            elif source.refusal is not None and self._keep_going:
                self._board.end(index, refused_row(source, source.refusal))
            else:
                self._admission.add(index, need_bytes(source, self._threads))
            self._withdraw()
            if self._admission.is_closed:
                break
        self._admission.finish()

    def _wait(self, threads: Sequence[threading.Thread]) -> None:
        for thread in threads:
            while thread.is_alive():
                thread.join(TICK_S)
                self._withdraw()

    def _withdraw(self) -> None:
        """Those that nobody wants any more end before their turn."""
        if self._is_over():
            self._admission.close()
        for index, source in enumerate(self._board.sources):
            if index in self._unwanted and self._admission.withdraw(index):
                self._board.end(index, cancelled_row(source))

    def _is_over(self) -> bool:
        return self._interrupt is not None or self._cancelled()

    def _serve(self, seat: _Seat, folder: Path) -> None:
        """In a thread of its own."""
        try:
            while share := self._admission.take(seat.leave):
                self._convert(share, seat, folder)
        except BaseException as interrupt:  # noqa: BLE001 - raised again where the work was asked for
            self._interrupt = interrupt
        finally:
            seat.leave()

    def _convert(self, share: Share, seat: _Seat, folder: Path) -> None:
        source = self._board.sources[share.key]
        seat.sit(share.memory_bytes, need_bytes(source, self._threads))
        work = Work(
            self._equipped(source, seat),
            seat.child,
            folder,
            self._board.begin(share.key),
            lambda: share.key in self._unwanted or self._is_over(),
        )
        row = _row(work, source, folder)
        outgrown = seat.starved and not share.is_all
        if outgrown:
            _take_back(row)
            self._board.requeue(share.key)
        elif seat.starved and row.error is not None:
            row = replace(row, error=_too_large(source, share, row.error))
        if row.error is not None:
            seat.leave()
        if not outgrown:
            self._end(share.key, row)
        self._admission.give_back(share, outgrown=outgrown)

    def _equipped(self, source: PlannedSource, seat: _Seat) -> PlannedSource:
        """With what it is converted by."""
        release = seat.child().release
        settings = replace(source.settings, threads=self._threads, release=release)
        return replace(source, settings=settings)

    def _end(self, index: int, row: Converted) -> None:
        self._board.end(index, row)
        if row.error is None or isinstance(row.error, CancelledError):
            return
        if not self._keep_going or isinstance(row.error, NotStartedError):
            self._admission.close()


class _Seat:
    """The child of one thread, replaced when it has ended; nobody sits there at first."""

    def __init__(self, make_child: Callable[[], Child]) -> None:
        self._make_child = make_child
        self._child: Child | None = None
        self._memory_bytes = 0
        self._was_starved = False

    def sit(self, memory_bytes: int, need_bytes: int) -> None:
        """The next source begins, with so much memory for its child, of which it will need some.

        A child that has grown is replaced where what it holds besides leaves too little.
        """
        self._memory_bytes = memory_bytes
        if self._child is not None:
            held = (self._child.resident_bytes or 0) - CHILD_BYTES
            if held > memory_bytes - need_bytes:
                self.leave()
        self._was_starved = False
        if self._child is not None:
            self._child.limit_memory(memory_bytes)
            self._child.starved = False

    def child(self) -> Child:
        """The child; a new one where the last one has ended."""
        if self._child is None or not self._child.usable:
            self.leave()
            self._child = self._make_child()
            self._child.variables.update(LARGE_PAGES)
            self._child.limit_memory(self._memory_bytes)
        return self._child

    def leave(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            self._was_starved |= child.starved
            child.close()

    @property
    def starved(self) -> bool:
        """Whether the memory was not enough for the source."""
        return self._was_starved or (self._child is not None and self._child.starved)


def _row(work: Work, source: PlannedSource, folder: Path) -> ConvertedModel:
    """The end of a source. That somebody removes a folder meanwhile is no mistake of ours."""
    try:
        folder.mkdir(exist_ok=True)
        return work.convert()
    except OSError as error:
        where = Where(str(error.filename or source.source))
        message = f"The conversion was disturbed: {error.strerror or error}"
        return _untouched(source, RefusedError(message, where=where))


def cancelled_row(source: PlannedSource) -> ConvertedModel:
    """The end of a source that nobody wants any more before its turn has come."""
    error = CancelledError("The conversion was cancelled before it began")
    return _untouched(source, error)


def refused_row(source: PlannedSource, refusal: StudioError) -> ConvertedModel:
    """The end of a source of which the plan says that nothing will be made."""
    return replace(_untouched(source, refusal), refused=True)


def not_tried_row(source: PlannedSource) -> ConvertedModel:
    """The end of a source whose turn did not come."""
    error = NotTriedError("Not tried: the run ended before, when another source failed")
    return _untouched(source, error)


def _untouched(source: PlannedSource, error: StudioError) -> ConvertedModel:
    path, error = source.source, error.at(str(source.source))
    return ConvertedModel(path, (), (), error, source.opened, notes=source.notes)


def _take_back(row: Converted) -> None:
    """Remove what was written just now: all of it will be made again."""
    for output in row.outputs:
        output.path.unlink(missing_ok=True)


def _too_large(source: PlannedSource, share: Share, error: StudioError) -> JobError:
    return JobError(
        f"The model needs more memory than the {size_text(share.memory_bytes)} that it may take",
        where=Where(str(source.source)),
        hint="Give more with --memory.",
        details=error.details if isinstance(error, JobError) else str(error),
    )
