"""What verbs that write verified results share: Ctrl-C, and what the comparison found."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ortstudio.cli.output import Output, printable
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances


def show_check(check: Verified | str, output: Output) -> None:
    """A line on what the comparison of a result found, or why there was none."""
    if isinstance(check, Verified):
        text = printable(f"verified: {agreement_text(check)} ({circumstances(check)})")
        output.line(f"  {output.style(text, 'good')}")
    else:
        output.line(f"  {output.style(f'not verified: {printable(check)}', 'warning')}")


@contextmanager
def cancel_on_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and a polite kill set, so that the work ends in order."""
    cancelled = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        cancelled.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancelled
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
