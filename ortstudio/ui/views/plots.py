# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""Plots painted by hand: two axes with round ticks, and what stands between them.

A plot is read with the keyboard too: it has marks that are selected one by one, each with a
sentence, and all of it can be copied as a table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.ticks import Ticks, ticks

_MOST_TICKS = 8
_LINE_ROOM = 9 * SPACE
"""Pixels between the lines of the left axis."""
_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Axis:
    """A range with `low` < `high`, and what it measures, its unit included."""

    title: str
    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


class Plot(QWidget):
    """Axes, and marks that a subclass paints and puts in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.across = Axis("", 0, 1)
        self.upward = Axis("", 0, 1)
        self._selected = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def count(self) -> int:
        """How many marks there are."""
        raise NotImplementedError

    def mark_text(self, mark: int) -> str:
        """What a mark says, in a sentence."""
        raise NotImplementedError

    def mark_at(self, across: float, upward: float) -> int:
        """The mark at these values, -1 for none."""
        raise NotImplementedError

    def table(self) -> str:
        """All marks as tab-separated lines, under a line of titles."""
        raise NotImplementedError

    def paint_marks(self, painter: QPainter, area: QRectF) -> None:
        """Paint between the axes."""
        raise NotImplementedError

    def selected(self) -> int:
        """The mark that was last pointed at or reached with the arrow keys, -1 for none."""
        return self._selected

    def select(self, mark: int) -> None:
        """Emphasize a mark and say it."""
        self._selected = mark if 0 <= mark < self.count() else -1
        self.setAccessibleDescription(self.mark_text(mark) if self._selected >= 0 else "")
        self.update()

    def area(self) -> QRectF:
        """Where the marks are, in pixels."""
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        labels = self._upward_ticks().texts()
        left = max(map(metrics.horizontalAdvance, labels), default=0) + 2 * SPACE
        top, bottom = metrics.height() + 3 * SPACE, 2 * metrics.height() + 2 * SPACE
        return QRectF(self.rect()).adjusted(left, top, -4 * SPACE, -bottom)

    def place(self, across: float, upward: float) -> QPointF:
        """The pixel of two values."""
        area = self.area()
        x = area.left() + self.across.share(across) * area.width()
        return QPointF(x, area.bottom() - self.upward.share(upward) * area.height())

    def sizeHint(self) -> QSize:
        return QSize(80 * SPACE, 45 * SPACE)

    def minimumSizeHint(self) -> QSize:
        return QSize(40 * SPACE, 30 * SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        area = self.area()
        with QPainter(self) as painter:
            self._paint_axes(painter, area)
            self.paint_marks(painter, area)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(theme.current().accent)
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps:
            step = steps[Qt.Key(event.key())]
            self.select(min(max(self._selected + step, 0), self.count() - 1))
        elif event.key() == Qt.Key.Key_Home:
            self.select(0)
        elif event.key() == Qt.Key.Key_End:
            self.select(self.count() - 1)
        elif event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.table())
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.select(self._mark_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.select(-1)

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QHelpEvent):
            return super().event(event)
        mark = self._mark_at(event.pos())
        QToolTip.showText(event.globalPos(), self.mark_text(mark) if mark >= 0 else "", self)
        return True

    def _mark_at(self, place: QPoint | QPointF) -> int:
        area = self.area()
        if not area.contains(QPointF(place)):
            return -1
        x = (place.x() - area.left()) / area.width()
        y = (area.bottom() - place.y()) / area.height()
        return self.mark_at(_value(self.across, x), _value(self.upward, y))

    def _upward_ticks(self) -> Ticks:
        most = min(_MOST_TICKS, max(1, self.height() // _LINE_ROOM), max(1, int(self.upward.high)))
        return ticks(self.upward.low, self.upward.high, most)

    def _across_ticks(self, room: float) -> Ticks:
        """As many as have room for what stands at them."""
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        for most in range(_MOST_TICKS, 1, -1):
            made = ticks(self.across.low, self.across.high, most)
            widest = max(map(metrics.horizontalAdvance, made.texts()), default=0) + 3 * SPACE
            places = [self.across.share(value) * room for value in made.values()]
            if all(b - a >= widest for a, b in pairwise(places)):
                return made
        return ticks(self.across.low, self.across.high, 1)

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        look, font = theme.current(), theme.font(theme.SMALL)
        painter.setFont(font)
        height = QFontMetricsF(font).height()
        middle = Qt.AlignmentFlag.AlignHCenter
        upward = self._upward_ticks()
        for value, text in zip(upward.values(), upward.texts(), strict=True):
            y = round(self.place(self.across.low, value).y())
            painter.fillRect(QRectF(area.left(), y, area.width(), 1), look.hairline)
            painter.setPen(look.text_muted)
            label = QRectF(0, y - height / 2, area.left() - SPACE, height)
            painter.drawText(
                label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
            )
        across = self._across_ticks(area.width())
        for value, text in zip(across.values(), across.texts(), strict=True):
            x = round(self.place(value, self.upward.low).x())
            painter.fillRect(QRectF(x, area.bottom(), 1, SPACE), look.edge)
            label = QRectF(x - area.width() / 2, area.bottom() + SPACE, area.width(), height)
            painter.drawText(label, middle | Qt.AlignmentFlag.AlignTop, text)
        title = QRectF(area.left(), area.bottom() + SPACE + height, area.width(), height)
        painter.drawText(title, middle | Qt.AlignmentFlag.AlignTop, self.across.title)
        says = self._selected >= 0
        head = self.mark_text(self._selected) if says else self.upward.title
        room = QRectF(SPACE, SPACE, self.width() - 2 * SPACE, height)
        painter.setPen(look.text if says else look.text_muted)
        metrics = QFontMetricsF(font)
        painter.drawText(room, metrics.elidedText(head, Qt.TextElideMode.ElideRight, room.width()))


class HistogramPlot(Plot):
    """How many of a tensor's elements fall between two values."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edges: Sequence[float] = ()
        self._counts: Sequence[int] = ()
        self.setAccessibleName("Histogram")

    def show_bins(
        self, edges: Sequence[float], counts: Sequence[int], title: str = "value"
    ) -> None:
        """Show `counts[i]` elements between `edges[i]` and `edges[i + 1]`; edges ascend."""
        self._edges, self._counts = edges, counts
        if counts:
            self.across = Axis(title, *_apart(edges[0], edges[-1]))
        self.upward = Axis("elements", 0, max([1, *counts]))
        self.select(-1)

    def count(self) -> int:
        return len(self._counts)

    def mark_text(self, mark: int) -> str:
        low, high = self._edges[mark : mark + 2]
        whole = high - low == 1 and low % 1 == 0.5  # A bin of its own for a whole number.
        values = f"{low + 0.5:,.0f}" if whole else f"{low:.4g} to {high:.4g}"
        share = self._counts[mark] / max(1, sum(self._counts))
        text = f"{values}: {self._counts[mark]:,} ({share:.1%})"
        return text.replace("-", "\N{MINUS SIGN}")

    def mark_at(self, across: float, upward: float) -> int:
        del upward  # A bin with few elements is as easy to point at as one with many.
        return next((i for i, edge in enumerate(self._edges[1:]) if across <= edge), -1)

    def table(self) -> str:
        rows = (
            f"{self._edges[i]!r}\t{self._edges[i + 1]!r}\t{n}" for i, n in enumerate(self._counts)
        )
        return "\n".join(["from\tto\telements", *rows])

    def paint_marks(self, painter: QPainter, area: QRectF) -> None:
        look = theme.current()
        for mark, number in enumerate(self._counts):
            if not number:
                continue
            start = self.place(self._edges[mark], number)
            end = self.place(self._edges[mark + 1], 0)
            # A gap of a pixel between bins that have room for one; and never nothing for something.
            width = end.x() - start.x()
            bar = QRectF(start.x(), start.y(), max(1, width - (width > 3)), end.y() - start.y())
            bar.setTop(min(bar.top(), area.bottom() - 2))
            colour = look.accent if mark == self.selected() else look.families["other"].border
            painter.fillRect(bar, colour)


def _apart(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis: two values, or where nothing can be told apart, what is around them."""
    if high / 2 - low / 2 > max(abs(low), abs(high), 1e-290) * 1e-11:
        return low, high
    around = abs(high) / 2 or 0.5
    return max(low - around, -_LARGEST), min(high + around, _LARGEST)


def _value(axis: Axis, share: float) -> float:
    return axis.low + (axis.high / 2 - axis.low / 2) * share * 2
