"""Options that verbs share: how a model is run, what it is fed, and what counts as agreement."""

from __future__ import annotations

import argparse
import math
import re

from ortstudio.cli.output import Output
from ortstudio.services.agreement import Tolerance
from ortstudio.services.inputs import InputSettings
from ortstudio.services.runtimes import Runtime, find, own
from ortstudio.services.runtimes.limits import limits
from ortstudio.services.sessions import Level


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Declare what every verb takes that runs a model."""
    add_runtime(parser)
    add_input_options(parser)


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """Declare which release does the work."""
    parser.add_argument(
        "--runtime",
        metavar="NAME",
        help="the ONNX Runtime to use, by name, release or path (see `ortstudio runtimes`)",
    )


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Declare all of them but the runtime."""
    group = parser.add_argument_group("inputs and comparison")
    group.add_argument(
        "--inputs", metavar="F.npz", help="arrays by input name; the others are generated"
    )
    group.add_argument(
        "--dim", metavar="SYMBOL=N", action="append", default=[], type=size, help="a symbolic size"
    )
    group.add_argument(
        "--range",
        metavar="NAME=LO:HI",
        action="append",
        default=[],
        type=_range,
        help="least and greatest generated value of an input",
    )
    group.add_argument("--seed", metavar="N", type=natural, default=0, help="of generated inputs")
    tolerance = Tolerance()
    group.add_argument(
        "--rtol",
        metavar="X",
        type=_tolerance,
        default=tolerance.rtol,
        help="how far outputs may be apart, relative to the value (default %(default)s)",
    )
    group.add_argument(
        "--atol",
        metavar="X",
        type=_tolerance,
        default=tolerance.atol,
        help="the same relative to the largest value, and at least 1 (default %(default)s)",
    )


def add_level(parser: argparse._ActionsContainer, subject: str) -> None:
    """Declare the level of a load; `subject` is such as "both are"."""
    parser.add_argument(
        "--level",
        choices=[level.value for level in Level],
        default=Level.ALL.value,
        help=f"how far {subject} optimized at load (default %(default)s)",
    )


def add_custom_ops(parser: argparse._ActionsContainer) -> None:
    """Declare the library of operators that sessions are given."""
    parser.add_argument(
        "--custom-ops", metavar="LIB", help="a library of operators that ONNX Runtime lacks"
    )


def add_verify(parser: argparse._ActionsContainer, both: str) -> None:
    """Declare whether `both`, such as "old and new", are run before a result gets its name."""
    parser.add_argument(
        "--verify",
        action=argparse.BooleanOptionalAction,
        default=True,
        help=f"run {both} on the same inputs and compare (default: yes)",
    )


def runtime(arguments: argparse.Namespace) -> Runtime:
    """The release that was asked for, or our own. Raises UsageError where it is not at hand."""
    return find(arguments.runtime) if arguments.runtime else own()


def runtime_used(chosen: Runtime) -> dict[str, object]:
    """What an answer says of the release that was used."""
    return {
        "runtime": {
            "name": chosen.name,
            "onnxruntime": chosen.onnxruntime,
            "limits": limits(chosen),
        }
    }


def show_limits(chosen: Runtime, output: Output) -> None:
    """A line for each thing that the release does otherwise than the newest one."""
    for words in limits(chosen):
        output.line(output.style(words, "warning"))


def input_settings(arguments: argparse.Namespace) -> InputSettings:
    """What was said of inputs."""
    return InputSettings(
        seed=arguments.seed,
        dims=dict(arguments.dim),
        ranges=dict(arguments.range),
        file=arguments.inputs,
    )


def tolerance(arguments: argparse.Namespace) -> Tolerance:
    """What counts as agreement."""
    return Tolerance(rtol=arguments.rtol, atol=arguments.atol)


def path_name(text: str) -> str:
    """The value of an option that names a file or folder.

    No name would stand for the current folder, and is what a script's unset variable gives.
    """
    if not text:
        raise argparse.ArgumentTypeError("an empty name")
    return text


def size(text: str) -> tuple[str, int]:
    """The value of an option that gives a symbol a size."""
    # A symbol may hold any character, an equals sign too.
    symbol, _, number = text.rpartition("=")
    if not symbol or not _is_natural(number):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not SYMBOL=N with a whole number, such as batch=8"
        )
    return symbol, int(number)


def fixed_size(text: str) -> tuple[str, int]:
    """The value of an option that puts a number in the place of a symbol."""
    symbol, number = size(text)
    if not number:
        raise argparse.ArgumentTypeError(
            f"{symbol} cannot be fixed to 0: a size is a whole number from 1 up"
        )
    return symbol, number


def natural(text: str) -> int:
    """The value of an option that is a whole number from 0 up."""
    if not _is_natural(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def byte_count(text: str) -> int:
    """The value of an option that is a number of bytes, in units of 1024."""
    found = re.fullmatch(r"(\d{1,18})([KMGT]?)(?:i?B)?", text, re.IGNORECASE | re.ASCII)
    if found is None or not int(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of bytes, such as 512M or 2G")
    return int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, _, bounds = text.rpartition("=")
    low, _, high = bounds.partition(":")
    try:
        found = float(low), float(high)
    except ValueError:
        found = math.nan, math.nan
    if not name or not all(map(math.isfinite, found)) or found[0] > found[1]:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=LO:HI, such as ids=0:9")
    return name, found


def _is_natural(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _tolerance(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or found < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return found
