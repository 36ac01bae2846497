"""What a verb prints: an object for scripts, or text for people, in colour on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TextIO

from ortstudio.errors import StudioError


class OutputError(StudioError):
    """Standard output takes no more, such as a full disk."""

    kind = "output"


_STYLES = {
    "title": "1",
    "muted": "2",
    "name": "36",
    "good": "32",
    "warning": "33",
    "error": "31",
}

_ASCII = str.maketrans(
    {"–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "×": "x", "·": "-",
     "→": "->", "≥": ">=", "≤": "<=", "█": "#"}
)  # fmt: skip
"""What our own texts use beyond ASCII, for a terminal that has nothing else."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where a verb's answer goes. `as_json` is what the user asked for by `--json`."""

    as_json: bool
    stream: TextIO
    colour: bool

    @staticmethod
    def standard(as_json: bool) -> Output:
        """Standard output; colour where it is a terminal and nobody asked for none."""
        stream = sys.stdout
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return Output(as_json, stream, stream.isatty() and not plain)

    def json(self, answer: Mapping[str, object]) -> None:
        """One object, strict JSON; its top keys each on a line of their own."""
        lines = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
            for key, value in answer.items()
        )
        self._write("{\n" + lines + "\n}\n")

    def line(self, text: str = "") -> None:
        """One line of text. What the terminal's encoding lacks is written as an escape."""
        self._write(encodable(text, self.stream) + "\n")

    def style(self, text: str, style: str) -> str:
        """The text as it should stand out, if colour is on."""
        return f"\033[{_STYLES[style]}m{text}\033[0m" if self.colour and style and text else text

    def flush(self) -> None:
        """Hand on what was written. The stream may fail only now."""
        self._guarded(self.stream.flush)

    def _write(self, text: str) -> None:
        self._guarded(lambda: self.stream.write(text))

    def _guarded(self, write: Callable[[], object]) -> None:
        try:
            write()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"The answer cannot be written: {error.strerror}") from None


def encodable(text: str, stream: TextIO) -> str:
    """The text in what the stream's encoding has; the rest is written as escapes."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def printable(text: str) -> str:
    """Text out of a file on one line: what a terminal would obey is written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def complain(error: StudioError) -> None:
    """Say an error: one line on stderr."""
    sys.stderr.write(f"ortstudio: {encodable(printable(str(error)), sys.stderr)}\n")


def report(error: StudioError, output: Output) -> int:
    """Say an error, with `--json` as an object on stdout too; give its exit code."""
    complain(error)
    if output.as_json:
        output.json(error.to_json())
    return error.exit_code
