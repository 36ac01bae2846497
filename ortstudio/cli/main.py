"""The command line: finds the verb, runs it, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn, Protocol, cast

from ortstudio import __version__
from ortstudio.cli.output import Output, OutputError, complain, report
from ortstudio.errors import DONE_YES, StudioError, UsageError


class VerbModule(Protocol):
    """What the module of a verb offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare what the verb takes; `--json` comes by itself."""

    def run(self, arguments: argparse.Namespace, output: Output) -> int:
        """Do it, and give the exit code."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb; `module` is imported only when it is the one asked for."""

    name: str
    summary: str
    module: str

    def load(self) -> VerbModule:
        """The verb's module."""
        return cast(VerbModule, import_module(self.module))


VERBS = (
    Verb("inspect", "all that a file holds, no weights read", "ortstudio.cli.inspect"),
    Verb("tensor", "one tensor: type, shape, statistics, values", "ortstudio.cli.tensor"),
    Verb("check", "whether a file is sound, portable and covered", "ortstudio.cli.check"),
    Verb("bench", "timed load and run, compared", "ortstudio.cli.bench"),
    Verb("explain", "what a message of the runtime means, and what to do", "ortstudio.cli.explain"),
    Verb("advise", "how to ship a model, where, with which settings", "ortstudio.cli.advise"),
    Verb("diff", "what became of every node, value and initializer", "ortstudio.cli.diff"),
    Verb("compare", "whether the outputs of two models agree", "ortstudio.cli.compare"),
    Verb("profile", "time by node, laid back on the source's nodes", "ortstudio.cli.profile"),
    Verb("convert", "ONNX to ORT, verified", "ortstudio.cli.convert"),
    Verb("upgrade", "an old .ort to the current format, verified", "ortstudio.cli.upgrade"),
    Verb("export", "ORT back to ONNX, checked and verified", "ortstudio.cli.export"),
    Verb("edit", "names, metadata, texts and sizes changed, verified", "ortstudio.cli.edit"),
    Verb("ops", "the operator config that a minimal build needs", "ortstudio.cli.ops"),
    Verb("runtimes", "the ONNX Runtime releases at hand", "ortstudio.cli.runtimes"),
    Verb("snippet", "code that loads and runs a model", "ortstudio.cli.snippet"),
)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: one line, and an object where JSON was asked for."""

    def error(self, message: str) -> NoReturn:
        hint = f"See {self.prog} --help."
        if message.endswith("expected one argument"):
            hint = f"A value that begins with - is written as OPTION=VALUE. {hint}"
        raise UsageError(message, hint=hint)


def parsed(verbs: Sequence[Verb], argv: Sequence[str]) -> argparse.Namespace:
    """What the command line says. Files may stand on both sides of an option.

    argparse fills a list of files with the first run of them. Only where that leaves words over are
    they taken from all over the line, so that whatever else is wrong is told as it always was.
    """
    top, own = _parsers(verbs, argv[0] if argv else "")
    if own is None:
        return top.parse_args(argv)
    arguments, rest = own.parse_known_args(argv[1:])
    if rest:
        # What argparse raises for a verb of verbs, where words have their places.
        with suppress(TypeError):
            arguments, rest = own.parse_known_intermixed_args(argv[1:])
    if rest:
        top.error(f"unrecognized arguments: {' '.join(rest)}")
    return arguments


def _parsers(
    verbs: Sequence[Verb], chosen: str
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """The parser of the command line, and that of the chosen verb, with its arguments."""
    top = _Parser(
        prog="ortstudio",
        usage="ortstudio [FILE [FILE]]  |  ortstudio VERB ...",
        description="See, convert and prove ONNX Runtime's ORT-format models. "
        "Without a verb the window opens: on nothing, on a model, or on a source and its result.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"ortstudio {__version__}")
    choices = top.add_subparsers(title="verbs", metavar="VERB", required=True, prog="ortstudio")
    own: argparse.ArgumentParser | None = None
    for verb in verbs:
        sub = choices.add_parser(
            verb.name,
            help=verb.summary,
            description=verb.summary[0].upper() + verb.summary[1:] + ".",
            allow_abbrev=False,
        )
        if verb.name == chosen:
            own, module = sub, verb.load()
            module.add_arguments(sub)
            sub.add_argument("--json", action="store_true", help="answer in JSON, for scripts")
            sub.set_defaults(run=module.run)
    return top, own


def main(argv: Sequence[str], verbs: Sequence[Verb] = VERBS) -> int:
    """Run one command and give its exit code. Never a traceback for bad input."""
    _open_streams()
    output = Output.standard("--json" in argv)
    try:
        code = _answered(argv, verbs, output)
        output.flush()
    except BrokenPipeError:
        # The reader went away (`| head`): it has what it wanted.
        _abandon_stdout()
        return DONE_YES
    except OutputError as error:
        _abandon_stdout()
        complain(error)
        return error.exit_code
    return code


def _answered(argv: Sequence[str], verbs: Sequence[Verb], output: Output) -> int:
    """Run the verb, and say what ended it before its answer. Raises OutputError."""
    try:
        with _interrupts_waiting():
            arguments = parsed(verbs, argv)
        code: int = arguments.run(arguments, output)
    except KeyboardInterrupt:
        return _interrupted(output)
    except OutputError:
        raise
    except StudioError as error:
        return report(error, output)
    return code


@contextmanager
def _interrupts_waiting() -> Iterator[None]:
    """An interrupt while a verb is imported comes after it: numpy turns it into an ImportError."""
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _interrupted(output: Output) -> int:
    """Say that a verb was interrupted which does not look out for it."""
    from ortstudio.services.conversion import CancelledError  # Late: it imports numpy.

    return report(CancelledError("This was cancelled"), output)


def _open_streams() -> None:
    """A program started without them (`>&-`, or from a desktop) still writes, to nowhere."""
    if sys.stdout is None:
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()


def _abandon_stdout() -> None:
    """Python would complain once more when it flushes stdout at exit, so that leads nowhere now."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
