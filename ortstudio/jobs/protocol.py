"""What passes between the program and a child process: one JSON object a line.

The program writes requests to the child's stdin, one after the other, and leaves stdin open; its
end means stop. The child first says `hello`. For each request it then says any number of `progress`
and `log` and exactly one last word: `result`, `error` or `cancelled`. A child that ends without its
last word has crashed. Unknown fields are ignored, unknown types refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

PROTOCOL = 1
"""The number that `hello` must name; the agent repeats it, since it imports nothing of ours."""


class ProtocolError(Exception):
    """A line claims to be a message of ours and is not one."""


@dataclass(frozen=True, slots=True)
class Request:
    """One piece of work; `number` stands in every message that answers it."""

    number: int
    verb: str
    arguments: Mapping[str, object]

    def line(self) -> bytes:
        """The request as it is written to the child's stdin."""
        fields = {"request": self.number, "verb": self.verb, "arguments": dict(self.arguments)}
        return json.dumps(fields).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Hello:
    """The child's first words."""

    protocol: int
    python: str = ""
    platform: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request is; `total` is None where nobody knows."""

    request: int
    phase: str
    done: int = 0
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """A remark on the way."""

    request: int
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """Last word: the work is done."""

    request: int
    value: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Last word: the work failed.

    `kind` says at what: `request`, `import`, `custom-ops`, `load`, `values`, `run` or `memory`.
    `message` holds the runtime's own words.
    """

    request: int
    kind: str
    message: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Last word: stdin was closed while the work went on."""

    request: int


Message = Hello | Progress | Log | Result | Failure | Cancelled

_TYPES: dict[str, type[Message]] = {
    "hello": Hello,
    "progress": Progress,
    "log": Log,
    "result": Result,
    "error": Failure,
    "cancelled": Cancelled,
}
_KINDS: dict[str, type | tuple[type, ...]] = {
    "protocol": int,
    "request": int,
    "done": int,
    "total": (int, type(None)),
    "value": dict,
}
"""What a field's value must be; every other field is text."""


def parse(line: bytes) -> Message | None:
    """The message of a line; None where the line is not ours (noise of another program).

    Raises ProtocolError for a JSON object with a `type` that is unknown, or whose fields are wrong.
    """
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or "type" not in found:
        return None
    made = _TYPES.get(str(found["type"]))
    if made is None:
        raise ProtocolError(f"unknown message type {found['type']!r}")
    fields = {name: found[name] for name in made.__dataclass_fields__ if name in found}
    for name, value in fields.items():
        if not isinstance(value, _KINDS.get(name, str)):
            raise ProtocolError(f"{name} of a {found['type']} message is {value!r}")
    try:
        return made(**fields)
    except TypeError as error:
        raise ProtocolError(f"a {found['type']} message is not complete: {error}") from None
