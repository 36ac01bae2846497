"""What is being done, in one line on a terminal that is rewritten."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ortstudio.cli.output import encodable, printable

LEAST_WIDTH = 20


@contextmanager
def status_line() -> Iterator[StatusLine]:
    """A line to show texts in; empty at the end."""
    line = StatusLine()
    try:
        yield line
    finally:
        line.wipe()


class StatusLine:
    """Called with a text it shows that; nothing where nobody watches."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, text: str) -> None:
        """Put a text in the place of the last one; a row of the terminal is all there is for it."""
        if self._is_terminal and text != self._shown:
            self._shown = text
            width = max(shutil.get_terminal_size().columns - 1, LEAST_WIDTH)
            self._write(encodable(printable(text), sys.stderr)[:width])

    def wipe(self) -> None:
        """Leave nothing behind, so that something else may be said."""
        if self._is_terminal:
            self._shown = ""
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()
