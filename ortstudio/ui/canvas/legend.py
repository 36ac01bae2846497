"""The overlay's legend: a small panel in the view's lower left corner."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from ortstudio.ui.canvas.camera import Size
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.canvas.styles import thin_pen
from ortstudio.ui.canvas.texts import Texts
from ortstudio.ui.theme import Family, Theme

MARGIN = 12.0
PAD = 12.0
LINE = 22.0
SWATCH = 16.0
GAP = 8.0
WIDEST = 280.0
_TALL = Qt.AlignmentFlag.AlignCenter


def legend_place(size: Size, overlay: Overlay, texts: Texts) -> QRectF | None:
    """Where the panel is in a view; None where there is no room for it."""
    widest = min(WIDEST, size.width - 2 * MARGIN)
    words = [texts.width(Role.LEGEND, entry.text) + SWATCH + GAP for entry in overlay.entries]
    width = min(widest, max([texts.width(Role.LABEL, overlay.title), *words]) + 2 * PAD + 1.0)
    height = LINE * (len(overlay.entries) + 1) + 2 * PAD - GAP
    if width < 2 * PAD + SWATCH + GAP or height > size.height - 2 * MARGIN:
        return None
    return QRectF(MARGIN, size.height - MARGIN - height, width, height)


def draw_legend(
    painter: QPainter, size: Size, overlay: Overlay, theme: Theme, texts: Texts
) -> QRectF | None:
    """Paint it, if there is room; the painter is in view coordinates. The panel's place."""
    panel = legend_place(size, overlay, texts)
    if panel is None:
        return None
    room = panel.width() - 2 * PAD
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(thin_pen(theme.hairline, 1.0))
    painter.setBrush(theme.surface)
    painter.drawRoundedRect(panel.translated(0.5, -0.5), 6.0, 6.0)
    left, y = panel.x() + PAD, panel.y() + PAD + LINE / 2 - GAP / 2
    _write(painter, texts, Role.LABEL, overlay.title, (left, y, room), theme)
    for entry in overlay.entries:
        y += LINE
        _swatch(painter, texts, entry.look(theme), QRectF(left, y - SWATCH / 2, SWATCH, SWATCH))
        place = left + SWATCH + GAP, y, room - SWATCH - GAP
        _write(painter, texts, Role.LEGEND, entry.text, place, theme)
    return panel


def _swatch(painter: QPainter, texts: Texts, look: Family, rect: QRectF) -> None:
    painter.setPen(thin_pen(look.border, 1.5))
    painter.setBrush(look.fill)
    painter.drawRoundedRect(rect, 4.0, 4.0)
    painter.setPen(QPen(look.ink))
    painter.setFont(texts.fonts[Role.MARK])
    painter.drawText(rect, _TALL, look.mark)


def _write(
    painter: QPainter,
    texts: Texts,
    role: Role,
    words: str,
    place: tuple[float, float, float],
    theme: Theme,
) -> None:
    x, y, room = place
    text = texts.get(role, words, room + 0.5)
    painter.setFont(texts.fonts[role])
    painter.setPen(QPen(theme.text))
    painter.drawStaticText(QPointF(x, y - text.height / 2), text.static)
