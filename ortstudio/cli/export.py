"""`ortstudio export`: ORT → ONNX, checked and verified before it gets its name."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli.convert_live import live
from ortstudio.cli.output import Output
from ortstudio.cli.results import cancel_on_signals, tell
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_run_options,
    add_verify,
    input_settings,
    runtime,
    tolerance,
)
from ortstudio.services.export import ExportSettings, export

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
    return tell(row, "export", chosen, output, (note.message for note in row.notes))
