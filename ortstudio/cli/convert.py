"""`ortstudio convert`: ONNX → ORT, verified before it gets its name."""

from __future__ import annotations

import argparse

from ortstudio.cli.convert_live import live, show_configs, show_summary
from ortstudio.cli.convert_options import add_convert_options, convert_settings
from ortstudio.cli.convert_text import show_plan, show_row
from ortstudio.cli.output import Output, complain
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import runtime, runtime_used, show_limits
from ortstudio.services import convert
from ortstudio.services.conversion import Converted
from ortstudio.services.convert_plan import Planning, plan
from ortstudio.services.convert_planned import ConvertPlan

_PHASES = {
    "update": "updating the operator set",
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
    chosen = runtime(arguments)
    settings = convert_settings(arguments)
    if settings.dry_run:
        planned = plan(arguments.source, settings, make_child=chosen.child)
        return _tell(planned.foretold(), output)
    planning = Planning(arguments.source, settings, make_child=chosen.child)
    with cancel_on_signals() as cancelled, live(output, _PHASES) as on_progress:
        done = convert.run(
            planning,
            on_progress=on_progress,
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    if output.as_json:
        output.json(done.to_json() | runtime_used(chosen))
    else:
        show_limits(chosen, output)
    if len(done.results) == 1:
        _show_only(done.results[0], output)
    elif not output.as_json:
        show_summary(done, output)
    show_configs(done, output)
    return done.exit_code


def _show_only(row: Converted, output: Output) -> None:
    if not output.as_json:
        show_row(row, output, purposes=True)
    if row.error is not None:
        complain(row.error)


def _tell(planned: ConvertPlan, output: Output) -> int:
    """What would be written, and what would not."""
    if output.as_json:
        output.json(planned.to_json())
    else:
        show_plan(planned, output)
    for row in planned.sources:
        if row.refusal is not None and row not in planned.not_tried:
            complain(row.refusal)
    return planned.exit_code
