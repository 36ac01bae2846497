"""Lets pieces of work begin when there is room: those under way together stay within a budget."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

TICK_S = 0.2


@dataclass(frozen=True, slots=True)
class Share:
    """What one piece of work may take. With `is_all` nothing runs beside it, and more is not."""

    key: int
    memory_bytes: int
    is_all: bool


class Admission:
    """Hands out pieces of work to several threads, each with its share of the memory.

    A piece that there is no room for is overtaken by others. One that needs more than the budget
    gets all of it, alone.
    """

    def __init__(self, budget_bytes: int, jobs: int, *, largest_first: bool = False) -> None:
        self._budget_bytes = budget_bytes
        self._fair_bytes = budget_bytes // jobs
        self._largest_first = largest_first
        self._waiting: dict[int, int] = {}
        self._running: dict[int, Share] = {}
        self._is_whole = False
        self._is_closed = False
        self._changed = threading.Condition()

    def add(self, key: int, need_bytes: int) -> None:
        """One more piece, with what it will take by estimate."""
        with self._changed:
            if not self._is_closed:
                self._waiting[key] = min(need_bytes, self._budget_bytes)
                self._changed.notify_all()

    def finish(self) -> None:
        """No more will be added."""
        with self._changed:
            self._is_whole = True
            self._changed.notify_all()

    def take(self, on_wait: Callable[[], None]) -> Share | None:
        """The next piece, once there is room for one; None when no more will begin.

        `on_wait` is called while a piece waits for room, to let go of what the caller could do
        without.
        """
        while True:
            with self._changed:
                share = self._fitting()
                if share is not None:
                    del self._waiting[share.key]
                    self._running[share.key] = share
                    return share
                if not self._waiting and (self._is_whole or self._is_closed):
                    return None
                lacks_room = bool(self._waiting)
                if not lacks_room:
                    self._changed.wait(TICK_S)
            if lacks_room:
                on_wait()
                self._wait_for_room()

    def _wait_for_room(self) -> None:
        with self._changed:
            if self._waiting and self._fitting() is None:
                self._changed.wait(TICK_S)

    def give_back(self, share: Share, *, outgrown: bool = False) -> None:
        """The piece is over. One that has outgrown its share comes again and gets all."""
        with self._changed:
            del self._running[share.key]
            if outgrown and not self._is_closed:
                self._waiting = {share.key: self._budget_bytes, **self._waiting}
            self._changed.notify_all()

    def withdraw(self, key: int) -> bool:
        """Take back a piece that has not begun; False where it has."""
        with self._changed:
            return self._waiting.pop(key, None) is not None

    @property
    def is_closed(self) -> bool:
        """Whether nothing more begins."""
        return self._is_closed

    def close(self) -> None:
        """Nothing more begins."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _fitting(self) -> Share | None:
        """The first piece that fits into what is left, with at least a fair share of it."""
        free = self._budget_bytes - sum(share.memory_bytes for share in self._running.values())
        waiting = list(self._waiting.items())
        if self._largest_first:
            waiting.sort(key=lambda piece: -piece[1])
        for key, need in waiting:
            if need <= free:
                size = min(free, max(need, self._fair_bytes))
                return Share(key, size, size == self._budget_bytes)
        return None
