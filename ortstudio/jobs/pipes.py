"""What a child process needs of us: lines of bounded length, its last words kept, a sure end."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator
from typing import IO

from ortstudio.jobs import platform

STDERR_BYTES = 20_000
LINE_BYTES = 16 << 20
GRACE_S = 1.5


class Tail:
    """The last 20 kB of what was added."""

    def __init__(self) -> None:
        self._bytes = b""
        self._lock = threading.Lock()

    def add(self, more: bytes) -> None:
        """Add at the end."""
        with self._lock:
            self._bytes = (self._bytes + more)[-STDERR_BYTES:]

    def drain(self, pipe: IO[bytes]) -> None:
        """Add all that comes, until the pipe's end."""
        with contextlib.suppress(OSError, ValueError):
            while more := pipe.read(1 << 16):
                self.add(more)

    def text(self) -> str:
        """What is kept."""
        with self._lock:
            return self._bytes.decode(errors="replace")


def lines(pipe: IO[bytes]) -> Iterator[bytes]:
    """Lines of an unbuffered pipe. One that is too long comes cut, and nothing after it."""
    parts, size = list[bytes](), 0
    with contextlib.suppress(OSError, ValueError):
        while size <= LINE_BYTES and (more := pipe.read(1 << 16)):
            first, *others = more.split(b"\n")
            parts.append(first)
            size += len(first)
            for piece in others:
                yield b"".join(parts)
                parts, size = [piece], len(piece)
    if size:
        yield b"".join(parts)


def write_all(pipe: IO[bytes], data: bytes) -> None:
    """Write to an unbuffered pipe; a child that is gone is noticed elsewhere."""
    view = memoryview(data)
    with contextlib.suppress(OSError, ValueError):
        while view:
            view = view[pipe.write(view) :]


def close(pipe: IO[bytes] | None) -> None:
    """Close our end, whatever became of the other."""
    if pipe:
        with contextlib.suppress(OSError):
            pipe.close()


def ended(process: subprocess.Popen[bytes], within_s: float) -> bool:
    """Wait for a process; whether it ended in time."""
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started, politely, then at once; always reap it."""
    platform.terminate(process)
    if not ended(process, GRACE_S):
        platform.kill(process)
        process.wait()
