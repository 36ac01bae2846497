# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""How a release stands: the colours, the height and the mark of its cell, and a key to them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ortstudio.services.release_strip import Standing, Strip, releases_text, standing
from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE, Family

ROOM_FOR_MARK = 9

_Look = tuple[str, float, str]
LOOKS: Mapping[Standing, _Look] = {
    Standing.LOADS: ("added", 1.0, "✓"),
    Standing.SLOWER: ("changed", 0.72, "s"),
    Standing.WARNED: ("folded", 0.72, "!"),
    Standing.REFUSES: ("removed", 0.44, "×"),
    Standing.UNKNOWN: ("kept", 0.44, "?"),
}
"""By standing: the colours of a kind of change, the height of a cell, and the mark in it."""


def look_of(which: Standing) -> Family:
    """The colours of a standing."""
    return theme.current().diff[LOOKS[which][0]]


def paint_cell(painter: QPainter, room: QRectF, which: Standing) -> None:
    """One cell: as high as the file fares well, hollow where nobody knows, marked if there is room.

    The mark stands above a low cell.
    """
    look, (_, share, mark) = look_of(which), LOOKS[which]
    cell = QRectF(room)
    cell.setTop(room.bottom() - room.height() * share)
    cell.adjust(0.5, 0.5, -0.5, -0.5)
    painter.setPen(look.border)
    is_hollow = which is Standing.UNKNOWN
    painter.setBrush(Qt.BrushStyle.NoBrush if is_hollow else look.fill)
    painter.drawRect(cell)
    if room.width() >= ROOM_FOR_MARK:
        painter.setFont(theme.font(theme.SMALL, strong=True))
        is_low = share < 0.5
        painter.setPen(theme.current().text if is_low else look.ink)
        place = QRectF(room.left(), room.top(), room.width(), cell.top() - room.top())
        painter.drawText(place if is_low else cell, Qt.AlignmentFlag.AlignCenter, mark)


class KeyEntry(QWidget):
    """A cell as it looks, what it means, and which releases of a single row are so."""

    def __init__(self, which: Standing, alone: Strip = ()) -> None:
        super().__init__()
        self._which = which
        self._text = which.value
        if alone:
            named = releases_text(alone, lambda place: standing(alone[place]) is which)
            self._text = f"{which.value}: {named}"
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        width = 5 * SPACE + 2 * SPACE + metrics.horizontalAdvance(self._text) + SPACE
        self.setFixedSize(round(width), 5 * SPACE)
        self.setAccessibleName(self._text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_cell(painter, QRectF(0, 0, 5 * SPACE, 5 * SPACE), self._which)
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(theme.current().text_muted)
            room = QRectF(7 * SPACE, 0, self.width() - 7 * SPACE, self.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._text)
