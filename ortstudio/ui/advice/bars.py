"""How much an accelerator takes, as a bar: a block for each piece, the rest left open."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap

from ortstudio.analysis.accelerators import Estimate
from ortstudio.ui import theme

WIDTH, HEIGHT = 96, 12
_SCALE = 2.0
_GAP = 1.5


def pieces_bar(estimate: Estimate) -> QIcon:
    """The bar, in the colours of the theme. Blocks too narrow to be told apart run together."""
    icon, picture = QIcon(), _painted(estimate)
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # Else Qt tints it in a chosen row.
        icon.addPixmap(picture, mode)
    return icon


def _painted(estimate: Estimate) -> QPixmap:
    picture = QPixmap(round(WIDTH * _SCALE), round(HEIGHT * _SCALE))
    picture.setDevicePixelRatio(_SCALE)
    picture.fill(Qt.GlobalColor.transparent)
    look = theme.current()
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.text_muted, 1))
        painter.setBrush(look.surface)  # Its own ground: a chosen row has another.
        painter.drawRoundedRect(QRectF(0.5, 0.5, WIDTH - 1, HEIGHT - 1), 2, 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.accent)
        room, left = WIDTH - 4, 2.0
        for piece in estimate.pieces:
            width = room * len(piece) / max(estimate.nodes, 1)
            painter.drawRect(QRectF(left, 2, max(width - _GAP, 0.75), HEIGHT - 4))
            left += width
    return picture
