"""`ortstudio edit`: names, metadata, texts and sizes of a finished model changed, verified."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeVar

from ortstudio.cli.convert_live import live
from ortstudio.cli.output import Output
from ortstudio.cli.results import cancel_on_signals, tell
from ortstudio.cli.run_options import (
    add_run_options,
    add_verify,
    fixed_size,
    input_settings,
    natural,
    runtime,
    tolerance,
)
from ortstudio.errors import UsageError
from ortstudio.services.edit import EditSettings, edit
from ortstudio.services.edit_changes import Changes

_Value = TypeVar("_Value", str, int)

_PHASES = {
    "write": "writing",
    "check": "reading it back",
    "load": "loading, to verify",
    "run": "running, to verify",
    "publish": "putting the result in its place",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.description = (
        "Changes a finished .ort or .onnx model without its source. Weights, nodes and saved "
        "optimizations stay as they are, and old and new must compute the same."
    )
    parser.add_argument("source", metavar="FILE", help="a model in ORT format, or an ONNX model")
    parser.add_argument("-o", dest="target", metavar="OUT", required=True, help="the file to write")
    _add_names(parser)
    _add_texts(parser)
    _add_removals(parser)
    parser.add_argument("--overwrite", action="store_true", help="replace a result that exists")
    add_verify(parser, "old and new")
    add_run_options(parser)


def _add_names(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("names and sizes, also in subgraphs; may be repeated")
    for side in ("input", "output"):
        group.add_argument(
            f"--rename-{side}",
            metavar="OLD=NEW",
            action="append",
            default=[],
            type=_pair,
            help=f"give an {side} another name wherever it is used",
        )
    group.add_argument(
        "--fix-dim",
        metavar="SYMBOL=N",
        action="append",
        default=[],
        type=fixed_size,
        help="put a number in the place of a symbolic size",
    )


def _add_texts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what the model says of itself; an empty text removes it")
    group.add_argument(
        "--metadata",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_entry,
        help="add or replace an entry of the metadata",
    )
    group.add_argument(
        "--remove-metadata", metavar="KEY", action="append", default=[], help="remove an entry"
    )
    for name, what in (
        ("doc-string", "the model's doc string"),
        ("graph-doc-string", "the main graph's doc string"),
        ("producer-name", "the name of the tool that made the model"),
        ("producer-version", "that tool's version"),
        ("domain", "the domain that the model belongs to"),
    ):
        group.add_argument(f"--{name}", metavar="TEXT", help=what)
    group.add_argument(
        "--model-version", metavar="N", type=natural, help="the model's own version number"
    )


def _add_removals(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what can be left out")
    group.add_argument(
        "--strip-doc-strings",
        action="store_true",
        help="of the model, its graphs, nodes, attributes, tensors and values",
    )
    group.add_argument(
        "--strip-names", action="store_true", help="the names of nodes, which nothing refers to"
    )
    group.add_argument(
        "--drop-optimizations",
        action="store_true",
        help="saved runtime optimizations (.ort); they are kept otherwise",
    )


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Edit; every trouble stands in the answer and, in one line, on stderr."""
    chosen = runtime(arguments)
    settings = EditSettings(
        target=Path(arguments.target),
        changes=_changes(arguments),
        overwrite=arguments.overwrite,
        verify=arguments.verify,
        inputs=input_settings(arguments),
        tolerance=tolerance(arguments),
    )
    with cancel_on_signals() as cancelled, live(output, _PHASES) as on_progress:
        row = edit(
            Path(arguments.source),
            settings,
            on_progress=on_progress,
            cancelled=cancelled.is_set,
            make_child=chosen.child,
        )
    return tell(row, "edit", chosen, output, row.changes)


def _changes(arguments: argparse.Namespace) -> Changes:
    return Changes(
        inputs=_once("--rename-input", arguments.rename_input),
        outputs=_once("--rename-output", arguments.rename_output),
        sizes=_once("--fix-dim", arguments.fix_dim),
        metadata=_once("--metadata", arguments.metadata),
        removed_metadata=tuple(dict.fromkeys(arguments.remove_metadata)),
        doc_string=arguments.doc_string,
        graph_doc_string=arguments.graph_doc_string,
        producer_name=arguments.producer_name,
        producer_version=arguments.producer_version,
        domain=arguments.domain,
        model_version=arguments.model_version,
        strip_doc_strings=arguments.strip_doc_strings,
        strip_names=arguments.strip_names,
        drop_optimizations=arguments.drop_optimizations,
    )


def _once(option: str, pairs: list[tuple[str, _Value]]) -> dict[str, _Value]:
    """As a mapping. Raises UsageError where one thing is to become two."""
    found: dict[str, _Value] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise UsageError(f"{option} says two things of {name!r}: {found[name]} and {value}")
    return found


def _pair(text: str) -> tuple[str, str]:
    # Names may hold an equals sign. Where both do, there is no telling: the first one parts them.
    old, equals, new = text.partition("=")
    if not old or not equals or not new:
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD=NEW")
    return old, new


def _entry(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
