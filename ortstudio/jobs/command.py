"""Runs a foreign program to its end, such as pip or npm, and hands on what it prints."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from ortstudio.jobs import platform
from ortstudio.jobs.pipes import Tail, close, end, lines

TICK_S = 0.05


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended: its exit code, None where we ended it, and the last 20 kB that it printed."""

    code: int | None
    text: str

    @property
    def last_line(self) -> str:
        """The last words, where a program usually says what went wrong."""
        return next((line for line in reversed(self.text.splitlines()) if line.strip()), "")


def run(
    command: Sequence[str],
    *,
    on_line: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = float("inf"),
) -> Done:
    """Run a command without input. Blocks. Raises OSError where it cannot be started.

    What it prints on both streams comes to `on_line` line by line, in our thread; `environment`
    is added to ours. Once cancelled or out of time, it is ended with all that it started.
    """
    process = platform.start(list(command), {**os.environ, **(environment or {})})
    assert process.stdout
    assert process.stderr
    close(process.stdin)
    deadline = time.monotonic() + timeout_s
    tail = Tail()
    code = None
    try:
        for line in _printed([process.stdout, process.stderr]):
            if line is not None:
                tail.add(line + b"\n")
                if on_line:
                    on_line(line.decode(errors="replace").rstrip())
            if (cancelled and cancelled()) or time.monotonic() > deadline:
                break
        else:
            code = process.wait()
    finally:
        end(process)
        close(process.stdout)
        close(process.stderr)
    return Done(code, tail.text())


def _printed(pipes: Sequence[IO[bytes]]) -> Iterator[bytes | None]:
    """Lines of all the pipes as they come, None while there is none, until each is at its end."""
    found: queue.Queue[bytes | None] = queue.Queue()
    for pipe in pipes:
        threading.Thread(target=_pump, args=(pipe, found), daemon=True).start()
    left = len(pipes)
    while left:
        try:
            line = found.get(timeout=TICK_S)
        except queue.Empty:
            yield None
            continue
        if line is None:
            left -= 1
        else:
            yield line


def _pump(pipe: IO[bytes], found: queue.Queue[bytes | None]) -> None:
    for line in lines(pipe):
        found.put(line)
    found.put(None)
