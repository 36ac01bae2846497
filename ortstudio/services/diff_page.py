"""A comparison as one HTML file that needs nothing else: pictures, tables, light, dark, print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ortstudio.analysis.pairing.rows import Change, ModelRow, NamedRow, NodeRow, RowKind
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.services import resources
from ortstudio.services.describe.models import KIND_TEXT
from ortstudio.services.diff import Comparison
from ortstudio.services.diff_groups import (
    ARROW,
    ORDER,
    Group,
    Nodes,
    counts_text,
    grouped,
    named_text,
    names_of,
    node_key,
    what_became,
)
from ortstudio.services.diff_pictures import picture
from ortstudio.services.document import Document
from ortstudio.services.html_text import text

MOST_CARDS = 60
MOST_KEPT = 3000
"""So many rows of what was kept are listed; what changed is listed whole."""

MARKS: Mapping[RowKind, str] = {
    "kept": "=",
    "changed": "~",
    "fused": ">",
    "split": "<",
    "added": "+",
    "removed": "\N{MINUS SIGN}",
    "folded": "c",
    "inlined": "i",
}

Cells = tuple[RowKind, Sequence[str]]
"""A row of a table: its kind, and its other cells as HTML."""


def page(found: Comparison) -> str:
    """The whole page."""
    title = text(f"{found.a.path.name}{ARROW}{found.b.path.name}")
    style, script = (_resource(f"diff_page.{kind}") for kind in ("css", "js"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{''.join(_body(found, title))}<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _resource(name: str) -> str:
    return resources.find(name).read_text(encoding="utf-8")


def _body(found: Comparison, title: str) -> Iterator[str]:
    diff, summary = found.diff, found.diff.summary()
    yield f"<header>\n<h1>{title}</h1>\n"
    yield f'<p class="aside">{text(_sizes(found.a, found.b))}</p>\n'
    yield f'<p class="overview">{text(found.overview)}</p>\n'
    mood = "differs" if found.differs else "agrees"
    yield f'<p class="{mood}">{text(found.verdict)}</p>\n</header>\n'
    yield from _rewrites(found)
    yield from _table("Nodes", summary["nodes"], _node_cells(found), "Source", "Result", "Why")
    initializers = _named_cells(diff.initializers)
    yield from _table(
        "Initializers", summary["initializers"], initializers, "Name", "What it is now"
    )
    values = _named_cells(diff.values)
    yield from _table("Values", summary["values"], values, "Name", "What it is now")
    yield from _table("Model", summary["model"], _model_cells(diff.model), "Fact", "A", "B", "Why")


def _sizes(a: Document, b: Document) -> str:
    sides = [(KIND_TEXT[d.model.kind], size_text(d.model.source.size)) for d in (a, b)]
    return ARROW.join(f"{kind}, {size}" for kind, size in sides)


def _rewrites(found: Comparison) -> Iterator[str]:
    """A card with a picture for each sort of rewrite."""
    a, b = Nodes(found.a.model), Nodes(found.b.model)
    rows = [row for row in found.diff.nodes if row.kind != "kept"]
    groups = grouped(rows, lambda row: node_key(row, a, b))
    if not groups:
        return
    yield f"<section>\n<h2>Rewrites <small>{count(len(groups), 'sort')}</small></h2>\n"
    yield '<div class="cards">\n'
    graphs = [{g.path: g for g in d.model.graphs} for d in (found.a, found.b)]
    for group in groups[:MOST_CARDS]:
        yield _card(group, picture(group.first, *graphs), a, b)
    yield "</div>\n"
    if len(groups) > MOST_CARDS:
        yield f'<p class="aside">and {len(groups) - MOST_CARDS:,} more sorts</p>\n'
    yield "</section>\n"


def _card(group: Group[NodeRow], drawing: str, a: Nodes, b: Nodes) -> str:
    row = group.first
    times = f" {len(group.rows):,} times" if len(group.rows) > 1 else ""
    name = f" <code>{text(row.rewrite)}</code>" if row.rewrite else ""
    parts = [f'<article class="card {row.kind}-card">{_badge(row.kind)}{times}{name}']
    if drawing:
        parts.append(f'<div class="drawing">{drawing}</div>')
    else:
        parts.append(f'<p class="name">{text(what_became(group, a, b))}</p>')
    parts.append(f"<p>{text(row.reason)}</p>")
    if row.portability:
        parts.append(f'<p class="aside">{text(row.portability)}</p>')
    parts.append(f'<p class="name aside">{text(names_of(group, a, b))}</p></article>\n')
    return "".join(parts)


def _badge(kind: RowKind) -> str:
    return f'<span class="kind {kind}">{MARKS[kind]} {kind}</span>'


def _table(
    title: str, counts: Mapping[str, int], rows: Iterable[Cells], *heads: str
) -> Iterator[str]:
    """A section with a table, the kept rows last, and what narrows it."""
    found = sorted(rows, key=lambda row: row[0] == "kept")
    kept = counts["kept"]
    found = found[: sum(counts.values()) - kept + MOST_KEPT]
    yield f'<section data-table="{title.lower()}">\n<h2>{title} '
    yield f"<small>{counts_text(counts)}</small></h2>\n"
    if found:
        yield _filter(title, counts)
        yield '<div class="scroll"><table>\n<thead><tr><th>Kind</th>'
        yield "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead>\n<tbody>\n"
        for kind, cells in found:
            columns = "".join(f"<td>{cell}</td>" for cell in cells)
            yield f'<tr data-kind="{kind}"><td>{_badge(kind)}</td>{columns}</tr>\n'
        yield "</tbody></table></div>\n"
    if kept > MOST_KEPT:
        yield f'<p class="aside">and {kept - MOST_KEPT:,} more that were kept</p>\n'
    yield "</section>\n"


def _filter(title: str, counts: Mapping[str, int]) -> str:
    """Hidden until the script runs. What was kept is left out at first, unless that is all."""
    only_kept = counts["kept"] == sum(counts.values())
    boxes = "".join(
        f'<label><input type="checkbox" value="{kind}"'
        f"{'' if kind == 'kept' and not only_kept else ' checked'}>"
        f'<span class="kind {kind}">{MARKS[kind]} {kind} {counts[kind]:,}</span></label>'
        for kind in ORDER
        if counts[kind]
    )
    label = f"Search {title.lower()}"
    return (
        f'<div class="filter" hidden><input type="search" placeholder="{label}"'
        f' aria-label="{label}">{boxes}<output class="aside" aria-live="polite"></output></div>\n'
    )


def _node_cells(found: Comparison) -> Iterator[Cells]:
    a, b = Nodes(found.a.model), Nodes(found.b.model)
    for row in found.diff.nodes:
        sides = [
            f'<span class="name">{text(listed([nodes.text(ref) for ref in refs], 16))}</span>'
            for refs, nodes in ((row.a, a), (row.b, b))
        ]
        yield row.kind, (*sides, text(row.reason) + _changes(row.changes))


def _named_cells(rows: Iterable[NamedRow]) -> Iterator[Cells]:
    for row in rows:
        name = f'<span class="name">{text(named_text(row))}</span>'
        changes = [change for change in row.changes if change.what not in ("name", "graph")]
        yield row.kind, (name, text(row.reason) + _changes(changes))


def _model_cells(rows: Iterable[ModelRow]) -> Iterator[Cells]:
    for row in rows:
        sides = [f'<span class="name">{text(side)}</span>' for side in (row.a, row.b)]
        yield row.kind, (text(row.name), *sides, text(row.reason))


def _changes(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    items = (
        f'<li>{text(c.what)}: <span class="name">{text(c.before)}{ARROW}{text(c.after)}</span></li>'
        for c in changes
    )
    return f"<ul>{''.join(items)}</ul>"
