"""A scene as SVG: what the artist paints at actual size, written as shapes and real text.

Not by Qt's generator: that writes numbers with six digits, so that far down a tall graph boxes,
lines and texts no longer meet, and says all of a pen, a brush and a font for each change of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from ortstudio.analysis import words
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.columns import FAMILIES
from ortstudio.ui.canvas.edges import EDGE_WIDTH, EdgeArt
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.nodes import STACK
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import Styles
from ortstudio.ui.canvas.texts import Text, Texts
from ortstudio.ui.canvas.words import Placed, Words
from ortstudio.ui.theme import Theme

Floats = NDArray[np.float64]

ROLES = (Role.LABEL, Role.DETAIL, Role.SMALL, Role.MARK, Role.EDGE)
PIECES = 500
"""Lines in one path: a viewer skips those that it does not show."""


def extent(scene: Scene) -> Box:
    """The part of the scene that a picture shows, in whole units."""
    left, top, right, bottom = scene.bounds
    return Box(math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom))


def svg(scene: Scene, theme: Theme, title: str) -> Iterator[str]:
    """The lines of the file; equal scenes give equal ones. GUI thread only, for its fonts."""
    texts = Texts()
    box, styles = extent(scene), Styles.of(scene, theme, None)
    view = " ".join(_number(value - 0.5) for value in box[:2])  # So borders fall on whole pixels.
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(box.width)}"'
        f' height="{_number(box.height)}" viewBox="{view} {_number(box.width)}'
        f' {_number(box.height)}" xml:space="preserve">'
    )
    yield f"<title>{escape(words.printable(title))}</title>"
    yield f"<style>{''.join(_rules(theme, styles, texts))}</style>"
    yield _rect(QRectF(box.left - 1, box.top - 1, box.width + 2, box.height + 2), 0.0, "ground")
    write = _Writer(scene, styles, texts)
    yield from write.edges(EdgeArt(scene, theme, texts), box)
    for row in range(len(scene)):
        yield write.node(row)
    yield "</svg>"


class _Writer:
    """Writes the parts of one scene."""

    def __init__(self, scene: Scene, styles: Styles, texts: Texts) -> None:
        self._scene = scene
        self._words = Words(scene, styles.marks, texts)
        self._ascents = {role: QFontMetricsF(texts.fonts[role]).ascent() for role in ROLES}

    def edges(self, art: EdgeArt, box: Box) -> Iterator[str]:
        """Lines with their heads, portals, and what edges carry."""
        routes = self._scene.routes
        found = routes.index.all_ids()
        pieces = routes.pieces[found].tolist()
        for at in range(0, len(pieces), PIECES):
            yield f'<path class="edge" d="{"".join(map(_line, pieces[at : at + PIECES]))}"/>'
        tips = np.unique(routes.segments[routes.ends_in(found), 2:], axis=0).tolist()
        for at in range(0, len(tips), PIECES):
            yield f'<path class="head" d="{"".join(map(_head, tips[at : at + PIECES]))}"/>'
        yield from self._stubs(art, box)
        for x, y, text in art.placed_labels(box):
            yield self._text(Role.EDGE, x, y, text, "edge")

    def _stubs(self, art: EdgeArt, box: Box) -> Iterator[str]:
        stubs = self._scene.stubs
        found = np.sort(stubs.within(box))
        lines, pills = stubs.lines(found).tolist(), stubs.pills(found).tolist()
        for stub, line, pill in zip(found.tolist(), lines, pills, strict=True):
            rect = QRectF(*pill)
            x, y, text = art.stub_text(stub, rect)
            name = f"<title>{escape(words.printable(stubs.texts[stub]))}</title>"
            shape = _rect(rect, dim.STUB_HEIGHT / 2)
            written = self._text(Role.SMALL, x, y, text)
            yield f'<g class="stub">{name}<path d="{_line(line)}"/>{shape}{written}</g>'

    def node(self, row: int) -> str:
        """A node with all that it says; its tool tip too."""
        scene = self._scene
        tip = "\n".join(map(words.printable, scene.columns.tool_tip(row).split("\n")))
        rect = scene.rect(row)
        radius = rect.height() / 2 if scene.is_port(row) else dim.CORNER
        behind = scene.columns.badge(row)
        sheet = _rect(rect.translated(STACK, STACK), radius) if behind else ""
        said = "".join(map(self._placed, self._words.all(row)))
        family = FAMILIES[scene.families[row]]
        box = _rect(rect, radius)
        return f'<g class="node {family}"><title>{escape(tip)}</title>{sheet}{box}{said}</g>'

    def _placed(self, placed: Placed) -> str:
        pill = ""
        if placed.pill is not None:
            radius = dim.CHIP / 4 if placed.role is Role.MARK else dim.PILL / 2
            pill = _rect(placed.pill, radius, "line" if placed.outlined else "chip")
        return pill + self._text(placed.role, placed.at.x(), placed.at.y(), placed.text)

    def _text(self, role: Role, x: float, y: float, text: Text, kind: str = "") -> str:
        """A text by its upper left corner. It keeps its length where the viewer lacks the font."""
        shown = text.static.text()
        if not shown:
            return ""
        base = _number(y + self._ascents[role])
        return (
            f'<text class="{kind or role.name.lower()}" x="{_number(x)}" y="{base}"'
            f' textLength="{_number(text.width)}">{escape(shown)}</text>'
        )


def _rules(theme: Theme, styles: Styles, texts: Texts) -> Iterator[str]:
    """The style sheet: colours by family, fonts by role."""
    line, muted = theme.edge.name(), theme.text_muted.name()
    yield f".ground{{fill:{theme.canvas.name()}}}"
    yield f"path.edge{{fill:none;stroke:{line};stroke-width:{EDGE_WIDTH}}}.head{{fill:{line}}}"
    yield f".stub rect,.stub path{{fill:{theme.canvas.name()};stroke:{line}}}"
    yield f"text.edge,.stub text{{fill:{muted}}}"
    for family, look in zip(FAMILIES, styles.looks, strict=True):
        fill, border = look.fill.color().name(), look.border.color().name()
        yield f".{family} rect{{fill:{fill};stroke:{border}}}"
        yield f".{family} .chip{{fill:{look.chip.color().name()};stroke:none}}"
        yield f".{family} .line{{fill:none;stroke:{look.line.color().name()}}}"
        yield f".{family} text{{fill:{look.ink.color().name()}}}"
    for role in ROLES:
        yield f"text.{role.name.lower()}{{{_font(texts.fonts[role], role)}}}"


def _font(font: QFont, role: Role) -> str:
    generic = "monospace" if role.value[2] else "sans-serif"
    family = escape(QFontInfo(font).family().replace("'", ""))
    weight = 600 if role.value[1] else 400
    names = f"'{family}',{generic}"
    return f"font-family:{names};font-size:{font.pixelSize()}px;font-weight:{weight}"


def _rect(rect: QRectF, radius: float, kind: str = "") -> str:
    x, y, width, height = map(_number, (rect.x(), rect.y(), rect.width(), rect.height()))
    name = f' class="{kind}"' if kind else ""
    corner = f' rx="{_number(radius)}"' if radius else ""
    return f'<rect{name} x="{x}" y="{y}" width="{width}" height="{height}"{corner}/>'


def _line(ends: Iterable[float]) -> str:
    """A line that begins and ends upright, as `curves.curve` bends it."""
    x0, y0, x1, y1 = ends
    start = f"M{_number(x0)} {_number(y0)}"
    if x0 == x1:
        return f"{start}V{_number(y1)}"
    middle, end = _number((y0 + y1) / 2), f"{_number(x1)} {_number(y1)}"
    return f"{start}C{_number(x0)} {middle} {_number(x1)} {middle} {end}"


def _head(tip: Iterable[float]) -> str:
    x, y = tip
    side, back = _number(dim.ARROW / 2), _number(dim.ARROW)
    return f"M{_number(x)} {_number(y)}l-{side}-{back}h{back}z"


def _number(value: float) -> str:
    """Hundredths of a unit, however large the number is."""
    whole = int(value)
    return str(whole) if whole == value else f"{round(value, 2):.15g}"
