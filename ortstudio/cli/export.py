"""`ortstudio export`: ORT → ONNX, checked and verified before it gets its name."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.cli.convert_live import live
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.results import cancel_on_signals, show_check
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_run_options,
    add_verify,
    input_settings,
    runtime,
    runtime_used,
    tolerance,
)
from ortstudio.services.conversion import Conversion
from ortstudio.services.export import Exported, ExportSettings, export

_PHASES = {
    "write": "rebuilding",
    "check": "checking the result",
    "load": "loading, to verify",
    "run": "running, to verify",
    "publish": "putting the result in its place",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("source", metavar="FILE.ort", help="a model in ORT format")
    parser.add_argument(
        "-o", dest="target", metavar="OUT.onnx", required=True, help="the file to write"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a result that exists")
    add_verify(parser, "source and result")
    add_custom_ops(parser)
    add_run_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Export; every trouble stands in the answer and, in one line, on stderr."""
    chosen = runtime(arguments)
    settings = ExportSettings(
        target=Path(arguments.target),
        overwrite=arguments.overwrite,
        verify=arguments.verify,
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
        custom_ops=arguments.custom_ops,
    )
    with cancel_on_signals() as cancelled, live(output, _PHASES) as on_progress:
        row = export(
            Path(arguments.source),
            settings,
            on_progress=on_progress,
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    answer = Conversion((row,), "export")
    if output.as_json:
        output.json(answer.to_json() | runtime_used(chosen))
    else:
        _show(row, output)
    if row.error is not None:
        complain(row.error)
    return answer.exit_code


def _show(row: Exported, output: Output) -> None:
    """A line for each file that was written, what the comparison found, and what was lost."""
    for made in row.outputs:
        path, size = printable(str(made.path)), size_text(made.size_bytes)
        output.line(f"{output.style(path, 'name')}  {size}, {made.role}")
    for check in row.checks if row.outputs else ():
        show_check(check, output)
    for note in row.notes:
        output.line(f"  {printable(note.message)}")
