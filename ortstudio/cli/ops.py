"""`ortstudio ops`: the operator config that a build needs, and the flags that follow."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli import ops_text
from ortstudio.cli.output import Output, complain
from ortstudio.errors import UsageError
from ortstudio.services import ops

MERGE, FLAGS = "merge", "flags"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.usage = (
        "ortstudio ops SRC... [-o F] [--types]  |  ops merge F... -o F  |  ops flags SRC..."
    )
    parser.epilog = (
        "SRC is a model (.ort or ONNX) or a folder of them; merge takes configs too, and a file"
        f" of that name as ./{MERGE}. A config holds each operator with the version that introduced"
        " its form: 11 for a Conv in a model of opset 17."
    )
    parser.add_argument("sources", metavar="SRC", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("-o", dest="target", metavar="F", help="the config to write")
    parser.add_argument("--overwrite", action="store_true", help="replace a config that exists")
    parser.add_argument(
        "--types",
        action="store_true",
        help="the types too that each operator must take, for a build with reduced types",
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Say what the sources need, and write it; every trouble stands in its row and on stderr."""
    word, *rest = arguments.sources
    merge = word == MERGE
    sources = rest if merge else arguments.sources
    if merge and (not rest or arguments.target is None):
        raise UsageError("merge takes configs or models, and -o with the config to write")
    found = ops.needs(sources, types=arguments.types, configs=merge)
    if arguments.target is not None:
        found = ops.write(found, Path(arguments.target), overwrite=arguments.overwrite)
    if output.as_json:
        output.json(found.to_json())
    else:
        ops_text.show(found, output)
    for row in found.rows:
        if row.error is not None:
            complain(row.error)
    return found.exit_code
