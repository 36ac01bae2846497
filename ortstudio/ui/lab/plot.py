# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""All samples of one measure: a line for each subject, its centre and interval over the dots."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ortstudio.services.lab.scale import Scale, scale
from ortstudio.services.lab.view import Row, View
from ortstudio.services.lab.words import interval_text, value_text
from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.plots import Axis, Plot

LINE = 5 * SPACE
"""Pixels between subjects, at least."""
DOT = 1.5 * SPACE
MOST_DOTS = 600
"""Of a subject: of more samples every second, third and so on is painted."""
_SPREAD = 0.32
"""Of a line: how far dots lie off its middle, so that those of one value are told apart."""


class SamplesPlot(Plot):
    """Marks are subjects, from the top down; their numbers are those of the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: View | None = None
        self._scale: Scale = scale([])
        self.setAccessibleName("Samples")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_view(self, view: View) -> None:
        """Show another measure, or what has come in."""
        self._view = view
        self._scale = scale([value for row in view.rows for value in row.samples])
        self.upward = Axis("", 0, max(1, len(view.rows)))
        self.setMinimumHeight(self.minimumSizeHint().height())
        self.updateGeometry()
        self.select(min(self.selected(), self.count() - 1))

    def rows(self) -> tuple[Row, ...]:
        """What is shown."""
        return self._view.rows if self._view is not None else ()

    def count(self) -> int:
        return len(self.rows())

    def mark_text(self, mark: int) -> str:
        row, view = self.rows()[mark], self._view
        if view is None or math.isnan(row.estimate.median):
            return f"{row.number}  {row.name}: {row.verdict or 'nothing yet'}"
        median = value_text(row.estimate.median, view.kind)
        interval = interval_text(row.estimate.low, row.estimate.high, view.kind)
        return f"{row.number}  {row.name}: {median} ({interval}), {len(row.samples):,} samples"

    def mark_at(self, across: float, upward: float) -> int:
        del across
        return min(max(self.count() - 1 - math.floor(upward), 0), self.count() - 1)

    def table(self) -> str:
        """Every sample on a line of its own."""
        lines = (
            f"{row.number}\t{row.name}\t{value!r}" for row in self.rows() for value in row.samples
        )
        return "\n".join(["number\tsubject\tvalue", *lines])

    def area(self) -> QRectF:
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        left = metrics.horizontalAdvance("00") + 4 * SPACE
        top = 2 * metrics.height() + 4 * SPACE
        return QRectF(self.rect()).adjusted(left, top, -6 * SPACE, -SPACE)

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        frame = 2 * math.ceil(metrics.height()) + 6 * SPACE
        return QSize(60 * SPACE, frame + LINE * max(2, self.count()))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        look, view = theme.current(), self._view
        painter.setFont(theme.font(theme.SMALL))
        metrics = QFontMetricsF(painter.font())
        self._paint_head(painter, metrics)
        if view is None:
            return
        for mark, row in enumerate(view.rows):
            y = self._middle(mark, area)
            painter.fillRect(QRectF(area.left(), y, area.width(), 1), look.hairline)
            painter.setPen(look.text if mark == self.selected() else look.text_muted)
            label = QRectF(0, y - metrics.height() / 2, area.left() - 2 * SPACE, metrics.height())
            painter.drawText(label, Qt.AlignmentFlag.AlignRight, str(row.number))
        painter.setPen(look.text_muted)
        # The axis is above: where the plot scrolls, it begins with what the dots are read by.
        painter.fillRect(QRectF(area.left(), area.top(), area.width(), 1), look.edge)
        if not any(row.samples for row in view.rows):
            return
        for x, text in self._labels(area, metrics, view):
            painter.fillRect(QRectF(x, area.top() - SPACE, 1, SPACE), look.edge)
            width = metrics.horizontalAdvance(text) + 2
            y = area.top() - 1.5 * SPACE - metrics.height()
            room = QRectF(x - width / 2, y, width, metrics.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, text)

    def _paint_head(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        """What is pointed at, else what is shown."""
        says = 0 <= self.selected() < self.count()
        head = self._view.title.capitalize() if self._view is not None else ""
        head += ", powers of ten" if self._scale.logarithmic else ""
        head = self.mark_text(self.selected()) if says else head
        look = theme.current()
        painter.setPen(look.text if says else look.text_muted)
        room = QRectF(3 * SPACE, SPACE, self.width() - 6 * SPACE, metrics.height())
        elided = metrics.elidedText(head, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft, elided)

    def _labels(self, area: QRectF, metrics: QFontMetricsF, view: View) -> list[tuple[float, str]]:
        """Ticks as far as they have room, each with its place."""
        for most in range(8, 0, -1):
            ticks = [value for value in self._scale.ticks(most) if value > 0]
            found = [(round(self._x(value, area)), value_text(value, view.kind)) for value in ticks]
            ends = [
                (x - metrics.horizontalAdvance(t) / 2, x + metrics.horizontalAdvance(t) / 2)
                for x, t in found
            ]
            if all(a[1] + 3 * SPACE <= b[0] for a, b in pairwise(ends)):
                return [(float(x), text) for x, text in found]
        return []

    def paint_marks(self, painter: QPainter, area: QRectF) -> None:
        look = theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for mark, row in enumerate(self.rows()):
            chosen = mark == self.selected()
            colour = look.accent if chosen else look.families["other"].border
            self._paint_dots(painter, row, self._middle(mark, area), area, colour)
        for mark, row in enumerate(self.rows()):
            if row.samples and math.isfinite(row.estimate.median):
                self._paint_centre(painter, row, self._middle(mark, area), area)
            elif row.one.status != "ok":
                self._paint_status(painter, row, self._middle(mark, area), area)

    def _paint_dots(
        self, painter: QPainter, row: Row, y: float, area: QRectF, colour: QColor
    ) -> None:
        step = 1 + len(row.samples) // MOST_DOTS
        shown = row.samples[::step]
        faint = QColor(colour)
        faint.setAlphaF(1.0 if len(shown) < 40 else 0.45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faint)
        spread = _SPREAD * area.height() / max(1, self.count())
        for number, value in enumerate(shown):
            # The golden ratio spreads any number of dots evenly, the same at every repaint.
            off = ((number * 0.618034) % 1 - 0.5) * 2 * min(spread, 3 * SPACE)
            painter.drawEllipse(QPointF(self._x(value, area), y + off), DOT / 2, DOT / 2)

    def _paint_centre(self, painter: QPainter, row: Row, y: float, area: QRectF) -> None:
        """The median as a bar upright, its interval as a line with ends."""
        look, found = theme.current(), row.estimate
        low, middle, high = (self._x(v, area) for v in (found.low, found.median, found.high))
        painter.setPen(QPen(look.text, 1.5))
        painter.drawLine(QPointF(low, y), QPointF(high, y))
        for x in (low, high):
            painter.drawLine(QPointF(x, y - SPACE), QPointF(x, y + SPACE))
        painter.setPen(QPen(look.text, 3))
        painter.drawLine(QPointF(middle, y - 2 * SPACE), QPointF(middle, y + 2 * SPACE))

    def _paint_status(self, painter: QPainter, row: Row, y: float, area: QRectF) -> None:
        look = theme.current()
        painter.setFont(theme.font(theme.SMALL))
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(
            row.verdict, Qt.TextElideMode.ElideRight, area.width() - 4 * SPACE
        )
        room = QRectF(area.left() + SPACE, y - metrics.height() / 2, 0, metrics.height())
        room.setWidth(metrics.horizontalAdvance(text) + 2 * SPACE)
        painter.fillRect(room, self.palette().window())
        painter.setPen(
            look.error if row.one.status in ("crashed", "wrong outputs") else look.warning
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)

    def _middle(self, mark: int, area: QRectF) -> float:
        return round(area.top() + (mark + 0.5) * area.height() / max(1, self.count()))

    def _x(self, value: float, area: QRectF) -> float:
        return area.left() + self._scale.share(value) * area.width()
