"""`ortstudio check`: is a file sound, is it portable, and does a certain build run it."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.cli.output import Output
from ortstudio.errors import UsageError
from ortstudio.services.check import check
from ortstudio.services.compatibility import BUILDS, parse_release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model of any kind: .ort, .onnx, ...")
    parser.add_argument(
        "--config",
        metavar="F",
        help="an operator config: does a build by it have the operators and types of the model",
    )
    parser.add_argument(
        "--runtime",
        metavar="RELEASE",
        help="does this release of ONNX Runtime, such as 1.16.3, load the file; nothing is run",
    )
    parser.add_argument(
        "--build",
        choices=BUILDS,
        help="which build of it (default full)",
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Answer; 0 where every question is answered with yes, 1 where one is not."""
    config = None if arguments.config is None else Path(arguments.config)
    if arguments.build and not arguments.runtime:
        raise UsageError("--build goes with --runtime", hint="Name the release of the build.")
    release = None if arguments.runtime is None else parse_release(arguments.runtime)
    found = check(Path(arguments.file), config, release, arguments.build or "full")
    if output.as_json:
        output.json(found.to_json())
    else:
        from ortstudio.cli import check_text

        check_text.show(found, output)
    return found.exit_code
