"""`ortstudio runtimes`: which releases of ONNX Runtime are at hand, and bringing more."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ortstudio.cli.output import Output, printable
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.status_line import status_line
from ortstudio.errors import DONE_YES
from ortstudio.services import runtimes
from ortstudio.services.runtimes import Places, Runtime
from ortstudio.services.runtimes.install import install
from ortstudio.services.runtimes.installer import Installer, InstallProgress
from ortstudio.services.runtimes.survey import survey

SCHEMA = "ortstudio/runtimes@1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.set_defaults(work=_list)
    # `--json` may stand after any of these words, and the top parser knows it at its place only.
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
    works = parser.add_subparsers(title="works", metavar="WORK", parser_class=type(parser))

    def work(name: str, run: Callable[..., int], text: str) -> argparse.ArgumentParser:
        made = works.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            parents=[shared],
            allow_abbrev=False,
        )
        made.set_defaults(work=run)
        return made

    work("list", _list, "look for interpreters with onnxruntime and list them (without WORK too)")
    adding = work(
        "add", _add, "take in an interpreter, a virtual environment, or another machine by SSH"
    )
    adding.add_argument(
        "place",
        metavar="PYTHON",
        help="a path, a folder, a command, or ssh://[USER@]HOST[:PORT][?python=PATH]",
    )
    installing = work("install", _install, "bring a release into an environment of its own")
    installing.add_argument(
        "release", metavar="VERSION", help="such as 1.16.3, node:1.23.2 or web:1.23.2"
    )
    installing.add_argument("--python", metavar="PYTHON", help="the interpreter to use")
    installing.add_argument(
        "--wheels", metavar="FOLDER", type=Path, help="take wheels from here, not from the index"
    )
    surveying = work("survey", _survey, "measure what a release reads, writes and registers")
    surveying.add_argument("name", metavar="NAME", help="one of those listed")
    removing = work("remove", _remove, "delete what was installed, or forget what was not")
    removing.add_argument("name", metavar="NAME", help="one of those listed")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Do the work that was named."""
    work: Callable[[argparse.Namespace, Output], int] = arguments.work
    return work(arguments, output)


def _list(_arguments: argparse.Namespace, output: Output) -> int:
    with cancel_on_signals() as cancelled, status_line() as show:
        found = runtimes.look_around(
            on_progress=lambda path: show(f"asking {path}"), cancelled=cancelled.is_set
        )
    _show(found, output)
    return DONE_YES


def _add(arguments: argparse.Namespace, output: Output) -> int:
    _show([runtimes.add(arguments.place)], output)
    return DONE_YES


def _install(arguments: argparse.Namespace, output: Output) -> int:
    def report(progress: InstallProgress) -> None:
        show(f"{_PHASES[progress.phase]} {progress.text}")

    with cancel_on_signals() as cancelled, status_line() as show:
        installer = Installer(Places(), arguments.wheels, report, cancelled.is_set)
        made = install(arguments.release, installer, arguments.python)
    _show([made], output)
    return DONE_YES


def _survey(arguments: argparse.Namespace, output: Output) -> int:
    runtime = runtimes.find(arguments.name)
    with cancel_on_signals() as cancelled, status_line() as show:
        found = survey(
            runtime, on_progress=lambda verb: show(f"asking: {verb}"), cancelled=cancelled.is_set
        )
    if output.as_json:
        rows = [runtime.to_json()]
        answer = {"schema": SCHEMA, "runtimes": rows, "survey": found.summary()}
        output.json(answer)
    else:
        _show_survey(found.summary(), output)
    return DONE_YES


def _remove(arguments: argparse.Namespace, output: Output) -> int:
    gone = runtimes.remove(arguments.name)
    if output.as_json:
        _show(runtimes.at_hand(), output)
    else:
        output.line(f"{printable(gone.name)} is no longer listed")
    return DONE_YES


_PHASES = {
    "choose": "looking for a Python",
    "environment": "making an environment:",
    "fetch": "fetching:",
    "install": "installing:",
    "try": "trying it",
}


def _show(found: Sequence[Runtime], output: Output) -> None:
    if output.as_json:
        rows = [runtime.to_json() for runtime in found]
        output.json({"schema": SCHEMA, "runtimes": rows})
        return
    widths = [
        max((len(text(runtime)) for runtime in found), default=0) for text in (_name, _release)
    ]
    for runtime in found:
        name, release = _name(runtime).ljust(widths[0]), _release(runtime).ljust(widths[1])
        line = f"{output.style(name, 'name')}  {release}  {runtime.kind.value:9}"
        output.line(f"{line}  {printable(runtime.where)}")


def _show_survey(facts: Mapping[str, object], output: Output) -> None:
    """A line for each thing that was measured, then the file that holds it whole."""
    for key, value in facts.items():
        if isinstance(value, Mapping):
            text = ", ".join(f"{name} {version}" for name, version in value.items())
        elif isinstance(value, list):
            text = ", ".join(map(str, value)) or "none"
        else:
            text = str(value)
        output.line(f"{output.style(f'{key:13}', 'muted')} {printable(text)}")


def _name(runtime: Runtime) -> str:
    return printable(runtime.name)


def _release(runtime: Runtime) -> str:
    return printable(runtime.onnxruntime)
