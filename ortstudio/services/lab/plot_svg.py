"""A plot of all samples of one measure as SVG, for a page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ortstudio.services.html_text import text
from ortstudio.services.lab.scale import Scale, scale
from ortstudio.services.lab.view import Row, View
from ortstudio.services.lab.words import value_text

WIDTH, LINE = 900, 34
LEFT, RIGHT, TOP, BOTTOM = 36, 36, 6, 30
MOST_DOTS = 400
"""Of a subject: of more samples every second, third and so on is drawn."""
MOST_TICKS = 6


def plot(shown: View) -> str:
    """A line for each subject: its samples as dots, the median and its interval over them."""
    height = TOP + LINE * len(shown.rows) + BOTTOM
    of = scale([value for row in shown.rows for value in row.samples])
    parts = [*_axis(shown, of, height)]
    for place, row in enumerate(shown.rows):
        parts += _line(row, of, TOP + LINE * (place + 0.5))
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{text(shown.title)}, all samples">{"".join(parts)}</svg>'
    )


def _x(of: Scale, value: float) -> float:
    return LEFT + of.share(value) * (WIDTH - LEFT - RIGHT)


def _axis(shown: View, of: Scale, height: float) -> Iterator[str]:
    bottom = height - BOTTOM
    yield f'<path class="axis" d="M{LEFT} {bottom}H{WIDTH - RIGHT}"/>'
    for value in of.ticks(MOST_TICKS):
        if value > 0:
            x = _x(of, value)
            yield f'<path class="axis" d="M{x:.1f} {bottom}v4"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">'
            yield f"{text(value_text(value, shown.kind))}</text>"


def _line(row: Row, of: Scale, y: float) -> Iterator[str]:
    yield f'<text x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{row.number}</text>'
    yield f'<path class="line" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
    if not row.samples or math.isnan(row.estimate.median):
        yield f'<text class="warning" x="{LEFT + 8}" y="{y + 4:.1f}">{text(row.verdict)}</text>'
        return
    yield f'<g class="dots"><title>{text(row.name)}</title>'
    for number, value in enumerate(row.samples[:: 1 + len(row.samples) // MOST_DOTS]):
        # The golden ratio spreads any number of dots evenly.
        off = ((number * 0.618034) % 1 - 0.5) * 0.6 * LINE
        yield f'<circle cx="{_x(of, value):.1f}" cy="{y + off:.1f}" r="2.5"/>'
    yield "</g>"
    low, middle, high = (
        _x(of, value) for value in (row.estimate.low, row.estimate.median, row.estimate.high)
    )
    yield f'<path class="interval" d="M{low:.1f} {y:.1f}H{high:.1f}M{low:.1f} {y - 4:.1f}v8'
    yield f'M{high:.1f} {y - 4:.1f}v8"/>'
    yield f'<path class="centre" d="M{middle:.1f} {y - 9:.1f}v18"/>'
