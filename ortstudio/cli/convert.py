"""`ortstudio convert`: ONNX → ORT, verified before it gets its name."""

from __future__ import annotations

import argparse

from ortstudio.analysis.words import size_text
from ortstudio.cli.convert_options import add_convert_options, convert_settings
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.results import cancel_on_signals, progress_line, show_check
from ortstudio.errors import DONE_NO, DONE_YES
from ortstudio.services import convert
from ortstudio.services.conversion import Converted
from ortstudio.services.convert_plan import ConvertPlan, plan

_PHASES = {
    "convert": "converting",
    "read": "checking the result",
    "load": "loading, to verify",
    "run": "running, to verify",
    "publish": "putting the result in its place",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    add_convert_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Convert; every trouble stands in the answer and, in one line, on stderr."""
    settings = convert_settings(arguments)
    planned = plan(arguments.source, settings)
    if settings.dry_run:
        return _tell(planned, output)
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


def _tell(planned: ConvertPlan, output: Output) -> int:
    """What would be written, and what would not."""
    for row in planned.sources:
        if row.refusal is not None:
            complain(row.refusal)
            continue
        for made in row.outputs:
            output.line(f"would write {output.style(printable(str(made.path)), 'name')}")
    return DONE_NO if any(row.refusal for row in planned.sources) else DONE_YES


def _show(row: Converted, output: Output) -> None:
    """A line for each file that was written, and what the comparison found."""
    for made, check in zip(row.outputs, row.checks, strict=False):
        path, size = printable(str(made.path)), size_text(made.size_bytes)
        output.line(f"{output.style(path, 'name')}  {size}, style {made.role}")
        show_check(check, output)
