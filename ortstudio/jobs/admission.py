"""Lets pieces of work begin when there is room: those under way together stay within a budget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
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

    `needs` are the pieces in the order in which they are wanted, with the bytes that each will take
    by estimate. A later one overtakes an earlier one that there is no room for. One that needs more
    than the budget gets all of it, alone.
    """

    def __init__(self, needs: Mapping[int, int], budget_bytes: int, jobs: int) -> None:
        self._waiting = {key: min(need, budget_bytes) for key, need in needs.items()}
        self._budget_bytes = budget_bytes
        self._fair_bytes = budget_bytes // jobs
        self._running: dict[int, Share] = {}
        self._closed = False
        self._changed = threading.Condition()

    def take(self, on_wait: Callable[[], None]) -> Share | None:
        """The next piece, once there is room for one; None when no more will begin.

        `on_wait` is called while there is none, to let go of what the caller could do without.
        """
        while True:
            with self._changed:
                if not self._waiting:
                    return None
                share = self._fitting()
                if share is not None:
                    del self._waiting[share.key]
                    self._running[share.key] = share
                    return share
            on_wait()
            with self._changed:
                if self._waiting and self._fitting() is None:
                    self._changed.wait(TICK_S)

    def give_back(self, share: Share, *, outgrown: bool = False) -> None:
        """The piece is over. One that has outgrown its share comes again and gets all."""
        with self._changed:
            del self._running[share.key]
            if outgrown and not self._closed:
                self._waiting = {share.key: self._budget_bytes, **self._waiting}
            self._changed.notify_all()

    def withdraw(self, key: int) -> bool:
        """Take back a piece that has not begun; False where it has."""
        with self._changed:
            return self._waiting.pop(key, None) is not None

    def close(self) -> None:
        """Nothing more begins."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _fitting(self) -> Share | None:
        """The first piece that fits into what is left, with at least a fair share of it."""
        free = self._budget_bytes - sum(share.memory_bytes for share in self._running.values())
        for key, need in self._waiting.items():
            if need <= free:
                size = min(free, max(need, self._fair_bytes))
                return Share(key, size, size == self._budget_bytes)
        return None
