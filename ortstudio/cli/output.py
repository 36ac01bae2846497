"""What a verb prints: an object for scripts, or text for people, in colour on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from ortstudio.errors import StudioError

_STYLES = {
    "title": "1",
    "muted": "2",
    "name": "36",
    "good": "32",
    "warning": "33",
    "error": "31",
}


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
        """One object, strict JSON, indented; its top keys each on a line of their own."""
        lines = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
            for key, value in answer.items()
        )
        self.stream.write("{\n" + lines + "\n}\n")

    def line(self, text: str = "") -> None:
        """One line of text. What the terminal's encoding lacks is written as an escape."""
        encoding = self.stream.encoding or "utf-8"
        self.stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")

    def style(self, text: str, style: str) -> str:
        """The text as it should stand out, if colour is on."""
        return f"\033[{_STYLES[style]}m{text}\033[0m" if self.colour else text


def report(error: StudioError, as_json: bool) -> int:
    """Say an error: one line on stderr, with `--json` an object on stdout too. Its exit code."""
    line = " ".join(str(error).split())
    sys.stderr.write(f"ortstudio: {line.encode('ascii', 'backslashreplace').decode()}\n")
    if as_json:
        Output.standard(True).json(error.to_json())
    return error.exit_code
