"""What is being done, in one line on a terminal that is rewritten."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ortstudio.cli.output import encodable, printable


@contextmanager
def phase_line() -> Iterator[Callable[[str], None] | None]:
    """Takes what is being done; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(text: str) -> None:
        sys.stderr.write(f"\r\033[K{encodable(printable(text), sys.stderr)} ...")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
