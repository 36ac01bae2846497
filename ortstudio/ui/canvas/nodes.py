"""Paints nodes, with more or less of what they say. The painter is in scene coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from ortstudio.model.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.batch import draw_rects
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.styles import NO_BRUSH, NO_PEN, Style, Styles
from ortstudio.ui.canvas.texts import Text, Texts

_STACK = 3.0
"""How far the sheet behind a node with subgraphs looks out."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A text and the middle of its left side."""

    role: Role
    text: Text
    x: float
    y: float
    pill: QRectF | None = None
    outlined: bool = False


@dataclass(frozen=True, eq=False)
class NodeArt:
    """Paints nodes of one scene in one set of styles."""

    scene: Scene
    styles: Styles
    texts: Texts

    def full(self, painter: QPainter, rows: Ints) -> None:
        """Everything: box, mark, both lines, tag and badge."""
        placed = []
        for style, group in self._by_style(rows):
            numbers, rects = group.tolist(), self._rects(group)
            self._boxes(painter, style, rects, numbers)
            texts = [text for pair in zip(numbers, rects, strict=True) for text in self._say(*pair)]
            self._pills(painter, style, texts)
            placed.append((style.ink, texts))
        for role in (Role.LABEL, Role.DETAIL, Role.SMALL, Role.MARK):
            self._write(painter, role, placed)

    def compact(self, painter: QPainter, rows: Ints) -> None:
        """Box and label, the label larger and in the middle."""
        rounded = len(rows) <= dim.ROUND_NODES
        placed = []
        for style, group in self._by_style(rows):
            painter.setPen(style.border)
            painter.setBrush(style.fill)
            if rounded:
                for row, rect in zip(group.tolist(), self._rects(group), strict=True):
                    radius = self._radius(row, rect)
                    painter.drawRoundedRect(rect, radius, radius)
            else:
                draw_rects(painter, self.scene.rects[group])
            labels = [self._centred(row, Role.COMPACT) for row in group.tolist()]
            placed.append((style.ink, labels))
        self._write(painter, Role.COMPACT, placed)

    def boxes(self, painter: QPainter, rows: Ints, letters: bool) -> None:
        """Plain boxes; with `letters`, the family's mark in each."""
        placed = []
        for style, group in self._by_style(rows):
            painter.setPen(style.border if letters else NO_PEN)
            painter.setBrush(style.fill if letters else style.border.color())
            draw_rects(painter, self.scene.rects[group])
            if letters:
                marked = [self._letter(row, style) for row in group.tolist()]
                placed.append((style.ink, [p for p in marked if p is not None]))
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

    def _say(self, row: int, rect: QRectF) -> Iterator[Placed]:
        """The texts of one node, each with the room it has."""
        columns = self.scene.columns
        detail, badge, tag = columns.detail(row), columns.badge(row), columns.tag(row)
        if self.scene.is_port(row):
            yield from self._port(row, rect, detail)
            return
        two = rect.height() > dim.ONE_LINE
        first = rect.y() + (dim.LABEL_Y if two else rect.height() / 2)
        left, right = rect.x() + dim.PAD, rect.right() - dim.PAD
        mark = self.styles.marks[self.scene.families[row]]
        if mark:
            yield self._chip(mark, left, rect.y() + rect.height() / 2 if not two else first)
            left += dim.CHIP + dim.CHIP_GAP
        end = right
        if tag:
            pill = self._pill(tag, right, first, min(dim.MAX_TAG, (right - left) / 2), True)
            yield pill
            end = pill.x - dim.PILL_PAD - dim.TEXT_GAP
        yield Placed(
            Role.LABEL, self._fit(Role.LABEL, columns.labels[row], end - left), left, first
        )
        second, end = rect.y() + dim.DETAIL_Y, right
        if badge:
            pill = self._pill(badge, right, second, right - left, False)
            yield pill
            end = pill.x - dim.PILL_PAD - dim.TEXT_GAP
        if detail:
            yield Placed(Role.DETAIL, self._fit(Role.DETAIL, detail, end - left), left, second)

    def _port(self, row: int, rect: QRectF, detail: str) -> Iterator[Placed]:
        room = rect.width() - 2 * dim.PORT_PAD
        lines = [(Role.LABEL, self.scene.columns.labels[row], dim.LABEL_Y)]
        if detail:
            lines.append((Role.DETAIL, detail, dim.DETAIL_Y))
        for role, words, y in lines:
            text = self._fit(role, words, room)
            middle = y if detail else rect.height() / 2
            yield Placed(role, text, rect.center().x() - text.width / 2, rect.y() + middle)

    def _fit(self, role: Role, words: str, room: float) -> Text:
        # Half a unit of grace, so that a text measured by its characters is not cut for a rounding.
        return self.texts.get(role, words, max(room, 0.0) + 0.5)

    def _chip(self, mark: str, left: float, y: float) -> Placed:
        text = self.texts.get(Role.MARK, mark, dim.CHIP)
        pill = QRectF(left, y - dim.CHIP / 2, dim.CHIP, dim.CHIP)
        return Placed(Role.MARK, text, left + (dim.CHIP - text.width) / 2, y, pill)

    def _pill(self, words: str, right: float, y: float, room: float, outlined: bool) -> Placed:
        text = self._fit(Role.SMALL, words, room - 2 * dim.PILL_PAD)
        width = text.width + 2 * dim.PILL_PAD
        pill = QRectF(right - width, y - dim.PILL / 2, width, dim.PILL)
        return Placed(Role.SMALL, text, pill.x() + dim.PILL_PAD, y, pill, outlined)

    def _centred(self, row: int, role: Role) -> Placed:
        left, top, width, height = self.scene.rects[row].tolist()
        text = self._fit(role, self.scene.columns.labels[row], width - dim.PAD)
        return Placed(role, text, left + (width - text.width) / 2, top + height / 2)

    def _letter(self, row: int, style: Style) -> Placed | None:
        mark = style.corner or self.styles.marks[self.scene.families[row]]
        if not mark:
            return None
        left, top, width, height = self.scene.rects[row].tolist()
        text = self.texts.get(Role.BIG_MARK, mark, width)
        return Placed(Role.BIG_MARK, text, left + (width - text.width) / 2, top + height / 2)

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
