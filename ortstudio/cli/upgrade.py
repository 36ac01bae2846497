"""`ortstudio upgrade`: an old `.ort` → the current format, explained before and proved after."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli.convert_live import live
from ortstudio.cli.output import Output, complain
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import (
    add_custom_ops,
    add_input_options,
    add_verify,
    input_settings,
    path_name,
    tolerance,
)
from ortstudio.cli.upgrade_text import (
    show_explained,
    show_outlook,
    show_plan,
    show_proof,
    show_summary,
)
from ortstudio.services.conversion import Conversion
from ortstudio.services.runtimes import find
from ortstudio.services.upgrade.plan import LOWEST, plan
from ortstudio.services.upgrade.planned import UpgradePlan
from ortstudio.services.upgrade.report import check_report, write_report
from ortstudio.services.upgrade.run import run as upgrade
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.upgraded import Upgraded

_PHASES = {
    "write": "writing",
    "compare": "comparing node for node",
    "load": "loading, to verify",
    "run": "running, to verify",
    "publish": "putting the result in its place",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.description = (
        "Makes a verified .ort of a newer format version: M.v6.ort beside M.ort, which is not"
        " touched. Operators and weights stay as they are. Files of version 5 in folders need no"
        " upgrade and are left alone, unless --to 6 asks for it."
    )
    parser.add_argument(
        "source",
        metavar="SRC",
        nargs="+",
        type=path_name,
        help="models in ORT format, or folders of them",
    )
    parser.add_argument(
        "--to",
        metavar="V",
        type=int,
        choices=[LOWEST, LOWEST + 1],
        help="the format version to make: 6, the current one; or 5, which 1.13 and newer read,"
        " minimal builds included, made by way of 1.14 or 1.15",
    )
    parser.add_argument(
        "--plan", action="store_true", help="only say what would happen and what would be lost"
    )
    parser.add_argument(
        "--source",
        dest="onnx",
        metavar="M.onnx",
        help="the model that it was made from, where that does not lie beside it",
    )
    _add_result_options(parser)
    add_input_options(parser)


def _add_result_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", dest="folder", metavar="DIR", type=path_name, help="where to, not beside the file"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace results that exist")
    add_verify(parser, "old and new")
    add_custom_ops(parser)
    parser.add_argument(
        "--runtime",
        metavar="NAME",
        action="append",
        default=[],
        help="an ONNX Runtime to run old and new under (see `ortstudio runtimes`); may be repeated",
    )
    parser.add_argument(
        "--report", metavar="F", help="save the proof, as .json or as a page, .html"
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Upgrade; every trouble stands in the answer and, in one line, on stderr."""
    report = Path(arguments.report) if arguments.report else None
    if report is not None:
        check_report(report, overwrite=arguments.overwrite)
    planned = plan(arguments.source, _settings(arguments))
    if arguments.plan:
        return _tell(planned, output)
    if not output.as_json:
        _explain(planned, output)
    with cancel_on_signals() as cancelled, live(output, _PHASES) as on_progress:
        done = upgrade(planned, on_progress=on_progress, cancelled=cancelled.is_set)
    _show(done, output)
    if report is not None:
        write_report(report, done, overwrite=arguments.overwrite)
    return done.exit_code


def _settings(arguments: argparse.Namespace) -> UpgradeSettings:
    return UpgradeSettings(
        to=arguments.to,
        output_dir=Path(arguments.folder) if arguments.folder else None,
        overwrite=arguments.overwrite,
        verify=arguments.verify,
        onnx=Path(arguments.onnx) if arguments.onnx else None,
        custom_ops=arguments.custom_ops,
        runtimes=tuple(dict.fromkeys(map(find, arguments.runtime))),
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
    )


def _tell(planned: UpgradePlan, output: Output) -> int:
    """What would happen, and what would not."""
    if output.as_json:
        output.json(planned.to_json())
    else:
        show_plan(planned, output)
    for row in planned.rows:
        if row.refusal is not None:
            complain(row.refusal)
    return planned.exit_code


def _explain(planned: UpgradePlan, output: Output) -> None:
    """Everything about a single file, of several what is lost: before anything is written."""
    if len(planned.rows) == 1:
        show_explained(planned.rows[0], output)
        return
    for row in planned.rows:
        show_outlook(row, output)


def _show(done: Conversion, output: Output) -> None:
    if output.as_json:
        output.json(done.to_json())
    rows = [row for row in done.results if isinstance(row, Upgraded)]
    if len(rows) > 1 and not output.as_json:
        show_summary(done, output)
    for row in rows if len(rows) == 1 else ():
        if not output.as_json:
            show_proof(row, output)
        if row.error is not None:
            complain(row.error)
