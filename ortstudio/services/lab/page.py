"""A timed comparison as one HTML page that needs nothing else: plots, tables, light, dark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ortstudio.analysis.words import count
from ortstudio.services import resources
from ortstudio.services.html_text import text
from ortstudio.services.lab.earlier import Earlier
from ortstudio.services.lab.plot_svg import plot
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.view import Row, View, view
from ortstudio.services.lab.words import (
    bests,
    capital,
    headline,
    interval_text,
    loads_in_parts,
    overhead_text,
    ratio_text,
    settings_text,
    value_text,
)

_CIRCUMSTANCES = (
    ("cpu", "Processor"),
    ("cpus", "Processors"),
    ("system", "System"),
    ("load_average", "Load before"),
    ("budget_s", "Budget in seconds"),
    ("warmup", "Warm-up runs"),
    ("seed", "Seed"),
)


def page(result: Result, earlier: Earlier | None = None) -> str:
    """The whole page."""
    style = resources.find("bench_page.css").read_text(encoding="utf-8")
    names = dict.fromkeys(one.subject.path.name for one in result.subjects)
    title = f"Timed: {', '.join(names)}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{text(title)}</h1>\n<p>{text(headline(result))}</p>\n</header>\n"
        f"{''.join(_body(result, earlier))}</body>\n</html>\n"
    )


def _body(result: Result, earlier: Earlier | None) -> Iterator[str]:
    yield from _best(result)
    for measure in result.measures():
        yield from _measure(view(result, measure, earlier))
    loads = [f"{name}: {said}." for name, said in loads_in_parts(result)]
    yield from _lines("Loads in parts", loads)
    yield from _lines("To know", [f"{note}." for note in result.notes])
    if earlier is not None:
        yield from _lines("Against the earlier result", [f"{n}." for n in earlier.notes(result)])
    yield from _circumstances(result)


def _best(result: Result) -> Iterator[str]:
    found = bests(result)
    if not found:
        return
    yield "<section>\n<h2>Best</h2>\n<dl>\n"
    for one in found:
        cost = f" It costs {one.cost}." if one.cost else ""
        said = f"{one.text}.{cost}" if one.clear else "No clear difference."
        yield f"<dt>{text(capital(one.title))}</dt><dd>{text(said)}</dd>\n"
    yield "</dl>\n</section>\n"


def _measure(shown: View) -> Iterator[str]:
    yield f"<section>\n<h2>{text(capital(shown.title))}</h2>\n"
    if any(row.samples for row in shown.rows):
        yield f'<div class="scroll">{plot(shown)}</div>\n'
    has_earlier = any(row.then is not None for row in shown.rows)
    heads = ["", "Subject", "Median", "95 % interval", "Ratio to 1", "Verdict"]
    heads += ["Earlier", "Now to earlier"] if has_earlier else []
    yield '<div class="scroll"><table>\n<thead><tr>'
    yield "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead>\n<tbody>\n"
    for row in shown.rows:
        cells = _cells(row, shown, has_earlier)
        yield f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in cells)}</tr>\n"
    yield "</tbody></table></div>\n</section>\n"


def _cells(row: Row, shown: View, has_earlier: bool) -> list[str]:
    found, kind = row.estimate, shown.kind
    known = not math.isnan(found.median)
    cells = [
        str(row.number),
        row.name,
        value_text(found.median, kind),
        interval_text(found.low, found.high, kind) if known else "",
        ratio_text(row.against_first),
        row.verdict,
    ]
    if has_earlier:
        then = row.then
        cells += (
            [value_text(then.estimate.median, kind), ratio_text(then.ratio)] if then else [""] * 2
        )
    return cells


def _lines(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"<section>\n<h2>{title}</h2>\n"
        yield from (f"<p>{text(line)}</p>\n" for line in lines)
        yield "</section>\n"


def _circumstances(result: Result) -> Iterator[str]:
    environment = result.environment
    yield "<section>\n<h2>Measured</h2>\n<dl>\n"
    rows = [("Rounds", f"{count(result.rounds, 'round')}, {result.stopped}")]
    runtimes = environment.get("runtimes")
    if isinstance(runtimes, dict):
        rows.append(("ONNX Runtime", ", ".join(map(str, runtimes.values()))))
    rows += [
        (title, str(environment[name]))
        for name, title in _CIRCUMSTANCES
        if environment.get(name) is not None
    ]
    rows.append(("With", settings_text(result)))
    rows.append(("Outside the runtime", overhead_text(result)))
    for title, said in rows:
        yield f"<dt>{title}</dt><dd>{text(said)}</dd>\n"
    yield "</dl>\n</section>\n"
