"""Starts a child process, hands it requests, and says how each of them ended.

Threads drain the child's pipes at all times, so that neither side ever waits for the other to read.
`ask` blocks: a window calls it from a thread of its own, the command line directly.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO

from ortstudio.errors import JobError, Where
from ortstudio.jobs import platform
from ortstudio.jobs.pipes import GRACE_S, LINE_BYTES, Tail, close, end, ended, lines, write_all
from ortstudio.jobs.protocol import (
    PROTOCOL,
    Cancelled,
    Failure,
    Hello,
    Log,
    Message,
    Progress,
    ProtocolError,
    Request,
    Result,
    parse,
)

AGENT = Path(__file__).with_name("agent")
"""The program that runs ONNX Runtime: a folder that an interpreter is started on."""

TICK_S = 0.05
HELLO_S = 60.0

RUNTIME_KINDS = ("custom-ops", "load", "run", "memory", "unsupported")
"""Failures whose message says it all; of the others the traceback says more."""

_STARVED = re.compile(r"\bbad_alloc\b|Failed to allocate memory", re.IGNORECASE)
"""What the runtime says where there is no memory."""

OnMessage = Callable[[Progress | Log], None]
Question = Callable[[], bool]


class Ending(Enum):
    """How a request ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_STARTED = "did not start"
    EXITED = "exited"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    BROKEN = "broke the protocol"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a request: its value, or why there is none.

    `words` goes on after "the child process": `crashed (SIGSEGV)`. `stderr` is its last 20 kB.
    """

    ending: Ending
    words: str
    value: Mapping[str, object] = field(default_factory=dict)
    failure: Failure | None = None
    stderr: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.ending is Ending.DONE

    @property
    def details(self) -> str:
        """The child's own words, for whoever wants to know more."""
        if self.failure is None:
            return self.stderr
        if self.failure.kind in RUNTIME_KINDS:
            return self.failure.message
        return self.failure.traceback or self.failure.message

    @property
    def starved(self) -> bool:
        """Whether it ended for want of memory. Linux kills a process if it has none left for it."""
        if self.failure is not None:
            return self.failure.kind == "memory" or bool(_STARVED.search(self.failure.message))
        return self.ending is Ending.CRASHED and (
            "SIGKILL" in self.words or bool(_STARVED.search(self.stderr))
        )

    def error(self, work: str, where: Where | None = None) -> JobError:
        """The error to show where nothing better is known; `work` is what was being done."""
        reason = self.failure.message if self.failure else f"the child process {self.words}"
        return JobError(f"{work} failed: {reason}", where=where, details=self.details)


class Child:
    """One child process that serves requests in turn, started by the first of them.

    `preamble` is what its stdin takes before the first request. After any ending but DONE and
    FAILED the process is gone; ask a new one.
    """

    def __init__(
        self, command: list[str], *, memory_bytes: int | None = None, preamble: bytes = b""
    ) -> None:
        self._command = command
        self._preamble = preamble
        self._memory_bytes = memory_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.Queue[Message | ProtocolError | None] = queue.Queue(1000)
        self._leaving = threading.Event()
        self._stderr = Tail()
        self._threads: list[threading.Thread] = []
        self._asked = 0
        self.hello: Hello | None = None
        self.release = ""
        """Which release of ONNX Runtime it serves by, where whoever made it says so."""
        self.starved = False
        """Whether a request failed for want of memory."""
        self.variables: dict[str, str] = {}
        """What its environment is to hold besides ours, said before the first request."""

    @property
    def usable(self) -> bool:
        """Whether another request may be asked."""
        return not self._leaving.is_set()

    @property
    def process_id(self) -> int | None:
        """The process that serves; None before the first request and after the end."""
        return self._process.pid if self._process else None

    @property
    def resident_bytes(self) -> int | None:
        """What the process has in memory; None where there is none or nobody says."""
        process = self._process
        return platform.resident_bytes(process.pid) if process else None

    def limit_memory(self, memory_bytes: int) -> None:
        """Cap the memory of this process from now on, where the system can."""
        self._memory_bytes = memory_bytes
        if self._process is not None:
            platform.limit_memory(self._process, memory_bytes)

    def ask(
        self,
        verb: str,
        arguments: Mapping[str, object],
        *,
        on_message: OnMessage | None = None,
        cancelled: Question | None = None,
        timeout_s: float | None = None,
    ) -> Outcome:
        """Have one request served. `cancelled` is asked many times a second."""
        self._asked += 1
        request = Request(self._asked, verb, arguments)
        try:
            process = self._started()
        except OSError as error:
            self._leaving.set()
            return Outcome(Ending.NOT_STARTED, f"did not start: {error.strerror or error}")
        try:
            self._send(process, self._preamble + request.line())
            self._preamble = b""
            outcome = self._answered(request, on_message, cancelled or _never, timeout_s)
        except BaseException:
            # Whoever interrupts us goes on to tidy up, and the child must not undo that.
            self.close()
            raise
        self.starved |= outcome.starved
        return outcome

    def _answered(
        self,
        request: Request,
        on_message: OnMessage | None,
        cancelled: Question,
        timeout_s: float | None,
    ) -> Outcome:
        deadline = time.monotonic() + (timeout_s if timeout_s is not None else float("inf"))
        for message in self._answers(cancelled, deadline):
            if isinstance(message, Outcome):
                return message
            if message.request != request.number:
                continue
            if isinstance(message, Progress | Log):
                if on_message:
                    on_message(message)
            elif isinstance(message, Result):
                return Outcome(Ending.DONE, "is done", message.value)
            elif isinstance(message, Failure):
                return self._outcome(Ending.FAILED, f"failed: {message.message}", message)
            else:
                return self._stop(Ending.CANCELLED, "was cancelled")
        raise AssertionError("answers end in an outcome")

    def close(self) -> None:
        """End the child: ask, then terminate, then kill; always reap it. May take 2 × GRACE_S."""
        self._leaving.set()
        process, self._process = self._process, None
        if process is None:
            return
        close(process.stdin)
        if not ended(process, GRACE_S if self._is_read() else 0):
            end(process)
        for thread in self._threads:
            thread.join(GRACE_S)
        close(process.stdout)
        close(process.stderr)

    def _is_read(self) -> bool:
        """Wait for the end of the child's output, and whether it came.

        It comes with the end of the process, which waiting for itself would look for every 50 ms.
        """
        for reading in self._threads[:1]:
            reading.join(GRACE_S)
        return not any(reading.is_alive() for reading in self._threads[:1])

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            assert self.usable, "the child has ended"
            self._process = process = platform.start(self._command, _environment() | self.variables)
            if self._memory_bytes is not None:
                platform.limit_memory(process, self._memory_bytes)
            assert process.stdout
            assert process.stderr
            self._threads = [
                threading.Thread(target=self._pump, args=(process.stdout,), daemon=True),
                threading.Thread(target=self._stderr.drain, args=(process.stderr,), daemon=True),
            ]
            for thread in self._threads:
                thread.start()
        return self._process

    def _send(self, process: subprocess.Popen[bytes], line: bytes) -> None:
        """Write in a thread: a child that does not read must not stop us from ending it."""
        assert process.stdin
        threading.Thread(target=write_all, args=(process.stdin, line), daemon=True).start()

    def _pump(self, stdout: IO[bytes]) -> None:
        """Child's stdout → the queue; None at its end."""
        for line in lines(stdout):
            item: Message | ProtocolError | None
            try:
                if len(line) > LINE_BYTES:
                    raise ProtocolError(f"a line is longer than {LINE_BYTES} bytes")
                item = parse(line)
            except ProtocolError as error:
                item = error
            if item is None:
                self._stderr.add(line)
            else:
                self._put(item)
            if isinstance(item, ProtocolError):
                return
        self._put(None)

    def _put(self, item: Message | ProtocolError | None) -> None:
        """Wait for room, unless nobody will read any more."""
        while not self._leaving.is_set():
            with contextlib.suppress(queue.Full):
                self._messages.put(item, timeout=TICK_S)
                return

    def _answers(
        self, cancelled: Question, deadline: float
    ) -> Iterator[Progress | Log | Result | Failure | Cancelled | Outcome]:
        """Messages as they come, then the outcome where there is no last word."""
        greeted_by = time.monotonic() + HELLO_S
        while True:
            with contextlib.suppress(queue.Empty):
                yield from self._judged(self._messages.get(timeout=TICK_S))
            if cancelled():
                yield self._stop(Ending.CANCELLED, "was cancelled")
            if time.monotonic() > deadline:
                yield self._stop(Ending.TIMED_OUT, "timed out")
            if self.hello is None and time.monotonic() > greeted_by:
                yield self._stop(Ending.TIMED_OUT, f"gave no sign within {HELLO_S:.0f} s")

    def _judged(
        self, item: Message | ProtocolError | None
    ) -> Iterator[Progress | Log | Result | Failure | Cancelled | Outcome]:
        """What an item of the queue means: nothing, an answer, or the end."""
        if item is None:
            yield self._gone()
        elif isinstance(item, ProtocolError):
            yield self._stop(Ending.BROKEN, f"broke the protocol: {item}")
        elif isinstance(item, Hello):
            if item.protocol != PROTOCOL:
                yield self._stop(Ending.BROKEN, _versions(item))
            self.hello = item
        elif self.hello is None:
            yield self._stop(Ending.BROKEN, "broke the protocol: it did not say hello first")
        else:
            yield item

    def _gone(self) -> Outcome:
        """The child closed its stdout without a last word: see how it ended."""
        process = self._process
        assert process
        has_ended = ended(process, GRACE_S)
        self.close()
        code = process.returncode
        if not has_ended:
            return self._outcome(Ending.BROKEN, "closed its output and went on running")
        crash = platform.crash_name(code)
        if crash:
            return self._outcome(Ending.CRASHED, f"crashed ({crash})")
        return self._outcome(Ending.EXITED, f"exited with status {code}")

    def _stop(self, ending: Ending, words: str) -> Outcome:
        self.close()
        return self._outcome(ending, words)

    def _outcome(self, ending: Ending, words: str, failure: Failure | None = None) -> Outcome:
        return Outcome(ending, words, failure=failure, stderr=self._stderr.text())


def agent_child(*, memory_bytes: int | None = None) -> Child:
    """The program that runs ONNX Runtime, under our own interpreter."""
    return Child([sys.executable, str(AGENT)], memory_bytes=memory_bytes)


@contextmanager
def children(make: Callable[[], Child]) -> Iterator[Callable[[], Child]]:
    """Gives the one child that serves everything, and a new one whenever that one has ended."""
    current = make()

    def child() -> Child:
        nonlocal current
        if not current.usable:
            current.close()
            current = make()
        return current

    try:
        yield child
    finally:
        current.close()


def _environment() -> dict[str, str]:
    """Ours, without the variables by which ONNX Runtime could be told to do something else.

    `ORT_LOAD_CONFIG_FROM_MODEL=1`, for one, makes every load of an ORT-format file fail.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    # numpy, which the child only stores values with, would take 40 MB for each processor.
    return kept | {"ORT_DISABLE_TELEMETRY": "1", "OPENBLAS_NUM_THREADS": "1"}


def _versions(hello: Hello) -> str:
    return f"speaks version {hello.protocol} of the protocol, this program version {PROTOCOL}"


def _never() -> bool:
    return False
