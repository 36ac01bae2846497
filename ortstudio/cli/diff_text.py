"""A comparison as text, for a terminal or a pull request: what happened alike is told once."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.pairing.facts import SAME
from ortstudio.analysis.pairing.initializers import NOT_KNOWN
from ortstudio.analysis.pairing.rows import Change, ModelRow, NamedRow, NodeRow, RowKind
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.cli.output import printable
from ortstudio.cli.page import Page
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.diff import Comparison
from ortstudio.services.diff_groups import (
    ARROW,
    Group,
    Nodes,
    counts_text,
    fact_text,
    gist,
    grouped,
    named_text,
    names_of,
    node_key,
    what_became,
)
from ortstudio.services.document import Document

MOST_GROUPS = 40
MOST_CHANGES = 6
MOST_NAMES = 6

_STYLES: dict[RowKind, str] = {
    "fused": "name",
    "split": "name",
    "changed": "warning",
    "folded": "name",
    "inlined": "name",
    "added": "good",
    "removed": "error",
    "kept": "muted",
}


def show(found: Comparison, page: Page, *, everything: bool) -> None:
    """Write the page; with `everything` each row for itself, the kept ones too."""
    page.title(f"{found.a.path.name}{ARROW}{found.b.path.name}", _sizes(found.a, found.b))
    page.text(found.overview)
    page.text(found.verdict, "warning" if found.differs else "good")
    summary = found.diff.summary()
    page.section("Nodes", counts_text(summary["nodes"]))
    _nodes(found, page, everything)
    page.section("Initializers", counts_text(summary["initializers"]))
    _named(found.diff.initializers, page, everything)
    page.section("Values", counts_text(summary["values"]))
    if everything:
        _named(found.diff.values, page, everything)
    page.section("Model", counts_text(summary["model"]))
    _model(found.diff.model, page, everything)


def _sizes(a: Document, b: Document) -> str:
    return ARROW.join(
        f"{KIND_TEXT[d.model.kind]}, {size_text(d.model.source.size)}" for d in (a, b)
    )


def _nodes(found: Comparison, page: Page, everything: bool) -> None:
    a, b = Nodes(found.a.model), Nodes(found.b.model)
    if everything:
        groups = [Group((row,)) for row in found.diff.nodes]
    else:
        rows = [row for row in found.diff.nodes if row.kind != "kept"]
        groups = grouped(rows, lambda row: node_key(row, a, b))
    shown = groups if everything else groups[:MOST_GROUPS]
    said: set[str] = set()
    for group in shown:
        row = group.first
        head = what_became(group, a, b)
        if len(group.rows) > 1:
            head = f"{len(group.rows):,} × {head}"
        if row.rewrite:
            head += f"  [{row.rewrite}]"
        lines = [head, names_of(group, a, b)]
        if row.kind != "kept":
            lines += [row.reason, "" if row.portability in said else row.portability]
            lines += _changes(group)
        said.add(row.portability)
        _fact(page, row.kind, lines)
    page.more(len(groups) - len(shown))


def _changes(group: Group[NodeRow]) -> list[str]:
    """The changes, where all rows of the group have the same ones. The operators are told above."""
    changes = group.first.changes
    if any(row.changes != changes for row in group.rows):
        return []
    return _change_lines([change for change in changes if change.what != "operator"])


def _change_lines(changes: Sequence[Change]) -> list[str]:
    lines = [f"{c.what}: {c.before}{ARROW}{c.after}" for c in changes[:MOST_CHANGES]]
    if len(changes) > MOST_CHANGES:
        lines.append(f"and {count(len(changes) - MOST_CHANGES, 'more change')}")
    return lines


def _named(rows: Sequence[NamedRow], page: Page, everything: bool) -> None:
    if everything:
        groups = [Group((row,)) for row in rows]
    else:
        told = [row for row in rows if row.kind != "kept" or row.reason.startswith(NOT_KNOWN)]
        groups = grouped(told, lambda row: gist(row.reason))
    shown = groups if everything else groups[:MOST_GROUPS]
    for group in shown:
        row = group.first
        names = listed([named_text(member) for member in group.rows], MOST_NAMES)
        if len(group.rows) == 1:
            changes = [c for c in row.changes if c.what not in ("name", "graph")]
            _fact(page, row.kind, [names, row.reason, *_change_lines(changes)])
        else:
            same = all(member.reason == row.reason for member in group.rows)
            _fact(page, row.kind, [names, row.reason if same else gist(row.reason)])
    page.more(len(groups) - len(shown))


def _model(rows: Sequence[ModelRow], page: Page, everything: bool) -> None:
    told = [row for row in rows if everything or row.kind != "kept" or row.reason != SAME]
    for group in grouped(told, lambda row: row.reason):
        names = listed([fact_text(row) for row in group.rows], MOST_NAMES)
        _fact(page, group.first.kind, [names, group.first.reason])


def _fact(page: Page, kind: RowKind, lines: Sequence[str]) -> None:
    """Lines behind the kind. Each is one line: a line break out of a file stays an escape."""
    text = "\n".join(printable(line) for line in lines if line)
    page.fact(kind, text, label_style=_STYLES[kind])
