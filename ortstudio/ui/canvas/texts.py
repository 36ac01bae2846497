"""Texts ready to paint: laid out once, cut with an ellipsis where they do not fit."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText, QTransform

from ortstudio.ui.canvas.fonts import Role, make_font
from ortstudio.ui.canvas.measure import TEXT_LIMIT, printable

KEPT = 8192
"""Texts kept ready: more than one view shows at once."""

_TOLD_APART_BY_THEIR_ENDS = (Role.SMALL,)
"""Domains and the names of values: they begin alike."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True)
class Text:
    """A laid-out text and its size; nothing to paint where `width` is 0."""

    static: QStaticText
    width: float
    height: float


class Texts:
    """Makes texts and keeps them. One of these belongs to each view: QStaticText is not shared."""

    def __init__(self) -> None:
        self.fonts: dict[Role, QFont] = {role: make_font(role) for role in Role}
        self._metrics = {role: QFontMetricsF(font) for role, font in self.fonts.items()}
        self._made: dict[tuple[Role, str, float], Text] = {}

    def get(self, role: Role, text: str, room: float) -> Text:
        """The text, at most `room` wide."""
        key = (role, text, room)
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= KEPT:
                self._made.clear()
            made = self._made[key] = self._make(role, text, room)
        return made

    def width(self, role: Role, text: str) -> float:
        """How wide the whole text is."""
        return self._metrics[role].horizontalAdvance(printable(text))

    def _make(self, role: Role, text: str, room: float) -> Text:
        metrics, ends = self._metrics[role], role in _TOLD_APART_BY_THEIR_ENDS
        shown = printable(text[-TEXT_LIMIT:] if ends else text)
        if len(text) > TEXT_LIMIT:
            shown = _ELLIPSIS + shown if ends else shown + _ELLIPSIS
        if metrics.horizontalAdvance(shown) > room:
            side = Qt.TextElideMode.ElideLeft if ends else Qt.TextElideMode.ElideRight
            shown = metrics.elidedText(shown, side, room)
            # With no room for a single letter Qt answers the ellipsis alone, or more than fits.
            if shown == _ELLIPSIS or metrics.horizontalAdvance(shown) > room:
                shown = ""
        static = QStaticText(shown)
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.prepare(QTransform(), self.fonts[role])
        return Text(static, metrics.horizontalAdvance(shown), metrics.height())
