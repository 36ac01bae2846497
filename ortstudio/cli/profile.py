"""`ortstudio profile`: time by node, laid on the file and back on its source."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli import profile_text
from ortstudio.cli.output import Output, printable
from ortstudio.cli.page import Page
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_level,
    add_run_options,
    input_settings,
    runtime,
    runtime_used,
)
from ortstudio.cli.status_line import status_line
from ortstudio.errors import DONE_YES, UsageError
from ortstudio.services.compare_sides import opened
from ortstudio.services.profile import ProfileSettings, profile
from ortstudio.services.sessions import Level
from ortstudio.services.whole_file import check_apart

LEAST_RUNS, MOST_RUNS = 3, 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model")
    parser.add_argument(
        "--source",
        metavar="A.onnx",
        help="the model that it was made from: profiled as it is stored, and laid side by side",
    )
    level = parser.add_mutually_exclusive_group()
    add_level(level, "the graph is")
    level.add_argument(
        "--as-stored",
        action="store_true",
        help="run the graph as the file has it, so that no node is made at load",
    )
    parser.add_argument(
        "--replay", action="store_true", help="apply the saved optimizations of a trusted file"
    )
    parser.add_argument(
        "--runs",
        metavar="N",
        type=_runs,
        default=50,
        help="how often it is run at most, about 2 seconds long (default %(default)s)",
    )
    parser.add_argument(
        "--trace", metavar="OUT.json", help="write the profile as a Chrome trace, without paths"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a trace that exists")
    add_custom_ops(parser)
    parser.add_argument("--all", action="store_true", help="list all nodes, not the longest only")
    add_run_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Profile; 0 where that could be done."""
    chosen, trace = runtime(arguments), _trace(arguments)
    settings = ProfileSettings(
        level=Level.DISABLE if arguments.as_stored else Level(arguments.level),
        inputs=input_settings(arguments),
        custom_ops=arguments.custom_ops,
        replay=arguments.replay,
        runs=arguments.runs,
        trace=trace,
        overwrite=arguments.overwrite,
    )
    file = opened(Path(arguments.file))
    source = opened(Path(arguments.source)) if arguments.source else None
    with cancel_on_signals() as cancelled, status_line() as show:
        found = profile(
            file,
            settings,
            source,
            on_phase=lambda phase: show(f"{phase} ..."),
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    if output.as_json:
        output.json(found.to_json() | runtime_used(chosen))
    else:
        profile_text.show(found, chosen, Page(output), everything=arguments.all)
        if trace is not None:
            output.line(f"\nWritten: {printable(str(trace))}")
    return DONE_YES


def _trace(arguments: argparse.Namespace) -> Path | None:
    """Where the trace goes."""
    if not arguments.trace:
        if arguments.overwrite:
            raise UsageError("--overwrite is for --trace")
        return None
    path = Path(arguments.trace)
    check_apart(path, "--trace", [arguments.file, arguments.source])
    return path


def _runs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and LEAST_RUNS <= int(text) <= MOST_RUNS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {LEAST_RUNS} to {MOST_RUNS}")
    return int(text)
