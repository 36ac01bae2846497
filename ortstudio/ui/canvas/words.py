"""Where the texts of a node go, and how much room each has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.texts import Text, Texts

KEPT = 4096
"""Nodes whose texts stay in place: more than are ever readable at once."""


class Placed(NamedTuple):
    """A text, where its upper left corner goes, and the pill that it stands in, if any."""

    role: Role
    at: QPointF
    text: Text
    pill: QRectF | None = None
    outlined: bool = False


class Words:
    """Places the texts of a scene's nodes and keeps them; `marks` are letters by family."""

    def __init__(self, scene: Scene, marks: tuple[str, ...], texts: Texts) -> None:
        self._scene = scene
        self._marks = marks
        self._texts = texts
        self._all: dict[int, tuple[Placed, ...]] = {}
        self._labels: dict[int, Placed] = {}

    def all(self, row: int) -> tuple[Placed, ...]:
        """Everything that a node says."""
        placed = self._all.get(row)
        if placed is None:
            if len(self._all) >= KEPT:
                self._all.clear()
            rect = self._scene.rect(row)
            words = self._port(row, rect) if self._scene.is_port(row) else self._node(row, rect)
            placed = self._all[row] = tuple(one for one in words if one.text.width)
        return placed

    def label(self, row: int) -> Placed:
        """The label alone, larger, in the middle."""
        placed = self._labels.get(row)
        if placed is None:
            if len(self._labels) >= KEPT:
                self._labels.clear()
            rect, label = self._scene.rect(row), self._scene.columns.labels[row]
            room = rect.width() - (2 * dim.PAD if self._scene.is_port(row) else dim.PAD)
            placed = self._centred(Role.COMPACT, label, rect, rect.height() / 2, room)
            self._labels[row] = placed
        return placed

    def _node(self, row: int, rect: QRectF) -> Iterator[Placed]:
        columns = self._scene.columns
        two = rect.height() > dim.ONE_LINE
        first = rect.y() + (dim.LABEL_Y if two else rect.height() / 2)
        left, right = rect.x() + dim.PAD, rect.right() - dim.PAD
        mark = self._marks[self._scene.families[row]]
        if mark:
            yield self._chip(mark, left, first)
            left += dim.CHIP + dim.CHIP_GAP
        yield from self._first_line(columns.labels[row], columns.tag(row), left, right, first)
        if two:
            words = columns.detail(row), columns.badge(row)
            yield from self._second_line(*words, left, right, rect.y() + dim.DETAIL_Y)

    def _first_line(
        self, label: str, tag: str, left: float, right: float, y: float
    ) -> Iterator[Placed]:
        end = right
        if tag:
            # A domain that is cut is still told from another one; a label comes first.
            rest = right - left - self._fit(Role.LABEL, label, math.inf).width - dim.TEXT_GAP
            room = min(max(rest, dim.MIN_TAG), dim.MAX_TAG)
            pill = self._pill(tag, right - room, right, y, 1.0)
            yield pill._replace(outlined=True)
            end = pill.at.x() - dim.PILL_PAD - dim.TEXT_GAP
        yield _placed(Role.LABEL, self._fit(Role.LABEL, label, end - left), left, y)

    def _second_line(
        self, detail: str, badge: str, left: float, right: float, y: float
    ) -> Iterator[Placed]:
        end = right
        if badge:
            pill = self._pill(badge, left, right, y, 1.0 if detail else 0.0)
            yield pill
            end = pill.at.x() - dim.PILL_PAD - dim.TEXT_GAP
        if detail:
            yield _placed(Role.DETAIL, self._fit(Role.DETAIL, detail, end - left), left, y)

    def _port(self, row: int, rect: QRectF) -> Iterator[Placed]:
        label, detail = self._scene.columns.labels[row], self._scene.columns.detail(row)
        room = rect.width() - 2 * dim.PORT_PAD
        middle = dim.LABEL_Y if detail else rect.height() / 2
        yield self._centred(Role.LABEL, label, rect, middle, room)
        if detail:
            yield self._centred(Role.DETAIL, detail, rect, dim.DETAIL_Y, room)

    def _centred(self, role: Role, words: str, rect: QRectF, y: float, room: float) -> Placed:
        text = self._fit(role, words, room)
        return _placed(role, text, rect.center().x() - text.width / 2, rect.y() + y)

    def _chip(self, mark: str, left: float, y: float) -> Placed:
        text = self._texts.get(Role.MARK, mark, dim.CHIP)
        pill = QRectF(left, y - dim.CHIP / 2, dim.CHIP, dim.CHIP)
        return _placed(Role.MARK, text, left + (dim.CHIP - text.width) / 2, y, pill)

    def _pill(self, words: str, left: float, right: float, y: float, align: float) -> Placed:
        """A pill at the left (0) or the right (1) end of the room it has."""
        text = self._fit(Role.SMALL, words, right - left - 2 * dim.PILL_PAD)
        width = text.width + 2 * dim.PILL_PAD
        start = left + align * (right - left - width)
        pill = QRectF(start, y - dim.PILL / 2, width, dim.PILL)
        return _placed(Role.SMALL, text, start + dim.PILL_PAD, y, pill)

    def _fit(self, role: Role, words: str, room: float) -> Text:
        # Half a unit of grace, so that a text measured by its characters is not cut for a rounding.
        return self._texts.get(role, words, max(room, 0.0) + 0.5)


def _placed(role: Role, text: Text, x: float, middle: float, pill: QRectF | None = None) -> Placed:
    return Placed(role, QPointF(x, middle - text.height / 2), text, pill)
