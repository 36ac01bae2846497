"""Where the texts of a node go, and how much room each has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF

from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.fonts import Role
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.texts import Text, Texts


@dataclass(frozen=True, slots=True)
class Placed:
    """A text, the middle of its left side, and the pill that it stands in, if any."""

    role: Role
    text: Text
    x: float
    y: float
    pill: QRectF | None = None
    outlined: bool = False


@dataclass(frozen=True, eq=False)
class Words:
    """Places the texts of a scene's nodes; `marks` are letters by family."""

    scene: Scene
    marks: tuple[str, ...]
    texts: Texts

    def all(self, row: int, rect: QRectF) -> Iterator[Placed]:
        """Everything that a node says."""
        if self.scene.is_port(row):
            yield from self._port(row, rect)
            return
        columns = self.scene.columns
        two = rect.height() > dim.ONE_LINE
        first = rect.y() + (dim.LABEL_Y if two else rect.height() / 2)
        left, right = rect.x() + dim.PAD, rect.right() - dim.PAD
        mark = self.marks[self.scene.families[row]]
        if mark:
            yield self._chip(mark, left, first)
            left += dim.CHIP + dim.CHIP_GAP
        yield from self._first_line(columns.labels[row], columns.tag(row), left, right, first)
        if two:
            second = rect.y() + dim.DETAIL_Y
            yield from self._second_line(
                columns.detail(row), columns.badge(row), left, right, second
            )

    def label(self, row: int, rect: QRectF) -> Placed:
        """The label alone, larger, in the middle."""
        beside = dim.CHIP if self.scene.is_port(row) else dim.PAD
        label = self.scene.columns.labels[row]
        return self._centred(Role.COMPACT, label, rect, rect.height() / 2, rect.width() - beside)

    def letter(self, mark: str, rect: QRectF) -> Placed:
        """A mark alone, in the middle."""
        return self._centred(Role.BIG_MARK, mark, rect, rect.height() / 2, rect.width())

    def _first_line(
        self, label: str, tag: str, left: float, right: float, y: float
    ) -> Iterator[Placed]:
        end = right
        if tag:
            # A domain that is cut is still told from another one; a label comes first.
            rest = right - left - self._fit(Role.LABEL, label, math.inf).width - dim.TEXT_GAP
            room = min(max(rest, dim.MIN_TAG), dim.MAX_TAG)
            pill = replace(self._pill(tag, right - room, right, y, 1.0), outlined=True)
            yield pill
            end = pill.x - dim.PILL_PAD - dim.TEXT_GAP
        yield Placed(Role.LABEL, self._fit(Role.LABEL, label, end - left), left, y)

    def _second_line(
        self, detail: str, badge: str, left: float, right: float, y: float
    ) -> Iterator[Placed]:
        end = right
        if badge:
            pill = self._pill(badge, left, right, y, 1.0 if detail else 0.0)
            yield pill
            end = pill.x - dim.PILL_PAD - dim.TEXT_GAP
        if detail:
            yield Placed(Role.DETAIL, self._fit(Role.DETAIL, detail, end - left), left, y)

    def _port(self, row: int, rect: QRectF) -> Iterator[Placed]:
        label, detail = self.scene.columns.labels[row], self.scene.columns.detail(row)
        room = rect.width() - 2 * dim.PORT_PAD
        middle = dim.LABEL_Y if detail else rect.height() / 2
        yield self._centred(Role.LABEL, label, rect, middle, room)
        if detail:
            yield self._centred(Role.DETAIL, detail, rect, dim.DETAIL_Y, room)

    def _centred(self, role: Role, words: str, rect: QRectF, y: float, room: float) -> Placed:
        text = self._fit(role, words, room)
        return Placed(role, text, rect.center().x() - text.width / 2, rect.y() + y)

    def _chip(self, mark: str, left: float, y: float) -> Placed:
        text = self.texts.get(Role.MARK, mark, dim.CHIP)
        pill = QRectF(left, y - dim.CHIP / 2, dim.CHIP, dim.CHIP)
        return Placed(Role.MARK, text, left + (dim.CHIP - text.width) / 2, y, pill)

    def _pill(self, words: str, left: float, right: float, y: float, align: float) -> Placed:
        """A pill at the left (0) or the right (1) end of the room it has."""
        text = self._fit(Role.SMALL, words, right - left - 2 * dim.PILL_PAD)
        width = text.width + 2 * dim.PILL_PAD
        start = left + align * (right - left - width)
        pill = QRectF(start, y - dim.PILL / 2, width, dim.PILL)
        return Placed(Role.SMALL, text, start + dim.PILL_PAD, y, pill)

    def _fit(self, role: Role, words: str, room: float) -> Text:
        # Half a unit of grace, so that a text measured by its characters is not cut for a rounding.
        return self.texts.get(role, words, max(room, 0.0) + 0.5)
