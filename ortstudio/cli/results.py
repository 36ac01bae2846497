"""What verbs that write verified results share: Ctrl-C, and what is said of a result."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from ortstudio.analysis.words import size_text
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.run_options import runtime_used
from ortstudio.services.conversion import Conversion, Converted
from ortstudio.services.runtimes import Runtime
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances


def show_check(check: Verified | str, output: Output) -> None:
    """A line on what the comparison of a result found, or why there was none."""
    if isinstance(check, Verified):
        text = printable(f"verified: {agreement_text(check)} ({circumstances(check)})")
        output.line(f"  {output.style(text, 'good')}")
    else:
        output.line(f"  {output.style(f'not verified: {printable(check)}', 'warning')}")


def tell(row: Converted, verb: str, chosen: Runtime, output: Output, remarks: Iterable[str]) -> int:
    """Say what became of the one source of a verb, and give the exit code.

    A line for each file that was written, what the comparison found, and the remarks on it.
    """
    answer = Conversion((row,), verb)
    if output.as_json:
        output.json(answer.to_json() | runtime_used(chosen))
    else:
        for made in row.outputs:
            name = output.style(printable(str(made.path)), "name")
            output.line(f"{name}  {size_text(made.size_bytes)}, {made.role}")
        for check in row.checks if row.outputs else ():
            show_check(check, output)
        for remark in remarks:
            output.line(f"  {printable(remark)}")
    if row.error is not None:
        complain(row.error)
    return answer.exit_code


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
