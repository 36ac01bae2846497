"""What a set of models needs of a build, as text."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.operator_matrix import MatrixRow
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.cli.output import Output, printable
from ortstudio.cli.page import Page
from ortstudio.services.operator_config import types_words
from ortstudio.services.ops import Ops, OpsRow
from ortstudio.services.ops_flags import OpsFlags

_VERSIONS = (
    "A number is the version that introduced that form of the operator, not the opset of a model."
)
COLUMNS = 24
"""More models than this are counted, not shown one by one."""


def show(found: Ops, output: Output) -> None:
    """The matrix, what should be known of each source, and the config or where it is."""
    rows = [row for row in found.rows if row.required is not None]
    if not rows:
        return
    page = Page(output)
    _matrix(found, rows, page)
    _notes(rows, page)
    made = [made for row in rows for made in row.outputs]
    if made:
        output.line()
        path, size = printable(str(made[0].path)), size_text(made[0].size_bytes)
        output.line(f"{output.style(path, 'name')}  {size}, config for {_sources(len(rows))}")
    else:
        page.section("Config", "write it with -o")
        page.verbatim(found.text())


def show_flags(found: OpsFlags, output: Output, given: str = "") -> None:
    """The flags with the reason for each, what speaks against them, and all in one line."""
    if not found.flags:
        return
    page = Page(output)
    output.line(output.style("Flags for ONNX Runtime's build script", "title"))
    for flag in found.flags:
        models = f" ({listed(flag.models)})" if flag.models else ""
        page.fact(flag.text, f"{flag.reason}{models}.", label_style="name")
    if found.left_out:
        page.section("Left out")
    for flag in found.left_out:
        page.fact(flag.text, f"{flag.reason} ({listed(flag.models)}).")
    if found.contradictions:
        page.section("Against it")
    elif given:
        page.section("Given flags")
        page.text(f"{given}: nothing here speaks against them.")
    for one in found.contradictions:
        page.fact(listed(one.models, 3) or "The flags", f"{one.text}.", label_style="error")
    page.section("In one line")
    page.verbatim(found.text)


def _sources(number: int) -> str:
    return count(number, "source")


def _matrix(found: Ops, rows: Sequence[OpsRow], page: Page) -> None:
    matrix = found.matrix()
    title = f"{count(len(matrix), 'operator')} of {_sources(len(rows))}"
    page.output.line(page.output.style(title, "title"))
    if found.required.everything:
        page.text("All that there are: a config says so.")
    if found.required.allowed is not None:
        page.text(f"Types of the whole build: {listed(sorted(found.required.allowed), 30)}.")
    names = [str(row.source) for row in rows]
    if 1 < len(names) <= COLUMNS:
        page.table([(str(i), name) for i, name in enumerate(names, 1)], "r", ("muted", "name"))
        page.output.line()
    page.table([_cells(row, names) for row in matrix], "lrl", ("muted", "", "name"))
    page.text(_VERSIONS, "muted")


def _cells(row: MatrixRow, names: Sequence[str]) -> tuple[str, ...]:
    """Domain, version, operator, who needs it, types."""
    operator = row.operator
    if len(names) == 1:
        users = ""
    elif len(names) <= COLUMNS:
        users = " ".join(
            (str(i) if name in row.by_model else "·").rjust(len(str(len(names))))
            for i, name in enumerate(names, 1)
        )
    else:
        users = f"{len(row.by_model)} of {len(names)}"
    types = types_words(row.types) if row.types else ""
    cells = (
        operator.domain or "ai.onnx",
        str(operator.since_version),
        operator.op_type,
        users,
        types,
    )
    return tuple(
        cell for cell, shown in zip(cells, (1, 1, 1, len(names) > 1, 1), strict=True) if shown
    )


def _notes(rows: Sequence[OpsRow], page: Page) -> None:
    """Each thing to know once, with the sources that it holds for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            found.setdefault(note.message, []).append(row.source.name)
    if found:
        page.section("To know")
    for message, names in found.items():
        page.fact(listed(names, 3) if len(rows) > 1 else names[0], f"{message}.", "warning")
