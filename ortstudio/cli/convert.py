"""`ortstudio convert`: ONNX → ORT, verified before it gets its name."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ortstudio.analysis.words import size_text
from ortstudio.cli.output import Output, complain, encodable, printable
from ortstudio.cli.run_options import add_run_options, input_settings, tolerance
from ortstudio.errors import UsageError, Where
from ortstudio.services import convert
from ortstudio.services.convert import Converted, ConvertProgress
from ortstudio.services.convert_plan import ConvertSettings, plan
from ortstudio.services.sessions import Level, Style
from ortstudio.services.verify import Verified

_STYLES = {
    "fixed": (Style.FIXED,),
    "runtime": (Style.RUNTIME,),
    "both": (Style.FIXED, Style.RUNTIME),
}

_PHASES = {
    "convert": "converting",
    "read": "checking the result",
    "load": "loading, to verify",
    "run": "running, to verify",
    "publish": "putting the result in its place",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("source", metavar="SRC", help="an ONNX model")
    parser.add_argument("-o", dest="folder", metavar="DIR", help="where to, not beside the source")
    parser.add_argument(
        "--level",
        choices=[level.value for level in Level],
        default=Level.ALL.value,
        help="how far the graph is optimized (default %(default)s)",
    )
    parser.add_argument(
        "--style",
        choices=list(_STYLES),
        default="fixed",
        help="optimizations applied, or partly saved for the device to apply (default %(default)s)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="run source and result on the same inputs and compare (default: yes)",
    )
    add_run_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Convert; every trouble stands in the answer and, in one line, on stderr."""
    if Path(arguments.source).is_dir():
        raise UsageError("This is a folder: name a model file", where=Where(arguments.source))
    planned = plan([arguments.source], _settings(arguments))
    with _cancel_on_signals() as cancelled, _progress_line() as on_progress:
        done = convert.run(planned, on_progress=on_progress, cancelled=cancelled.is_set)
    if output.as_json:
        output.json(done.to_json())
    for row in done.results:
        if not output.as_json:
            _show(row, output)
        if row.error is not None:
            complain(row.error)
    return done.exit_code


def _settings(arguments: argparse.Namespace) -> ConvertSettings:
    return ConvertSettings(
        level=Level(arguments.level),
        styles=_STYLES[arguments.style],
        output_dir=arguments.folder,
        overwrite=arguments.overwrite,
        verify=arguments.verify,
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
    )


def _show(row: Converted, output: Output) -> None:
    """A line for each file that was written, and what the comparison found."""
    for made, check in zip(row.outputs, row.checks, strict=False):
        path, size = printable(str(made.path)), size_text(made.size_bytes)
        output.line(f"{output.style(path, 'name')}  {size}, style {made.role}")
        if isinstance(check, Verified):
            output.line(f"  {output.style(_agreement(check), 'good')}")
        else:
            output.line(f"  {output.style(f'not verified: {printable(check)}', 'warning')}")


def _agreement(found: Verified) -> str:
    worst = max(found.outputs, key=lambda one: one.max_abs, default=None)
    text = "verified: outputs agree with the source's"
    if worst is not None:
        text += ", all equal" if not worst.max_abs else f", at most {found.max_abs:.3g} apart"
    sizes = "".join(f", {symbol} = {size}" for symbol, size in found.sizes.items())
    return printable(f"{text} (seed {found.seed}{sizes})")


@contextmanager
def _cancel_on_signals() -> Iterator[threading.Event]:
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


@contextmanager
def _progress_line() -> Iterator[Callable[[ConvertProgress], None] | None]:
    """What is being done, in one line on a terminal that is rewritten; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(progress: ConvertProgress) -> None:
        phase = _PHASES.get(progress.phase, progress.phase)
        line = encodable(printable(f"{progress.source.name}: {phase} ..."), sys.stderr)
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
