"""`ortstudio explain`: what a runtime's message means, and what to do."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ortstudio.cli.output import Output
from ortstudio.errors import UsageError
from ortstudio.services.explain import Explanation, explain

MESSAGE_CHARACTERS = 100_000
"""More than that of a log is not looked at."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="the model that it was said of")
    parser.add_argument(
        "--text", metavar="TEXT", help="what the runtime said; standard input otherwise"
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Explain; 1 where the message is not known."""
    said = arguments.text if arguments.text is not None else _from_stdin()
    if not said.strip():
        raise UsageError(
            "There is no message to explain", hint="Give it with --text, or on standard input."
        )
    path = None if arguments.file is None else Path(arguments.file)
    found = explain(said.strip()[:MESSAGE_CHARACTERS], path)
    if output.as_json:
        output.json(found.to_json())
    else:
        _show(found, output)
    return found.exit_code


def _from_stdin() -> str:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return ""
    data: bytes = stream.read(4 * MESSAGE_CHARACTERS)
    return data.decode(errors="replace")


def _show(found: Explanation, output: Output) -> None:
    from ortstudio.cli.page import Page

    page = Page(output)
    page.text(f"{found.meaning}.")
    for other in found.recognized[1:]:
        page.text(f"{other.meaning}.", "muted")
    if found.path is not None:
        page.section("This file", found.path)
        for fact in found.facts:
            page.text(f"{fact.text}.")
    if found.what_to_do:
        page.section("What to do")
        for hint in found.what_to_do:
            page.text(hint)
