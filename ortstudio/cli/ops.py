"""`ortstudio ops`: the operator config that a build needs, and the flags that follow."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli import ops_text
from ortstudio.cli.output import Output, complain
from ortstudio.cli.run_options import path_name
from ortstudio.errors import UsageError
from ortstudio.services import ops
from ortstudio.services.ops_flags import PROVIDER_NAMES, OpsFlags, ops_flags

MERGE, FLAGS = "merge", "flags"
DEFAULT_CONFIG = "ops.config"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.usage = (
        "ortstudio ops SRC... [-o F] [--types]  |  ops merge F... -o F  |  ops flags SRC..."
    )
    parser.epilog = (
        "SRC is a model (.ort or ONNX) or a folder of them; merge takes configs too, and a file"
        f" of that name as ./{MERGE}. A config holds each operator with the version that introduced"
        " its form: 11 for a Conv in a model of opset 17. Texts that are only joined lose types in"
        " a build, which takes the last it reads of an operator; merge unites them."
    )
    parser.add_argument("sources", metavar="SRC", nargs="+", type=path_name, help=argparse.SUPPRESS)
    parser.add_argument("-o", dest="target", metavar="F", help="the config to write")
    parser.add_argument("--overwrite", action="store_true", help="replace a config that exists")
    parser.add_argument(
        "--types",
        action="store_true",
        help="the types too that each operator must take, for a build with reduced types",
    )
    flags = parser.add_argument_group("ops flags")
    flags.add_argument(
        "--provider",
        choices=PROVIDER_NAMES,
        action="append",
        default=[],
        help="an execution provider that the build is to have",
    )
    flags.add_argument(
        "--given",
        metavar="'FLAGS'",
        default="",
        help="flags of a build that is there, to check; one alone as --given=--minimal_build",
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Say what the sources need, and write it; every trouble stands in its row and on stderr."""
    word, sources = _word(arguments)
    found = ops.needs(sources, types=arguments.types, configs=word == MERGE)
    if arguments.target is not None:
        found = ops.write(found, Path(arguments.target), overwrite=arguments.overwrite)
    flags = _flags(found, arguments) if word == FLAGS else None
    answer = flags or found
    if output.as_json:
        output.json(answer.to_json())
    elif flags is not None:
        ops_text.show_flags(flags, output, arguments.given)
    else:
        ops_text.show(found, output)
    for row in found.rows:
        if row.error is not None:
            complain(row.error)
    return answer.exit_code


def _word(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """What is to be done, and with which files."""
    word, *rest = arguments.sources
    if word not in (MERGE, FLAGS):
        word, rest = "", arguments.sources
    if word != FLAGS and (arguments.provider or arguments.given):
        raise UsageError(f"--provider and --given belong to ops {FLAGS}")
    if word and not rest:
        raise UsageError(f"ops {word} takes files", hint=f"For a file of that name give ./{word}.")
    if word == MERGE and arguments.target is None:
        raise UsageError(f"ops {MERGE} needs -o with the config to write")
    return word, rest


def _flags(found: ops.Ops, arguments: argparse.Namespace) -> OpsFlags:
    return ops_flags(
        found,
        config=Path(arguments.target or DEFAULT_CONFIG).name,
        types=arguments.types,
        providers=arguments.provider,
        given=arguments.given,
    )
