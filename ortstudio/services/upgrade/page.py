"""The proof of an upgrade as one HTML page that needs nothing else: light, dark, print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.services import resources
from ortstudio.services.conversion import Conversion
from ortstudio.services.html_text import text
from ortstudio.services.release_strip import Standing, Strip, standing
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.upgraded import OLD, Proof, ReleaseRun, Upgraded
from ortstudio.services.verify import Verified
from ortstudio.services.verify_words import agreement_text, circumstances

MARKS: Mapping[Standing, tuple[str, str]] = {
    Standing.LOADS: ("loads", "✓"),
    Standing.SLOWER: ("slower", "s"),
    Standing.WARNED: ("warned", "!"),
    Standing.REFUSES: ("refuses", "×"),
    Standing.UNKNOWN: ("unknown", "?"),
}
"""By standing: a class of the style sheet, and a letter, for colour never says it alone."""
_WORDS = (("kept", "Stays"), ("lost", "Is lost"), ("gained", "Is won"), ("better", "Better"))


def page(done: Conversion, made_by: str) -> str:
    """The whole page."""
    rows = [row for row in done.results if isinstance(row, Upgraded)]
    style = resources.find("upgrade_page.css").read_text(encoding="utf-8")
    title = f"Upgrade of {rows[0].source.name}" if len(rows) == 1 else "Upgrade"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{text(title)}</h1>\n<p>{text(_counts(rows))}</p>\n"
        f'<p class="aside">{text(made_by)}</p>\n</header>\n'
        f"{''.join(part for row in rows for part in _section(row))}</body>\n</html>\n"
    )


def _counts(rows: Sequence[Upgraded]) -> str:
    done = sum(bool(row.outputs) for row in rows)
    alone, failed = sum(bool(row.skipped) for row in rows), sum(not row.ok for row in rows)
    words = f"{done} of {count(len(rows), 'file')} upgraded"
    words += f", {alone} left alone" if alone else ""
    return words + (f", {failed} not upgraded" if failed else "")


def _section(row: Upgraded) -> Iterator[str]:
    planned = row.planned
    made = "".join(f" → {one.path.name}" for one in row.outputs)
    yield f"<section>\n<h2>{text(row.source.name)}{text(made)}</h2>\n"
    if row.error is not None:
        yield f'<p class="warning">Not upgraded. {text(str(row.error))}</p>\n'
    elif row.skipped:
        yield f"<p>{text(row.skipped)}.</p>\n"
    if planned is not None and planned.facts is not None:
        yield from _facts(row, planned)
        yield from _strips(planned)
    if row.proof is not None:
        yield from _runs(row.proof)
    yield "</section>\n"


def _facts(row: Upgraded, planned: PlannedUpgrade) -> Iterator[str]:
    proof = row.proof
    yield "<dl>\n" + _fact("What it was", planned.words.meaning)
    if planned.route is not None:
        yield _fact("How", [planned.route.words])
    for name, title in _WORDS:
        yield _fact(title, getattr(planned.words, name))
    if proof is not None:
        nodes = f"{count(proof.nodes, 'node')} compared one by one: the same"
        operators = f"Each of {count(proof.operators, 'operator')} in use has its resolver entry"
        yield _fact("Compared", [nodes, operators])
        yield _fact("Changed", [f"{one[:1].upper()}{one[1:]}" for one in proof.changes])
        sizes = [size_text(one.size_bytes) for one in row.outputs]
        yield _fact("Old file", [f"{row.source}", f"sha256 {proof.source_sha256}"], "name")
        new = [f"{one.path}" for one in row.outputs]
        yield _fact("New file", [*new, *sizes, f"sha256 {proof.result_sha256}"], "name")
    yield "</dl>\n"


def _fact(title: str, lines: Sequence[str], style: str = "") -> str:
    if not lines:
        return ""
    shown = "".join(f'<dd class="{style}">{text(line)}</dd>\n' for line in lines)
    return f"<dt>{title}</dt>\n{shown}"


def _strips(planned: PlannedUpgrade) -> Iterator[str]:
    """A row for each file and build, a column for each minor release, and what the marks mean."""
    rows = [
        (f"{build} builds, {when}".capitalize(), getattr(strips, build))
        for build in ("full", "minimal")
        for when, strips in (("old file", planned.before), ("new file", planned.after))
        if strips is not None
    ]
    minors = [name for name, _ in _by_minor(rows[0][1])] if rows else []
    head = "".join(f"<th>{name}</th>" for name in minors)
    yield f'<div class="scroll"><table class="strips">\n<thead><tr><th></th>{head}</tr></thead>\n'
    for name, strip in rows:
        cells = "".join(f"<td>{_cells(alike)}</td>" for _, alike in _by_minor(strip))
        yield f"<tr><th>{name}</th>{cells}</tr>\n"
    yield "</table></div>\n"
    found = {standing(answer) for _, strip in rows for answer in strip}
    keys = (f"{_cell(which, which.value)} {text(which.value)}" for which in MARKS if which in found)
    yield f'<p class="aside key">{" ".join(f"<span>{key}</span>" for key in keys)}</p>\n'


def _by_minor(strip: Strip) -> Iterator[tuple[str, list[Compatibility]]]:
    runs = groupby(strip, lambda answer: f"{answer.release.major}.{answer.release.minor}")
    return ((name, list(run)) for name, run in runs)


def _cells(alike: Sequence[Compatibility]) -> str:
    """One cell for the patches of a minor release that stand alike."""
    made = []
    for which, run in groupby(alike, standing):
        answers = list(run)
        releases = listed([str(answer.release) for answer in answers], 9)
        made.append(_cell(which, f"{releases}: {which.value}. {answers[-1].why}"))
    return "".join(made)


def _cell(which: Standing, told: str) -> str:
    style, mark = MARKS[which]
    return f'<span class="cell {style}" title="{text(told)}">{mark}</span>'


def _runs(proof: Proof) -> Iterator[str]:
    if not proof.runs:
        yield '<p class="warning">Old and new were not run.</p>\n'
        return
    yield "<table>\n<thead><tr><th>Run under</th><th>Found</th><th>Inputs</th></tr></thead>\n"
    yield from map(_run, proof.runs)
    yield "</table>\n"


def _run(run: ReleaseRun) -> str:
    if isinstance(run.found, Verified):
        found = f'<td class="good">{text(agreement_text(run.found, OLD))}</td>'
        found += f"<td>{text(circumstances(run.found))}</td>"
    else:
        found = f'<td class="warning" colspan="2">not verified: {text(run.found)}</td>'
    return f"<tr><td>{text(run.words)}</td>{found}</tr>\n"
