"""Reads operator configs, and says at which line and column one is wrong.

Upstream's parser takes much for granted: of a stray comma it makes an operator without a name, and
of a key that it does not know nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ortstudio.analysis.kernel_types import GLOBAL_TYPES
from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_types import Types
from ortstudio.errors import FormatError, MissingError, Where
from ortstudio.model.graph import onnx_domain
from ortstudio.services.operator_config import ALL_IF_NONE, ALLOWED, WORD, Entry, OperatorConfig

_BLANKS = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"[0-9]+")
_TYPE = re.compile(r"[A-Za-z_][\w:<>, ]*")
_MOST_BYTES = 1 << 24
_HIGHEST_VERSION = 2**31 - 1


def read_config(path: Path) -> OperatorConfig:
    """Read a file. Raises FormatError where it is no config, MissingError where there is none."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        text = content.decode()
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}"
        raise MissingError(message, where=Where(str(path))) from None
    except UnicodeDecodeError as error:
        message = "This is no operator config: it is not text"
        raise FormatError(message, where=Where(str(path), error.start)) from None
    if len(content) > _MOST_BYTES:
        message = "This is no operator config: it is larger than 16 MiB"
        raise FormatError(message, where=Where(str(path)))
    return parse_config(text, str(path))


def parse_config(text: str, path: str = "") -> OperatorConfig:
    """Read a text. Raises FormatError, which names line and column, where it is no config."""
    entries: list[Entry] = []
    allowed: frozenset[str] | None = None
    all_if_none = False
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = _Line(raw.rstrip(), number, path)
        words = line.text.lstrip()
        if not words or words.startswith("#"):
            continue
        if words == ALL_IF_NONE:
            all_if_none = True
        elif words.startswith(ALLOWED):
            if allowed is not None:
                raise line.error("The types of the whole build are named already")
            allowed = line.allowed()
        elif words.startswith("!"):
            raise line.error("There is no such order")
        else:
            entries += line.entries()
        if allowed is not None and any(entry.types for entry in entries):
            raise line.error("Types of the whole build and types of operators exclude each other")
    return OperatorConfig(tuple(entries), allowed, all_if_none)


@dataclass(slots=True)
class _Line:
    """A line that is read from left to right; `at` is the character that comes next."""

    text: str
    number: int
    path: str
    at: int = 0

    def error(self, message: str, at: int | None = None) -> FormatError:
        """The error at the next character, or at one named."""
        self._skip_blanks()
        place = f"line {self.number}, column {(self.at if at is None else at) + 1}"
        return FormatError(message, where=Where(self.path, field=place))

    def allowed(self) -> frozenset[str]:
        """What follows `!globally_allowed_types;`."""
        self.at = self.text.index(";") + 1
        found = set()
        while True:
            name = self._take(WORD, "a type")
            if name not in GLOBAL_TYPES:
                message = f"{name!r} is no type that can be allowed for a whole build"
                raise self.error(message, self.at - len(name))
            found.add(name)
            if not self._goes_on():
                return frozenset(found)

    def entries(self) -> list[Entry]:
        """The operators of `domain;version,version;Op,Op`."""
        domain = onnx_domain(self._take(WORD, "a domain"))
        self._expect(";")
        versions = [self._version()]
        while self._next() == ",":
            self.at += 1
            versions.append(self._version())
        self._expect(";")
        found = []
        while True:
            self._skip_blanks()
            column = self.at + 1
            name = self._take(WORD, "an operator")
            types = self._types() if self.text.startswith("{", self.at) else None
            found += [
                Entry(Operator(domain, name, version), types, self.number, column)
                for version in versions
            ]
            if not self._goes_on():
                return found

    def _version(self) -> int:
        digits = self._take(_NUMBER, "a version")
        if not 0 < int(digits) <= _HIGHEST_VERSION:
            raise self.error(f"{digits} is no version of an operator", self.at - len(digits))
        return int(digits)

    def _goes_on(self) -> bool:
        """Whether a comma follows; else the line must end."""
        if self._next() == "":
            return False
        self._expect(",")
        return True

    def _next(self) -> str:
        self._skip_blanks()
        return self.text[self.at : self.at + 1]

    def _expect(self, character: str) -> None:
        if self._next() != character:
            raise self.error(f"{character!r} is expected here")
        self.at += 1

    def _take(self, pattern: re.Pattern[str], what: str) -> str:
        self._skip_blanks()
        found = pattern.match(self.text, self.at)
        if found is None:
            raise self.error(f"{what[0].upper()}{what[1:]} is expected here")
        self.at = found.end()
        return found.group()

    def _skip_blanks(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _types(self) -> Types:
        """The JSON that begins here."""
        start = self.at
        try:
            content, self.at = _DECODER.raw_decode(self.text, start)
            return _types(content)
        except json.JSONDecodeError as error:
            raise self.error(f"The types are no JSON: {error.msg}", error.pos) from None
        except (_TypesError, RecursionError) as error:
            message = str(error) if isinstance(error, _TypesError) else "They nest too deep"
            raise self.error(f"The types cannot be used: {message}", start) from None


class _TypesError(Exception):
    """What is wrong with the types of an operator."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TypesError("a key stands twice in one object")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _types(content: object) -> Types:
    """Types from parsed JSON. Raises _TypesError where they are none."""
    if not isinstance(content, dict) or not content:
        raise _TypesError("an object with inputs, outputs or custom is expected")
    unknown = content.keys() - {"inputs", "outputs", "custom"}
    if unknown:
        raise _TypesError(f"{min(unknown)!r} is neither inputs, outputs nor custom")
    together = None
    if "custom" in content:
        together = frozenset(tuple(_names(row)) for row in _list(content["custom"]))
    return Types(
        dict(_slots(content.get("inputs", {}))), dict(_slots(content.get("outputs", {}))), together
    )


def _slots(content: object) -> Iterator[tuple[int, frozenset[str]]]:
    if not isinstance(content, dict):
        raise _TypesError("positions with their types are expected")
    for place, kinds in content.items():
        if not _NUMBER.fullmatch(place) or len(place) > 9:
            raise _TypesError(f"{place!r} is no position of an input or output")
        yield int(place), frozenset(_names(kinds))


def _names(content: object) -> list[str]:
    names = _list(content)
    for name in names:
        if not isinstance(name, str) or not _TYPE.fullmatch(name):
            raise _TypesError(f"{name!r} is no C++ type")
    return [str(name) for name in names]


def _list(content: object) -> list[object]:
    if not isinstance(content, list) or not content:
        raise _TypesError("a list with at least one entry is expected")
    return content
