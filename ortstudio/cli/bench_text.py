"""A timed comparison as text."""

from __future__ import annotations

import math

from ortstudio.analysis.samples import Comparison
from ortstudio.analysis.words import count, size_text
from ortstudio.cli.output import Output
from ortstudio.cli.page import WIDEST_CELL, Page
from ortstudio.services.lab.earlier import Earlier
from ortstudio.services.lab.results import ITEM, Measured, Result
from ortstudio.services.lab.words import (
    TITLES,
    bests,
    differing,
    interval_text,
    loads_in_parts,
    overhead_text,
    ratio_text,
    settings_text,
    status_text,
    subject_text,
    value_text,
)

IN_FULL = 3
"""Up to so many subjects every measure is given with its interval."""


def show(result: Result, output: Output, earlier: Earlier | None = None) -> None:
    """The measures of each subject, held against the first, and against an earlier result."""
    page = Page(output)
    if len(result.subjects) <= IN_FULL:
        for place in range(len(result.subjects)):
            _in_full(result, place, page)
    else:
        _table(result, page)
        _best(result, page)
    _loads(result, page)
    if earlier is not None:
        _then(result, earlier, page)
    _circumstances(result, page)


def _in_full(result: Result, place: int, page: Page) -> None:
    one = result.subjects[place]
    about = ", ".join([one.subject.mode.title, *differing(result, place)])
    page.section(one.subject.path.name, f"{about}; {_size(one)}")
    if one.status != "ok":
        page.fact(one.status, f"{status_text(one)}.", label_style=_style(one))
        return
    rows = []
    for measure, kind in result.measures().items():
        line = result.line(place, measure)
        found = line.estimate
        if not math.isnan(found.median):
            against = _against(line.against_first) if line.against_first else ""
            interval = f"({interval_text(found.low, found.high, kind)})"
            rows.append((TITLES[measure], value_text(found.median, kind), interval, against))
    page.table(rows, align="lrll", styles=("muted", "", "muted", ""))


def _table(result: Result, page: Page) -> None:
    """A line for each way of loading, by file: the medians, and the ratios to the first."""
    page.section("Ways of loading", f"ratios to {subject_text(result, 0)}")
    batches = ITEM in result.measures()
    run, title = (ITEM, "each item") if batches else ("run_ns", "run")
    rows: list[tuple[str, ...]] = [("", "load", "×", title, "×", "peak", "×", "after load", "×")]
    measures = ("load_ns", run, "peak_rss_bytes", "rss_after_load_bytes")
    file = None
    for place, one in enumerate(result.subjects):
        if one.subject.path != file:
            file = one.subject.path
            rows.append((f"{file.name}, {_size(one)}", *[""] * 8))
        if one.status == "ok":
            cells = [cell for measure in measures for cell in _cells(result, place, measure)]
        else:
            cells = [one.status, *[""] * 7]
        about = ", ".join([one.subject.mode.title, *differing(result, place)])
        label = f"  {about}"
        # What is wider than its column has a line of its own, and moves no number.
        if len(label) > WIDEST_CELL:
            rows.append((label, *[""] * 8))
            label = ""
        rows.append((label, *cells))
    page.table(rows, align="lrrrrrrrr", styles=("", "", "muted", "", "muted", "", "muted"))
    for place, one in enumerate(result.subjects):
        if one.status != "ok":
            name = subject_text(result, place)
            page.fact(one.status, f"{name}: {one.why}.", label_style=_style(one))


def _cells(result: Result, place: int, measure: str) -> tuple[str, str]:
    line = result.line(place, measure)
    if math.isnan(line.estimate.median):
        return "", ""
    against = line.against_first
    ratio = "" if against is None or math.isnan(against.ratio) else f"{against.ratio:.3g}"
    return value_text(line.estimate.median, result.measures()[measure]), ratio


def _best(result: Result, page: Page) -> None:
    """The best in each respect, whether that is sure, and what it costs."""
    page.section("Best")
    for found in bests(result):
        if not found.clear:
            page.fact(found.title, "No clear difference.")
            continue
        why = result.subjects[found.place].subject.mode.why
        cost = f" It costs {found.cost}." if found.cost else ""
        page.fact(found.title, f"{found.text}. {why[0].upper()}{why[1:]}.{cost}")


def _loads(result: Result, page: Page) -> None:
    """What went into a load of each subject, and how much it read."""
    found = loads_in_parts(result)
    if found:
        page.section("Loads in parts", "of the first load, by the runtime's own profile")
        for name, said in found:
            page.fact(name, f"{said}.")


def _then(result: Result, earlier: Earlier, page: Page) -> None:
    """What was measured then beside what is now."""
    page.section("Earlier", "medians then and now, and now as a multiple of then")
    rows: list[tuple[str, ...]] = [("", "", "then", "now", "×")]
    for place in range(len(result.subjects)):
        for measure, kind in result.measures().items():
            then = earlier.then(result, place, measure)
            if then is not None:
                now = result.line(place, measure).estimate.median
                texts = (value_text(value, kind) for value in (then.estimate.median, now))
                name = subject_text(result, place)
                rows.append((name, TITLES[measure], *texts, ratio_text(then.ratio)))
    if len(rows) > 1:
        page.table(rows, align="llrrl", styles=("", "muted", "", "", "muted"))
    for note in earlier.notes(result):
        page.fact("note", f"{note}.", label_style="warning")


def _size(one: Measured) -> str:
    return size_text(one.subject.size_bytes)


def _style(one: Measured) -> str:
    return "error" if one.status in ("crashed", "wrong outputs") else "warning"


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
    page.section("Measured", f"{count(result.rounds, 'round')}, {result.stopped}")
    page.fact("on", f"{environment.get('cpu')}, {environment.get('cpus')} processors")
    runtimes = environment.get("runtimes")
    if isinstance(runtimes, dict):
        page.fact("ONNX Runtime", ", ".join(str(release) for release in runtimes.values()))
    page.fact("with", f"{settings_text(result)}.")
    page.fact("outside the runtime", f"{overhead_text(result)}.")
    for note in result.notes:
        page.fact("note", f"{note}.", label_style="warning")
