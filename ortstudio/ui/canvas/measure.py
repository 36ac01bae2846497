"""How large nodes have to be for their texts, before anything is laid out.

Layout runs off the GUI thread and wants the sizes of tens of thousands of nodes. So the widths of
single characters are taken from Qt once, and a text's width is their sum: exact, since the canvas'
fonts neither kern nor join letters, and pure. Characters outside the table count as wide; a text
that turns out wider all the same is cut with an ellipsis when it is painted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFontMetricsF

from ortstudio.analysis import words
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.columns import PORT, Columns, family_code
from ortstudio.ui.canvas.fonts import Role, make_font
from ortstudio.ui.theme import FAMILY_MARKS

Floats = NDArray[np.float64]

_AROUND = np.array(
    [
        2 * dim.PORT_PAD if code == PORT else 2 * dim.PAD + (dim.CHIP + dim.CHIP_GAP) * bool(mark)
        for code, mark in enumerate(FAMILY_MARKS.values())
    ]
)
"""Room beside the texts, by family."""

TEXT_LIMIT = 160
"""Characters of a text that are looked at: more never fit a node."""

_TABLE_END = 0x2200
_MEASURED = (range(0x20, 0x7F), range(0xA0, 0x180), range(0x2010, 0x2028), range(0x2190, 0x2194))
"""Latin: the rest is rare in names, and a node that is a little too wide does no harm."""


@dataclass(frozen=True, eq=False)
class CharWidths:
    """The advance of each character below U+2200 in one font."""

    widths: Floats

    def of(self, texts: Sequence[str]) -> Floats:
        """The width of each text."""
        short = [printable(text) for text in texts]
        # One character is added to each: `reduceat` cannot sum nothing.
        codes = np.frombuffer("".join(f"{text}\0" for text in short).encode("utf-32-le"), np.uint32)
        starts = np.zeros(len(short), np.int64)
        np.cumsum([len(text) + 1 for text in short[:-1]], out=starts[1:])
        advances = self.widths[np.minimum(codes, _TABLE_END)]
        return np.add.reduceat(advances, starts) if short else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Measures:
    """Character widths of the fonts that decide a node's size."""

    label: CharWidths
    detail: CharWidths
    small: CharWidths
    compact: CharWidths


def printable(text: str) -> str:
    """The text on one line, no longer than can be of use."""
    return words.printable(text[:TEXT_LIMIT])[:TEXT_LIMIT]


def measure_fonts() -> Measures:
    """Measures of the system's fonts. GUI thread only; a few milliseconds."""
    return Measures(
        *(_char_widths(role) for role in (Role.LABEL, Role.DETAIL, Role.SMALL, Role.COMPACT))
    )


def _char_widths(role: Role) -> CharWidths:
    metrics = QFontMetricsF(make_font(role))
    wide = max(metrics.horizontalAdvance(text) for text in ("W", "\u4e2d"))
    widths = np.full(_TABLE_END + 1, wide)
    widths[0] = 0.0
    for block in _MEASURED:
        widths[block.start : block.stop] = [metrics.horizontalAdvance(chr(c)) for c in block]
    return CharWidths(widths)


def node_sizes(columns: Columns, measures: Measures) -> tuple[Floats, Floats]:
    """Width and height of each node: float64[n] each."""
    count = len(columns)
    codes = np.array([family_code(family) for family in columns.families], np.int64)
    tags = np.minimum(_pill_widths(columns.tags, count, measures), dim.MAX_TAG)
    badges = _pill_widths(columns.badges, count, measures)
    first = measures.label.of(columns.labels) + tags + np.where(tags > 0, dim.TEXT_GAP, 0.0)
    details = measures.detail.of(columns.details) if columns.details else np.zeros(count)
    second = details + badges + np.where((badges > 0) & (details > 0), dim.TEXT_GAP, 0.0)
    around = _AROUND[codes]
    first = np.minimum(first + around + 1.0, dim.MAX_WIDTH)
    second_needs = np.minimum(second + around + 1.0, dim.MAX_DETAIL_WIDTH)
    # From further away the label stands alone in larger letters, and should not be cut there.
    alone = measures.compact.of(columns.labels) + np.where(codes == PORT, 2 * dim.PAD, dim.PAD)
    alone = np.minimum(alone + 1.0, dim.MAX_WIDTH)
    width = np.maximum(np.maximum(first, second_needs), np.maximum(alone, dim.MIN_WIDTH))
    width = np.ceil(width / dim.WIDTH_STEP) * dim.WIDTH_STEP
    return width, np.where(second > 0, dim.TWO_LINES, dim.ONE_LINE)


def _pill_widths(texts: Sequence[str], count: int, measures: Measures) -> Floats:
    if not texts:
        return np.zeros(count)
    widths = measures.small.of(texts)
    return np.where(widths > 0, widths + 2 * dim.PILL_PAD, 0.0)
