"""A timed comparison as text."""

from __future__ import annotations

import math

from ortstudio.analysis.samples import Comparison, Estimate
from ortstudio.analysis.words import size_text
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


def show(result: Result, output: Output) -> None:
    """The measures of each subject, held against the first."""
    page = Page(output)
    for place, one in enumerate(result.subjects):
        mode = one.subject.mode
        page.section(one.subject.path.name, f"{mode.title}; {size_text(one.subject.size_bytes)}")
        if one.status == "ok":
            _measures(result, place, page)
        else:
            page.fact(one.status, one.why, label_style="error" if _is_bad(one) else "warning")
    _circumstances(result, page)


def _is_bad(one: Measured) -> bool:
    return one.status in ("crashed", "wrong outputs")


def _measures(result: Result, place: int, page: Page) -> None:
    rows = []
    for measure, kind in MEASURES.items():
        line = result.line(place, measure)
        if math.isnan(line.estimate.median):
            continue
        against = _against(line.against_first) if line.against_first else ""
        rows.append((TITLES[measure], *_estimate(line.estimate, kind), against))
    page.table(rows, align="lrll", styles=("muted", "", "muted", ""))


def _estimate(found: Estimate, kind: str) -> tuple[str, str]:
    """`1.23 ms`, `(1.20 to 1.30 ms)`."""
    write = duration_text if kind == "time" else _memory_text
    return write(found.median), f"({write(found.low)} to {write(found.high)})"


def _against(found: Comparison) -> str:
    """`0.50 ×, faster`; the interval where there is one."""
    if math.isnan(found.ratio):
        return ""
    bounds = ""
    if math.isfinite(found.low) and math.isfinite(found.high):
        bounds = f" ({found.low:.3g} to {found.high:.3g})"
    return f"{found.ratio:.3g} ×{bounds}, {found.verdict}"


def duration_text(value_ns: float) -> str:
    """`12 µs`, `3.4 ms`, `1.2 s`: three digits."""
    value, unit = value_ns / 1e9, "s"
    for factor, name in ((1e-6, "µs"), (1e-3, "ms")):
        if value_ns / 1e9 < factor * 999.5:
            value, unit = value_ns / 1e9 / factor, name
            break
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def _memory_text(value: float) -> str:
    return size_text(round(value))


def _circumstances(result: Result, page: Page) -> None:
    environment = result.environment
    page.section("Measured", f"{result.rounds} rounds, {result.stopped}")
    page.fact("on", f"{environment.get('cpu')}, {environment.get('cpus')} processors")
    runtimes = environment.get("runtimes")
    if isinstance(runtimes, dict):
        page.fact("ONNX Runtime", ", ".join(str(release) for release in runtimes.values()))
    for note in result.notes:
        page.fact("note", f"{note}.", label_style="warning")
