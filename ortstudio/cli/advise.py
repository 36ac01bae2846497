"""`ortstudio advise`: how to ship a model, where, and with which settings."""

from __future__ import annotations

import argparse

from ortstudio.cli import advise_text
from ortstudio.cli.output import Output, complain
from ortstudio.cli.page import Page
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_runtime,
    fixed_size,
    runtime,
    runtime_used,
    show_limits,
)
from ortstudio.cli.status_line import status_line
from ortstudio.errors import DONE_NO, DONE_YES
from ortstudio.services.advice import advise_file
from ortstudio.services.advice_answer import to_json
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.custom_ops import check_library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model, .onnx or .ort")
    parser.add_argument(
        "--effects",
        action=argparse.BooleanOptionalAction,
        help="try every level, style and target, to say what each does (default: for models up to"
        " 100 MB and 3,000 nodes)",
    )
    parser.add_argument("--all", action="store_true", help="list every node that is not taken")
    add_custom_ops(parser)
    add_runtime(parser)
    parser.add_argument(
        "--fix-dim",
        metavar="S=N",
        action="append",
        default=[],
        type=fixed_size,
        help="advise on the model with this symbolic size as a number",
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Advise; 0 where the model should be shipped in ORT format, 1 where it should stay ONNX."""
    chosen = runtime(arguments)
    if arguments.custom_ops is not None:
        check_library(arguments.custom_ops)
    base = ConvertSettings(custom_ops=arguments.custom_ops, fixed_dims=dict(arguments.fix_dim))
    with cancel_on_signals() as cancelled, status_line() as show:
        advice = advise_file(
            arguments.file,
            base,
            with_effects=arguments.effects,
            on_progress=lambda what, done, of: show(f"trying {what} ({done + 1} of {of})"),
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    if output.as_json:
        output.json(to_json(advice) | runtime_used(chosen))
    else:
        show_limits(chosen, output)
        release = f"onnxruntime {chosen.onnxruntime}"
        advise_text.show(advice, Page(output), release, everything=arguments.all)
    if advice.case.failure is not None:
        complain(advice.case.failure)
    return DONE_YES if advice.answer.ship == "ort" else DONE_NO
