"""Paints nodes, with more or less of what they say. The painter is in scene coordinates.

A border is the rim of a box under a smaller one: Qt fills two boxes in half the time that it takes
to draw one with a pen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from ortstudio.format.arrays import Ints, distinct
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.batch import draw_rects
from ortstudio.ui.canvas.columns import PORT
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import NO_BRUSH, NO_PEN, Style, Styles
from ortstudio.ui.canvas.texts import Texts
from ortstudio.ui.canvas.words import Placed, Words

Floats = NDArray[np.float64]

STACK = 3.0
"""How far the sheet behind a node with subgraphs looks out."""


class NodeArt:
    """Paints nodes of one scene in one set of styles."""

    def __init__(self, scene: Scene, styles: Styles, texts: Texts) -> None:
        self._scene = scene
        self._styles = styles
        self._texts = texts
        self._words = Words(scene, styles.marks, texts)
        badges = scene.columns.badges or [""] * len(scene)
        self._opens = np.array([bool(badge) for badge in badges], bool)

    def full(self, painter: QPainter, rows: Ints, scale: float) -> None:
        """Everything: box, mark, both lines, tag and badge."""
        written: dict[Role, list[tuple[QPen, list[Placed]]]] = {}
        for style, group in self._by_style(rows):
            self._boxes(painter, style, group, scale)
            by_role: dict[Role, list[Placed]] = {}
            for row in group.tolist():
                for placed in self._words.all(row):
                    by_role.setdefault(placed.role, []).append(placed)
            for role, texts in by_role.items():
                written.setdefault(role, []).append((style.ink, texts))
                if role in (Role.SMALL, Role.MARK):
                    self._pills(painter, style, texts)
        for role, groups in written.items():
            self._write(painter, role, groups)

    def compact(self, painter: QPainter, rows: Ints, scale: float, rounded: bool) -> None:
        """Box and label, the label larger and in the middle."""
        labels = []
        for style, group in self._by_style(rows):
            if rounded:
                self._boxes(painter, style, group, scale)
            else:
                self._plain(painter, style, group, scale)
            labels.append((style.ink, [self._words.label(row) for row in group.tolist()]))
        self._write(painter, Role.COMPACT, labels)

    def boxes(self, painter: QPainter, rows: Ints, scale: float, letters: bool) -> None:
        """Plain boxes; with `letters`, the overlay's or the family's mark in each."""
        for style, group in self._by_style(rows):
            if letters:
                self._plain(painter, style, group, scale)
                self._letters(painter, style, group)
            else:
                painter.setPen(NO_PEN)
                painter.setBrush(style.border)
                draw_rects(painter, self._scene.rects[group])

    def corners(self, painter: QPainter, rows: Ints, scale: float) -> None:
        """The overlay's marks, each in a disc on its node's upper right corner."""
        # From further away the disc is larger beside the rest, so that its mark can be read, and
        # stands further out, where the label is not.
        near = scale >= dim.FULL_SCALE
        role, half = (Role.MARK, dim.CHIP / 2) if near else (Role.COMPACT, dim.CHIP * 0.75)
        out = QPointF(-dim.CORNER, 0.0) if near else QPointF(dim.CORNER / 2, -dim.CORNER / 2)
        painter.setFont(self._texts.fonts[role])
        for style, group in self._by_style(rows):
            if not style.corner:
                continue
            text = self._texts.get(role, style.corner, 2 * half)
            for row in group.tolist():
                centre = self._scene.rect(row).topRight() + out
                painter.setPen(NO_PEN)
                for brush, radius in ((style.border, half + 1.0 / scale), (style.fill, half)):
                    painter.setBrush(brush)
                    painter.drawEllipse(centre, radius, radius)
                painter.setPen(style.ink)
                middle = QPointF(text.width / 2, text.height / 2)
                painter.drawStaticText(centre - middle, text.static)

    def _by_style(self, rows: Ints) -> Iterator[tuple[Style, Ints]]:
        codes = self._styles.of_node[rows]
        for code in distinct(codes).tolist():
            yield self._styles.looks[code], rows[codes == code]

    def _boxes(self, painter: QPainter, style: Style, rows: Ints, scale: float) -> None:
        rim = style.rim / 2 / scale
        rects = self._scene.rects[rows]
        ports = self._scene.families[rows] == PORT
        radii = np.where(ports, rects[:, 3] / 2, dim.CORNER)
        opens = self._opens[rows]
        _rounded(painter, style, rects[opens] + (STACK, STACK, 0.0, 0.0), radii[opens], rim)
        _rounded(painter, style, rects, radii, rim)

    def _plain(self, painter: QPainter, style: Style, rows: Ints, scale: float) -> None:
        """Boxes with square corners, all at once."""
        painter.setPen(NO_PEN)
        rim = style.rim / 2 / scale
        for brush, grow in ((style.border, rim), (style.fill, -rim)):
            painter.setBrush(brush)
            draw_rects(painter, self._scene.rects[rows] + (-grow, -grow, 2 * grow, 2 * grow))

    def _letters(self, painter: QPainter, style: Style, rows: Ints) -> None:
        painter.setFont(self._texts.fonts[Role.BIG_MARK])
        painter.setPen(style.ink)
        families = self._scene.families[rows]
        for family in distinct(families).tolist():
            mark = style.corner or self._styles.marks[family]
            if mark:
                text = self._texts.get(Role.BIG_MARK, mark, dim.MIN_WIDTH)
                rects = self._scene.rects[rows[families == family]]
                places = rects[:, :2] + rects[:, 2:] / 2 - (text.width / 2, text.height / 2)
                for x, y in places.tolist():
                    painter.drawStaticText(QPointF(x, y), text.static)

    def _pills(self, painter: QPainter, style: Style, texts: list[Placed]) -> None:
        for placed in texts:
            if placed.pill is not None:
                painter.setPen(style.line if placed.outlined else NO_PEN)
                painter.setBrush(NO_BRUSH if placed.outlined else style.chip)
                radius = dim.CHIP / 4 if placed.role is Role.MARK else dim.PILL / 2
                painter.drawRoundedRect(placed.pill, radius, radius)

    def _write(
        self, painter: QPainter, role: Role, groups: list[tuple[QPen, list[Placed]]]
    ) -> None:
        painter.setFont(self._texts.fonts[role])
        for ink, texts in groups:
            painter.setPen(ink)
            for placed in texts:
                painter.drawStaticText(placed.at, placed.text.static)


def _rounded(painter: QPainter, style: Style, rects: Floats, radii: Floats, rim: float) -> None:
    painter.setPen(NO_PEN)
    for brush, grow in ((style.border, rim), (style.fill, -rim)):
        painter.setBrush(brush)
        grown = np.add(rects, (-grow, -grow, 2 * grow, 2 * grow))
        for rect, radius in zip(grown.tolist(), (radii + grow).tolist(), strict=True):
            painter.drawRoundedRect(QRectF(*rect), radius, radius)
