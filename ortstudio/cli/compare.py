"""`ortstudio compare`: do the outputs of two models agree."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli import compare_text
from ortstudio.cli.output import Output
from ortstudio.cli.page import Page
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_level,
    add_run_options,
    input_settings,
    runtime,
    runtime_used,
    tolerance,
)
from ortstudio.cli.status_line import status_line
from ortstudio.services.compare import CompareSettings, compare_outputs
from ortstudio.services.compare_found import Which
from ortstudio.services.compare_sides import opened
from ortstudio.services.layers import compare_layers
from ortstudio.services.sessions import Level

_REPLAY: dict[str, frozenset[Which]] = {
    "both": frozenset({"a", "b"}),
    "a": frozenset({"a"}),
    "b": frozenset({"b"}),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("a", metavar="A", help="the source: inputs are made for it")
    parser.add_argument("b", metavar="B", help="what should compute the same")
    parser.add_argument(
        "--layers",
        action="store_true",
        help="compare the values inside too, and name the first node that makes a difference",
    )
    add_level(parser, "both are")
    parser.add_argument(
        "--replay",
        choices=list(_REPLAY),
        nargs="?",
        const="both",
        help="apply the saved optimizations of trusted files, of both or of one, and say what ran",
    )
    add_custom_ops(parser)
    add_run_options(parser)


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Compare; 1 where the outputs do not agree."""
    chosen = runtime(arguments)
    settings = CompareSettings(
        level=Level(arguments.level),
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
        custom_ops=arguments.custom_ops,
        replay=_REPLAY[arguments.replay] if arguments.replay else frozenset(),
    )
    a, b = opened(Path(arguments.a)), opened(Path(arguments.b))
    with cancel_on_signals() as cancelled, status_line() as show:
        compare = compare_layers if arguments.layers else compare_outputs
        found = compare(
            a,
            b,
            settings,
            on_phase=lambda phase: show(f"{phase} ..."),
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    if output.as_json:
        output.json(found.to_json() | runtime_used(chosen))
    else:
        compare_text.show(found, chosen, Page(output))
    return found.exit_code
