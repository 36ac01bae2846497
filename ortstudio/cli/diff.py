"""`ortstudio diff`: what became of every node, value and initializer."""

from __future__ import annotations

import argparse
from pathlib import Path

from ortstudio.analysis.words import size_text
from ortstudio.cli import diff_text
from ortstudio.cli.output import Output, printable
from ortstudio.cli.page import Page
from ortstudio.cli.status_line import status_line
from ortstudio.errors import UsageError
from ortstudio.services import diff_page
from ortstudio.services.diff import answer, compare_files
from ortstudio.services.whole_file import check_apart, check_free, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("a", metavar="A", help="the source, or the older one")
    parser.add_argument("b", metavar="B", help="what was made from it, or the newer one")
    parser.add_argument("--all", action="store_true", help="list what was kept too")
    parser.add_argument("--html", metavar="OUT", help="write a page with pictures, in one file")
    parser.add_argument("--overwrite", action="store_true", help="replace a page that exists")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Compare; 1 where they differ in more than names, defaults and what the format loses."""
    page = _page_path(arguments)
    with status_line() as show:
        found = compare_files(
            arguments.a, arguments.b, lambda done, total: show(_reading(done, total))
        )
    if page is not None:
        write_text(page, diff_page.page(found), overwrite=arguments.overwrite)
    if output.as_json:
        output.json(answer(found))
    else:
        diff_text.show(found, Page(output), everything=arguments.all)
        if page is not None:
            output.line(f"\nWritten: {printable(str(page))}")
    return found.exit_code


def _page_path(arguments: argparse.Namespace) -> Path | None:
    """Where to write the page. Found out before the work, which may be long."""
    if not arguments.html:
        if arguments.overwrite:
            raise UsageError("--overwrite is for --html")
        return None
    path = Path(arguments.html)
    check_apart(path, "--html", [arguments.a, arguments.b])
    check_free(path, overwrite=arguments.overwrite)
    return path


def _reading(done: int, total: int) -> str:
    """How much of the constants is read."""
    return f"reading {size_text(total)} of weights: {100 * done // max(total, 1)} %"
