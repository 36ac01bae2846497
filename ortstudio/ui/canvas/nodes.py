"""Paints nodes, with more or less of what they say. The painter is in scene coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from ortstudio.model.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.batch import draw_rects
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import NO_BRUSH, NO_PEN, Style, Styles
from ortstudio.ui.canvas.texts import Texts
from ortstudio.ui.canvas.words import Placed, Words

_STACK = 3.0
"""How far the sheet behind a node with subgraphs looks out."""


@dataclass(frozen=True, eq=False)
class NodeArt:
    """Paints nodes of one scene in one set of styles."""

    scene: Scene
    styles: Styles
    texts: Texts

    @cached_property
    def _words(self) -> Words:
        return Words(self.scene, self.styles.marks, self.texts)

    def full(self, painter: QPainter, rows: Ints) -> None:
        """Everything: box, mark, both lines, tag and badge."""
        placed = []
        for style, group in self._by_style(rows):
            numbers, rects = group.tolist(), self._rects(group)
            self._boxes(painter, style, rects, numbers)
            texts = [
                text for pair in zip(numbers, rects, strict=True) for text in self._words.all(*pair)
            ]
            self._pills(painter, style, texts)
            placed.append((style.ink, texts))
        for role in (Role.LABEL, Role.DETAIL, Role.SMALL, Role.MARK):
            self._write(painter, role, placed)

    def compact(self, painter: QPainter, rows: Ints) -> None:
        """Box and label, the label larger and in the middle."""
        rounded = len(rows) <= dim.ROUND_NODES
        placed = []
        for style, group in self._by_style(rows):
            numbers, rects = group.tolist(), self._rects(group)
            painter.setPen(style.border)
            painter.setBrush(style.fill)
            if rounded:
                for row, rect in zip(numbers, rects, strict=True):
                    radius = self._radius(row, rect)
                    painter.drawRoundedRect(rect, radius, radius)
            else:
                draw_rects(painter, self.scene.rects[group])
            pairs = zip(numbers, rects, strict=True)
            placed.append((style.ink, [self._words.label(*pair) for pair in pairs]))
        self._write(painter, Role.COMPACT, placed)

    def boxes(self, painter: QPainter, rows: Ints, letters: bool) -> None:
        """Plain boxes; with `letters`, the overlay's or the family's mark in each."""
        placed = []
        for style, group in self._by_style(rows):
            painter.setPen(style.border if letters else NO_PEN)
            painter.setBrush(style.fill if letters else style.border.color())
            draw_rects(painter, self.scene.rects[group])
            if letters:
                families = self.scene.families[group].tolist()
                marks = [style.corner or self.styles.marks[family] for family in families]
                pairs = zip(marks, self._rects(group), strict=True)
                placed.append((style.ink, [self._words.letter(*pair) for pair in pairs]))
        self._write(painter, Role.BIG_MARK, placed)

    def corners(self, painter: QPainter, rows: Ints) -> None:
        """The overlay's marks, each in a disc on its node's upper right corner."""
        painter.setFont(self.texts.fonts[Role.MARK])
        for style, group in self._by_style(rows):
            if not style.corner:
                continue
            text = self.texts.get(Role.MARK, style.corner, dim.CHIP)
            painter.setBrush(style.fill)
            for rect in self._rects(group):
                centre = rect.topRight() + QPointF(-dim.CORNER, 0.0)
                painter.setPen(style.border)
                painter.drawEllipse(centre, dim.CHIP / 2, dim.CHIP / 2)
                painter.setPen(style.ink)
                painter.drawStaticText(
                    centre - QPointF(text.width / 2, text.height / 2), text.static
                )

    def _by_style(self, rows: Ints) -> Iterator[tuple[Style, Ints]]:
        codes = self.styles.of_node[rows]
        for code in np.unique(codes).tolist():
            yield self.styles.looks[code], rows[codes == code]

    def _rects(self, rows: Ints) -> list[QRectF]:
        return [QRectF(*rect) for rect in self.scene.rects[rows].tolist()]

    def _radius(self, row: int, rect: QRectF) -> float:
        return rect.height() / 2 if self.scene.is_port(row) else dim.CORNER

    def _boxes(self, painter: QPainter, style: Style, rects: list[QRectF], rows: list[int]) -> None:
        painter.setPen(style.border)
        painter.setBrush(style.fill)
        badges = self.scene.columns.badges
        for row, rect in zip(rows, rects, strict=True):
            radius = self._radius(row, rect)
            if badges and badges[row]:
                painter.drawRoundedRect(rect.translated(_STACK, _STACK), radius, radius)
            painter.drawRoundedRect(rect, radius, radius)

    def _pills(self, painter: QPainter, style: Style, texts: list[Placed]) -> None:
        for placed in texts:
            if placed.pill is not None and placed.text.width:
                painter.setPen(style.line if placed.outlined else NO_PEN)
                painter.setBrush(NO_BRUSH if placed.outlined else style.chip)
                radius = dim.CHIP / 4 if placed.role is Role.MARK else dim.PILL / 2
                painter.drawRoundedRect(placed.pill, radius, radius)

    def _write(
        self, painter: QPainter, role: Role, placed: list[tuple[QPen, list[Placed]]]
    ) -> None:
        painter.setFont(self.texts.fonts[role])
        for ink, texts in placed:
            painter.setPen(ink)
            for one in texts:
                if one.role is role and one.text.width:
                    at = QPointF(one.x, one.y - one.text.height / 2)
                    painter.drawStaticText(at, one.text.static)
