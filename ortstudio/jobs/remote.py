"""A child process on another machine, over OpenSSH: the agent and all files go through one pipe."""

from __future__ import annotations

import base64
import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, unquote, urlsplit

from ortstudio.errors import UsageError, Where
from ortstudio.jobs.helped import NEEDS_ONNX, HelpedChild
from ortstudio.jobs.protocol import Failure, Progress
from ortstudio.jobs.runner import AGENT, Child, Ending, OnMessage, Outcome, Question

FILE_BYTES = 2 << 30
"""Files above this are not sent; models in ORT format are never larger."""
PIECE_BYTES = 3 << 20
CONNECT_S = 15

_VERBS = ("probe", "load", "run", "convert", "measure", "profile", "survey")
_HOST = re.compile(r"[\w.%:-]+")
_USER = re.compile(r"[\w.@+-]+")
_PYTHON = re.compile(r"[\w./\\:~+-]+")
_FATAL = re.compile(r"Fatal Python error: (.+)")


@dataclass(frozen=True, slots=True)
class Address:
    """`ssh://user@host:port?python=PATH&config=FILE`; all but the host may be left out.

    `python` is the interpreter over there, `config` a file in place of `~/.ssh/config`.
    """

    host: str
    user: str = ""
    port: int | None = None
    python: str = "python3"
    config: str = ""

    @property
    def name(self) -> str:
        """`user@host`."""
        return f"{self.user}@{self.host}" if self.user else self.host

    def command(self) -> list[str]:
        """How OpenSSH is started: it asks nothing, and the far shell has nothing to interpret."""
        words = [shutil.which("ssh") or "ssh", "-T", "-o", "BatchMode=yes"]
        words += ["-o", f"ConnectTimeout={CONNECT_S}", "-o", "ServerAliveInterval=15"]
        words += ["-F", self.config] if self.config else []
        words += ["-p", str(self.port)] if self.port else []
        program = '"import sys;exec(sys.stdin.buffer.readline())"'
        return [*words, self.name, f"{self.python} -c {program}"]


def address(text: str) -> Address:
    """Read an address. Raises UsageError for what is none, or could mean more than it says."""
    try:
        parts = urlsplit(text)
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        found = Address(
            parts.hostname or "",
            unquote(parts.username or ""),
            parts.port,
            options.pop("python", "python3"),
            options.pop("config", ""),
        )
    except ValueError:
        found, options = Address(""), {"": ""}
    sound = (
        _may_stand(_HOST, found.host)
        and (not found.user or _may_stand(_USER, found.user))
        and _may_stand(_PYTHON, found.python)
    )
    if options or not sound or not text.startswith("ssh://"):
        raise UsageError(
            "This is not an address such as ssh://user@host:22?python=/usr/bin/python3",
            where=Where(text),
        )
    return found


def _may_stand(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a part may stand in a command: a leading hyphen would make it an option."""
    return bool(pattern.fullmatch(text)) and not text.startswith("-")


def remote_child(text: str) -> Child:
    """The agent on the machine of an address. Raises UsageError for what is no address."""
    return RemoteChild(address(text))


class RemoteChild(HelpedChild):
    """A child that has no disk in common with us.

    What a request names is sent before it, once for each state of a file, and what it makes is
    fetched after it.
    """

    def __init__(self, there: Address) -> None:
        super().__init__(there.command(), preamble=_agent())
        self._there = there
        self._sent: dict[tuple[str, int, int], str] = {}

    def ask(
        self,
        verb: str,
        arguments: Mapping[str, object],
        *,
        on_message: OnMessage | None = None,
        cancelled: Question | None = None,
        timeout_s: float | None = None,
    ) -> Outcome:
        """As any child; sending shows as progress in bytes, with the phases `send` and `fetch`."""
        if verb in NEEDS_ONNX:
            return self.ask_plainly(
                verb, arguments, on_message=on_message, cancelled=cancelled, timeout_s=timeout_s
            )
        transfer = _Transfer(self, on_message, cancelled, timeout_s)
        try:
            wanted, outputs = self._translated(verb, arguments, transfer)
            outcome = super().ask(
                verb, wanted, on_message=on_message, cancelled=cancelled, timeout_s=transfer.left()
            )
            if outcome.ok:
                for name, path in outputs.items():
                    transfer.fetch(name, Path(path))
        except _NotDoneError as error:
            return error.outcome
        return _plainer(outcome)

    def ask_plainly(self, verb: str, arguments: Mapping[str, object], **how: object) -> Outcome:
        """A request that names no files of ours."""
        return super().ask(verb, arguments, **how)  # type: ignore[arg-type]

    def _translated(
        self, verb: str, arguments: Mapping[str, object], transfer: _Transfer
    ) -> tuple[dict[str, object], dict[str, str]]:
        """The arguments with paths over there, and what is to be fetched afterwards, by name."""
        if verb not in _VERBS:
            raise _not_done("unsupported", f"{verb} is not done on another machine")
        made, outputs = dict(arguments), dict[str, str]()
        if "session" in made:
            session = dict(cast("Mapping[str, object]", made["session"]))
            if session.get("custom_ops"):
                raise _not_done("unsupported", "operator libraries are not sent to other machines")
            session["model"] = self._send_once(str(session["model"]), transfer)
            made["session"] = session
        if made.get("files"):
            files = cast("list[str]", made["files"])
            made["files"] = [self._send_once(path, transfer) for path in files]
        if made.get("inputs"):
            inputs = dict(cast("Mapping[str, object]", made["inputs"]))
            made["inputs"] = inputs | {"file": self._send_once(str(inputs["file"]), transfer)}
        for key in ("output", "outputs"):
            if key in made:
                outputs[key] = str(made[key])
                made[key] = transfer.begin(key)
        return made, outputs

    def _send_once(self, path: str, transfer: _Transfer) -> str:
        try:
            status = Path(path).stat()
        except OSError as error:
            raise _not_done("load", f"{path}: {error.strerror or error}") from None
        if status.st_size > FILE_BYTES:
            raise _not_done(
                "unsupported", f"{path} has {status.st_size} bytes; up to {FILE_BYTES} are sent"
            )
        key = (path, status.st_size, status.st_mtime_ns)
        if key not in self._sent:
            name = f"{len(self._sent)}{Path(path).suffix}"
            self._sent[key] = transfer.send(Path(path), name, status.st_size)
        return self._sent[key]


class _NotDoneError(Exception):
    """A file could not be sent or fetched; `outcome` says why."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.words)
        self.outcome = outcome


class _Transfer:
    """Files on their way for one request."""

    def __init__(
        self,
        child: RemoteChild,
        on_message: OnMessage | None,
        cancelled: Question | None,
        timeout_s: float | None,
    ) -> None:
        self._child = child
        self._on_message = on_message
        self._cancelled = cancelled
        self._deadline = None if timeout_s is None else time.monotonic() + timeout_s

    def left(self) -> float | None:
        """How many seconds of the request's time are left."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def begin(self, name: str) -> str:
        """An empty file over there, for the request to fill; gives its path."""
        return self._put(name, 0, b"")

    def send(self, path: Path, name: str, total: int) -> str:
        """Send a file in pieces; gives its path over there."""
        there = self.begin(name)
        try:
            for offset, piece in _pieces(path):
                self._tell("send", offset, total)
                self._put(name, offset, piece)
        except OSError as error:
            raise _not_done("files", f"{path}: {error.strerror or error}") from None
        return there

    def fetch(self, name: str, path: Path) -> None:
        """Write a file from over there to our disk."""
        try:
            with path.open("wb") as file:
                while True:
                    arguments = {"name": name, "offset": file.tell(), "size": PIECE_BYTES}
                    value = self._asked("get", arguments)
                    piece = base64.b64decode(str(value["data"]))
                    file.write(piece)
                    self._tell("fetch", file.tell(), cast(int, value["total"]))
                    if len(piece) < PIECE_BYTES:
                        return
        except OSError as error:
            raise _not_done("files", f"{path}: {error.strerror or error}") from None

    def _put(self, name: str, offset: int, piece: bytes) -> str:
        data = base64.b64encode(piece).decode()
        return str(self._asked("put", {"name": name, "offset": offset, "data": data})["path"])

    def _asked(self, verb: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        outcome = self._child.ask_plainly(
            verb, arguments, cancelled=self._cancelled, timeout_s=self.left()
        )
        if not outcome.ok:
            raise _NotDoneError(_plainer(outcome))
        return outcome.value

    def _tell(self, phase: str, done: int, total: int) -> None:
        if self._on_message:
            self._on_message(Progress(0, phase, done, total))


def _pieces(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        offset = 0
        while piece := file.read(PIECE_BYTES):
            yield offset, piece
            offset += len(piece)


def _not_done(kind: str, message: str) -> _NotDoneError:
    return _NotDoneError(
        Outcome(Ending.FAILED, f"failed: {message}", failure=Failure(0, kind, message))
    )


def _plainer(outcome: Outcome) -> Outcome:
    """What ended over there ends OpenSSH as an exit: its last words tell what it was."""
    if outcome.ending is not Ending.EXITED:
        return outcome
    fatal = _FATAL.search(outcome.stderr)
    if fatal:
        return replace(outcome, ending=Ending.CRASHED, words=f"crashed ({fatal[1]})")
    said = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    return replace(outcome, words=f"ended, saying: {said[-1]}") if said else outcome


def _agent() -> bytes:
    """What the far interpreter reads first: the starter in a line, then all modules in another."""
    starter = Path(__file__).with_name("remote_start.py").read_text("utf-8") + "\nstart()\n"
    sources = {
        ".".join(path.relative_to(AGENT).with_suffix("").parts).removesuffix(".__init__"): (
            path.read_text("utf-8")
        )
        for path in sorted(AGENT.glob("*/**/*.py"))
    }
    return f"exec({starter!a})\n{json.dumps(sources)}\n".encode()
