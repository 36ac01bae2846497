"""`ortstudio snippet`: code that loads and runs a model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ortstudio.cli.output import Output, encodable, printable
from ortstudio.cli.results import cancel_on_signals
from ortstudio.cli.run_options import size
from ortstudio.errors import DONE_YES, UsageError
from ortstudio.services.document import Document, open_document
from ortstudio.services.snippet import (
    LANGUAGES,
    Loading,
    Snippet,
    SnippetModel,
    Way,
    language,
    loading_of,
    snippet,
    snippet_model,
)
from ortstudio.services.whole_file import check_apart, check_free, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model: .ort or .onnx")
    names = [found.name for found in LANGUAGES]
    parser.add_argument("--lang", choices=names, required=True, help="the language")
    parser.add_argument(
        "--loading",
        choices=[way.value for way in Way],
        help="how the file is loaded (default: the fastest way that is safe)",
    )
    parser.add_argument(
        "--no-prepacking",
        action="store_true",
        help="weights stay as they are: sooner there, less memory, perhaps slower runs",
    )
    parser.add_argument(
        "--replay", action="store_true", help="apply the saved optimizations of a trusted file"
    )
    parser.add_argument(
        "--dim", metavar="SYMBOL=N", action="append", default=[], type=size, help="an open size"
    )
    parser.add_argument(
        "--find-sizes",
        action="store_true",
        help="run the model in a child process, to find open sizes that it accepts",
    )
    parser.add_argument("-o", dest="target", metavar="OUT", help="write the code into a file")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Print the code, or write it; notes go to stderr."""
    if arguments.overwrite and not arguments.target:
        raise UsageError("--overwrite is for -o")
    target = Path(arguments.target) if arguments.target else None
    if target is not None:
        check_apart(target, "-o", [arguments.file])
        check_free(target, overwrite=arguments.overwrite)
    document = open_document(arguments.file)
    model = snippet_model(document, dict(arguments.dim))
    if arguments.find_sizes and model.sizes:
        model = replace(model, sizes=_found_sizes(document, dict(arguments.dim)))
    made = snippet(model, arguments.lang, _loading(arguments, model))
    if target is not None:
        write_text(target, made.code, overwrite=arguments.overwrite)
    if output.as_json:
        written = {} if target is None else {"path": str(target)}
        output.json(made.to_json() | written)
        return DONE_YES
    output.line(made.code.removesuffix("\n") if target is None else f"Written: {target}")
    _tell(made)
    return DONE_YES


def _found_sizes(document: Document, dims: dict[str, int]) -> Mapping[str, int]:
    from ortstudio.services.snippet.sizes import accepted_sizes

    with cancel_on_signals() as cancelled:
        return accepted_sizes(document, dims, cancelled=cancelled.is_set)


def _loading(arguments: argparse.Namespace, model: SnippetModel) -> Loading:
    lang = arguments.lang
    if arguments.loading:
        loading = loading_of(model, lang, Way(arguments.loading))
    else:
        loading = language(lang).writer().offered(model)[0]
    return replace(loading, prepacking=not arguments.no_prepacking, replay=arguments.replay)


def _tell(made: Snippet) -> None:
    for note in (*made.notes, f"Needs {', '.join(made.requires)}"):
        sys.stderr.write(f"{encodable(printable(note), sys.stderr)}\n")
