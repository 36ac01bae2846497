"""`ortstudio inspect`: all that a file holds."""

from __future__ import annotations

import argparse

from ortstudio.cli.output import Output, complain
from ortstudio.cli.page import Page
from ortstudio.errors import DONE_YES, UNREADABLE
from ortstudio.services.document import open_document
from ortstudio.services.inspect import answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model of any kind: .ort, .onnx, ...")
    parser.add_argument("--nodes", action="store_true", help="list all nodes too")
    parser.add_argument("--initializers", action="store_true", help="list all initializers too")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Show the file; 3 where its structure is damaged, with all that can still be read."""
    document = open_document(arguments.file)
    if output.as_json:
        output.json(answer(document, nodes=arguments.nodes, initializers=arguments.initializers))
    else:
        from ortstudio.cli import inspect_lists, inspect_text

        page = Page(output)
        inspect_text.show(document, page)
        if arguments.nodes:
            inspect_lists.show_nodes(document.model, page)
        if arguments.initializers:
            inspect_lists.show_initializers(document.model, page)
    if document.model.error is None:
        return DONE_YES
    complain(document.model.error)
    return UNREADABLE
