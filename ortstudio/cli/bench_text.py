"""A timed comparison as text."""

from __future__ import annotations

import math

from ortstudio.analysis.samples import Comparison, Estimate
from ortstudio.analysis.words import duration_text, size_text
from ortstudio.cli.output import Output
from ortstudio.cli.page import Page
from ortstudio.services.lab.results import MEASURES, Measured, Result

TITLES = {
    "load_ns": "load",
    "first_run_ns": "first run",
    "run_ns": "run",
    "peak_rss_bytes": "peak memory",
    "rss_after_load_bytes": "memory after load",
}
BEST = {
    "load_ns": "loads fastest",
    "first_run_ns": "first run soonest",
    "run_ns": "runs fastest",
    "peak_rss_bytes": "least peak memory",
    "rss_after_load_bytes": "least memory after load",
}
IN_FULL = 3
"""Up to so many subjects every measure is given with its interval."""


def show(result: Result, output: Output) -> None:
    """The measures of each subject, held against the first."""
    page = Page(output)
    if len(result.subjects) <= IN_FULL:
        for place in range(len(result.subjects)):
            _in_full(result, place, page)
    else:
        _table(result, page)
        _best(result, page)
    _circumstances(result, page)


def _in_full(result: Result, place: int, page: Page) -> None:
    one = result.subjects[place]
    page.section(one.subject.path.name, f"{one.subject.mode.title}; {_size(one)}")
    if one.status != "ok":
        page.fact(one.status, f"{one.why}.", label_style=_style(one))
        return
    rows = []
    for measure, kind in MEASURES.items():
        line = result.line(place, measure)
        if not math.isnan(line.estimate.median):
            against = _against(line.against_first) if line.against_first else ""
            rows.append((TITLES[measure], *_estimate(line.estimate, kind), against))
    page.table(rows, align="lrll", styles=("muted", "", "muted", ""))


def _table(result: Result, page: Page) -> None:
    """A line for each way of loading, by file: the medians, and the ratios to the first."""
    page.section("Ways of loading", f"ratios to {_name(result.subjects[0])}")
    rows: list[tuple[str, ...]] = [("", "load", "×", "run", "×", "peak", "×", "after load", "×")]
    measures = ("load_ns", "run_ns", "peak_rss_bytes", "rss_after_load_bytes")
    file = None
    for place, one in enumerate(result.subjects):
        if one.subject.path != file:
            file = one.subject.path
            rows.append((f"{file.name}, {_size(one)}", *[""] * 8))
        if one.status == "ok":
            cells = [cell for measure in measures for cell in _cells(result, place, measure)]
        else:
            cells = [one.status, *[""] * 7]
        rows.append((f"  {one.subject.mode.title}", *cells))
    page.table(rows, align="lrrrrrrrr", styles=("", "", "muted", "", "muted", "", "muted"))
    for one in result.subjects:
        if one.status != "ok":
            page.fact(one.status, f"{_name(one)}: {one.why}.", label_style=_style(one))


def _cells(result: Result, place: int, measure: str) -> tuple[str, str]:
    line = result.line(place, measure)
    if math.isnan(line.estimate.median):
        return "", ""
    against = line.against_first
    ratio = "" if against is None or math.isnan(against.ratio) else f"{against.ratio:.3g}"
    return _write(line.estimate.median, MEASURES[measure]), ratio


def _best(result: Result, page: Page) -> None:
    """The best in each respect, and whether that is sure."""
    page.section("Best")
    for measure, place in result.best().items():
        one = result.subjects[place]
        against = result.line(place, measure).against_first
        text = _name(one) if against is None else f"{_name(one)}: {_against(against)}"
        why = one.subject.mode.why
        page.fact(BEST[measure], f"{text}. {why[0].upper()}{why[1:]}.")


def _name(one: Measured) -> str:
    return f"{one.subject.path.name}, {one.subject.mode.title}"


def _size(one: Measured) -> str:
    return size_text(one.subject.size_bytes)


def _style(one: Measured) -> str:
    return "error" if one.status in ("crashed", "wrong outputs") else "warning"


def _estimate(found: Estimate, kind: str) -> tuple[str, str]:
    """`1.23 ms`, `(1.20 to 1.30 ms)`."""
    return _write(found.median, kind), f"({_write(found.low, kind)} to {_write(found.high, kind)})"


def _write(value: float, kind: str) -> str:
    return duration_text(value) if kind == "time" else size_text(round(value))


def _against(found: Comparison) -> str:
    """`0.50 ×, faster`; the interval where there is one."""
    if math.isnan(found.ratio):
        return "not measured"
    bounds = ""
    if math.isfinite(found.low) and math.isfinite(found.high):
        bounds = f" ({found.low:.3g} to {found.high:.3g})"
    return f"{found.ratio:.3g} ×{bounds}, {found.verdict}"


def _circumstances(result: Result, page: Page) -> None:
    environment = result.environment
    page.section("Measured", f"{result.rounds} rounds, {result.stopped}")
    page.fact("on", f"{environment.get('cpu')}, {environment.get('cpus')} processors")
    runtimes = environment.get("runtimes")
    if isinstance(runtimes, dict):
        page.fact("ONNX Runtime", ", ".join(str(release) for release in runtimes.values()))
    for note in result.notes:
        page.fact("note", f"{note}.", label_style="warning")
