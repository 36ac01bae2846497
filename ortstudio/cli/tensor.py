"""`ortstudio tensor`: one tensor, its statistics and its values."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from ortstudio.analysis.words import size_text
from ortstudio.cli.output import Output, complain, printable
from ortstudio.cli.page import INDENT, Page
from ortstudio.errors import DONE_YES, UNREADABLE, UsageError
from ortstudio.format.arrays import Numbers
from ortstudio.model.tensor import ExternalData, Span
from ortstudio.model.types import data_type_text
from ortstudio.services.describe.facts import number
from ortstudio.services.document import open_document
from ortstudio.services.npy import write_npy
from ortstudio.services.tensor_answer import TensorView, answer, view_tensor
from ortstudio.services.tensor_lookup import find_tensor
from ortstudio.services.whole_file import check_apart

SHOWN_ELEMENTS = 200
"""Of more elements only the first and last along each dimension are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the verb takes."""
    parser.add_argument("file", metavar="FILE", help="a model of any kind")
    parser.add_argument(
        "name", metavar="NAME", help="an initializer, or NODE/ATTRIBUTE for one in an attribute"
    )
    parser.add_argument("--graph", metavar="PATH", help="the graph, where several have the name")
    parser.add_argument("--slice", metavar="S", help="a part, as numpy writes it: 0,:,2:5")
    parser.add_argument("--npy", metavar="OUT", help="write the values into a .npy file")
    parser.add_argument("--overwrite", action="store_true", help="replace a .npy file that exists")


def run(arguments: argparse.Namespace, output: Output) -> int:
    """Show the tensor, and write it where that is asked for; 3 where the file is damaged."""
    if arguments.overwrite and not arguments.npy:
        raise UsageError("--overwrite is for --npy")
    if arguments.npy:
        check_apart(Path(arguments.npy), "--npy", [arguments.file])
    document = open_document(arguments.file)
    found = find_tensor(document, arguments.name, arguments.graph)
    view = view_tensor(document, found, arguments.slice)
    if arguments.npy:
        values = view.elements.array() if view.values is None else view.values
        write_npy(Path(arguments.npy), values, overwrite=arguments.overwrite)
    error = document.model.error
    if output.as_json:
        output.json(answer(view) | ({"error": error.to_json()} if error else {}))
    else:
        _show(view, Page(output))
        if arguments.npy:
            output.line(f"\nWritten: {printable(arguments.npy)}")
    if error is None:
        return DONE_YES
    complain(error)
    return UNREADABLE


def _show(view: TensorView, page: Page) -> None:
    found, tensor = view.found, view.found.tensor
    page.title(found.name, f"tensor of {found.graph}")
    page.fact("Type", data_type_text(tensor.data_type))
    page.fact("Shape", str(list(found.dims)))
    page.fact("Size", _size(found.size_bytes))
    if found.sparse is not None:
        page.fact("Sparse", f"{number(view.elements.count)} elements are stored; these are shown")
    page.fact("Where", _where(view))
    _show_statistics(view, page)
    page.section("Values", _which(view))
    if view.values is None:
        page.text(f"{number(view.elements.count)} elements; these are the first")
        page.verbatim(_printed(view.elements.window(0, SHOWN_ELEMENTS // 2), page.width))
    else:
        page.verbatim(_printed(view.values, page.width))


def _size(size_bytes: int) -> str:
    text = size_text(size_bytes)
    return text if size_bytes < 1000 else f"{text} ({number(size_bytes)} bytes)"


def _where(view: TensorView) -> str:
    data, offset = view.found.tensor.data, view.found.tensor.offset
    if isinstance(data, Span):
        return f"bytes {number(data.offset)} to {number(data.offset + data.length)}"
    if isinstance(data, ExternalData):
        return f"{data.location}, from byte {number(data.offset)}"
    return f"in the record at byte {number(offset)}"


def _show_statistics(view: TensorView, page: Page) -> None:
    found = view.statistics
    page.section("Statistics", f"{number(found.count)} elements")
    for label in ("min", "max", "mean", "std"):
        value = getattr(found, label)
        if value is not None:
            page.fact(label, f"{value:,}" if isinstance(value, int) else f"{value:.6g}")
    page.fact("zeros", number(found.zeros))
    if found.nan or found.inf:
        page.fact("not finite", f"{number(found.nan)} NaN, {number(found.inf)} infinite")


def _which(view: TensorView) -> str:
    """What part is shown, and as what."""
    parts = [f"[{view.slice_text}]"] if view.slice_text is not None else []
    parts += [f"shown as {view.widened_to}"] if view.widened_to else []
    return ", ".join(parts)


def _printed(values: Numbers, width: int) -> str:
    return np.array2string(values, width - INDENT, threshold=SHOWN_ELEMENTS, separator=", ")
