"""`ortstudio convert`: ONNX → ORT, verified before it gets its name."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.results import cancel_on_signals, progress_line, show_check
from ortstudio.cli.run_options import add_run_options, input_settings, tolerance
from ortstudio.errors import UsageError, Where
from ortstudio.services import convert
from ortstudio.services.conversion import Converted
from ortstudio.services.convert_plan import ConvertSettings, plan
from ortstudio.services.sessions import Level, Style

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
    with cancel_on_signals() as cancelled, progress_line(_PHASES) as on_progress:
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
        show_check(check, output)
