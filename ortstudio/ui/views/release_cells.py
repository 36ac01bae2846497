# ruff: noqa: D102, N802 - Qt calls these methods, and documents them
"""Rows of cells, one for each release: painted, pointed at, and reached with the arrow keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ortstudio.analysis.compatibility.oracle import Compatibility
from ortstudio.analysis.compatibility.releases import Release
from ortstudio.services.release_strip import Strip, standing
from ortstudio.ui import theme
from ortstudio.ui.plain import tip
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.release_marks import paint_cell

ROW = 7 * SPACE
GAP = 2 * SPACE
NARROWEST, WIDEST = 11, 32
"""Pixels of one minor release."""


@dataclass(frozen=True, slots=True)
class StripRow:
    """One file, in one build, under a name such as `Old file, full builds`; "" needs no room."""

    name: str
    answers: Strip


def sentence(row: StripRow, answer: Compatibility) -> str:
    """`1.14.1 (old file): loads, without its saved optimizations. 1.14.1 ignores ...`."""
    said = [answer.why, *(warning for warning in answer.warnings if warning not in answer.why)]
    text = ". ".join(part.rstrip(".") for part in said if part)
    whose = f" ({row.name})" if row.name else ""
    return f"{answer.release}{whose}: {standing(answer).value}. {text}."


class Cells(QWidget):
    """The painted rows, with the releases below them."""

    looked = Signal()
    chosen = Signal(object)
    picked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: tuple[StripRow, ...] = ()
        self._at: tuple[int, int] | None = None
        self._picked: Release | None = None
        self._tried: Collection[tuple[int, Release]] = ()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Releases of ONNX Runtime")

    def set_rows(self, rows: Sequence[StripRow]) -> None:
        """Show these."""
        self._rows = tuple(rows)
        self.__dict__.pop("_minors", None)
        self._at = None
        self.setAccessibleDescription("")
        self.updateGeometry()
        self.update()

    def pick(self, release: Release | None) -> None:
        """Frame a release in all rows."""
        self._picked = release
        self.update()

    def set_tried(self, tried: Collection[tuple[int, Release]]) -> None:
        """Underline cells, by row and release."""
        self._tried = tried
        self.update()

    @property
    def current(self) -> Compatibility | None:
        """The answer of the cell that is looked at."""
        return None if self._at is None else self._rows[self._at[0]].answers[self._at[1]]

    @property
    def sentence(self) -> str:
        """What that cell says."""
        found = self.current
        return "" if found is None or self._at is None else sentence(self._rows[self._at[0]], found)

    def look_at(self, row: int, place: int) -> None:
        """Look at a cell."""
        if not self._rows or not self._rows[0].answers:
            return
        row = min(max(row, 0), len(self._rows) - 1)
        self._at = row, min(max(place, 0), len(self._rows[row].answers) - 1)
        self.setAccessibleDescription(self.sentence)
        self.update()
        self.looked.emit()

    @cached_property
    def _minors(self) -> tuple[tuple[str, range], ...]:
        """Each minor release by its name, and the places of its patches."""
        answers = self._rows[0].answers if self._rows else ()
        found = []
        for name, places in groupby(range(len(answers)), lambda place: _minor_name(answers[place])):
            run = list(places)
            found.append((name, range(run[0], run[-1] + 1)))
        return tuple(found)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        line = QFontMetricsF(theme.font(theme.SMALL)).height()
        above = 0 if self._label_room(width) else line
        return round(len(self._rows) * (ROW + GAP + above) + line + SPACE)

    def sizeHint(self) -> QSize:
        return QSize(150 * SPACE, self.heightForWidth(150 * SPACE))

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST * 10, self.heightForWidth(self.width()))

    def _label_room(self, width: int) -> float:
        """Pixels for names at the left; 0 where they stand above their rows for want of room."""
        metrics = QFontMetricsF(theme.font())
        room = max((metrics.horizontalAdvance(row.name) for row in self._rows), default=0)
        room += 4 * SPACE if room else 2
        return room if width - room >= NARROWEST * len(self._minors) else 0

    def _step(self) -> float:
        """Pixels of one minor release."""
        room = self.width() - self._label_room(self.width())
        return min(room / max(1, len(self._minors)), WIDEST)

    def _top(self, row: int) -> float:
        """Where the cells of a row begin."""
        line = QFontMetricsF(theme.font(theme.SMALL)).height()
        above = 0 if self._label_room(self.width()) else line
        return row * (ROW + GAP + above) + above

    def _rects(self, row: int) -> Iterator[tuple[int, QRectF]]:
        """The place and the room of each release of a row."""
        left, step, top = self._label_room(self.width()), self._step(), self._top(row)
        for number, (_name, places) in enumerate(self._minors):
            x, share = left + number * step, (step - 1) / len(places)
            for nth, place in enumerate(places):
                yield place, QRectF(x + nth * share, top, share, ROW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            for number, row in enumerate(self._rows):
                self._paint_name(painter, number, row.name)
                self._paint_cells(painter, number, row)
                self._paint_marked(painter, number, row)
            self._paint_releases(painter)

    def _paint_name(self, painter: QPainter, number: int, name: str) -> None:
        room = self._label_room(self.width())
        font = theme.font() if room else theme.font(theme.SMALL)
        painter.setFont(font)
        painter.setPen(theme.current().text_muted)
        height = QFontMetricsF(font).height()
        top = self._top(number) if room else self._top(number) - height
        place = QRectF(0, top, room or self.width(), ROW if room else height)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_cells(self, painter: QPainter, number: int, row: StripRow) -> None:
        """Neighbours of one minor that stand alike are one cell, with one mark."""
        rects = dict(self._rects(number))
        for _name, places in self._minors:
            for which, alike in groupby(places, lambda place: standing(row.answers[place])):
                run = list(alike)
                room = rects[run[0]].united(rects[run[-1]])
                paint_cell(painter, room, which)
        if self._at is not None and self._at[0] == number:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.current().text)
            painter.drawRect(rects[self._at[1]].adjusted(-0.5, -0.5, 0.5, 0.5).toAlignedRect())

    def _paint_marked(self, painter: QPainter, number: int, row: StripRow) -> None:
        """The release that was picked, and those that were tried."""
        accent = theme.current().accent
        for place, room in self._rects(number):
            release = row.answers[place].release
            if (number, release) in self._tried:
                painter.fillRect(QRectF(room.left(), room.bottom() + 3, room.width(), 2), accent)
            if release == self._picked:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(accent, 2))
                within = QRectF(self.rect()).adjusted(1, 1, -1, -1)
                painter.drawRect(room.adjusted(-1, -1, 1, 1) & within)

    def _paint_releases(self, painter: QPainter) -> None:
        """Names of as many releases as have room, below the rows; the one looked at stands out."""
        font, look = theme.font(theme.SMALL), theme.current()
        painter.setFont(font)
        height = QFontMetricsF(font).height()
        top = self.heightForWidth(self.width()) - height
        shown = self._picked if self.current is None else self.current.release
        here = None if shown is None else ".".join(map(str, shown[:2]))
        for name, place in self._named(QFontMetricsF(font)):
            painter.setPen(look.text if name == here else look.text_muted)
            room = QRectF(place.left(), top, place.width(), height)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, name)

    def _named(self, metrics: QFontMetricsF) -> Iterator[tuple[str, QRectF]]:
        """The releases that are named, and from where to where; the newest in any case."""
        step, left = self._step(), self._label_room(self.width())
        widest = max((metrics.horizontalAdvance(name) for name, _ in self._minors), default=0)
        every = next((n for n in (1, 2, 4, 7, 14) if n * step >= widest + SPACE), 28)
        taken = self.width() + widest
        for number in range(len(self._minors) - 1, -1, -every):
            middle = left + (number + 0.5) * step
            at = min(max(middle - widest / 2, left), self.width() - widest)
            if at + widest + SPACE <= taken:
                taken = at
                yield self._minors[number][0], QRectF(at, 0, widest, 0)

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        for number in range(len(self._rows)):
            for place, rect in self._rects(number):
                if rect.adjusted(0, 0, 1, 0).contains(point):
                    return number, place
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self._cell_at(event.position())
        if found is not None and found != self._at:
            self.look_at(*found)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        self.mouseMoveEvent(event)
        if self._cell_at(event.position()) is not None:
            self._pick_current()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._cell_at(event.position()) is not None and self.current is not None:
            self.chosen.emit(self.current)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._at is None and self._rows:
            self.look_at(0, len(self._rows[0].answers) - 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, place = self._at or (0, 0)
        last = len(self._rows[row].answers) - 1 if self._rows else 0
        moves = {
            Qt.Key.Key_Left: (row, place - 1),
            Qt.Key.Key_Right: (row, place + 1),
            Qt.Key.Key_Up: (row - 1, place),
            Qt.Key.Key_Down: (row + 1, place),
            Qt.Key.Key_Home: (row, 0),
            Qt.Key.Key_End: (row, last),
        }
        key = Qt.Key(event.key())
        if key in moves:
            self.look_at(*moves[key])
            self._pick_current()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.chosen.emit(self.current)
        elif event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.table())
        else:
            super().keyPressEvent(event)

    def _pick_current(self) -> None:
        if self.current is not None:
            self.picked.emit(self.current.release)

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QHelpEvent):
            return super().event(event)
        found = self._cell_at(QPointF(event.pos()))
        text = ""
        if found is not None:
            row = self._rows[found[0]]
            text = tip(sentence(row, row.answers[found[1]]))
        QToolTip.showText(event.globalPos(), text, self)
        return True

    def table(self) -> str:
        """All of it as tab-separated lines, a line for each release."""
        lines = ["\t".join(["release", *(row.name for row in self._rows)])]
        for place in range(len(self._rows[0].answers) if self._rows else 0):
            answers = [row.answers[place] for row in self._rows]
            words = [standing(answer).value for answer in answers]
            lines.append("\t".join([str(answers[0].release), *words]))
        return "\n".join(lines)


def _minor_name(answer: Compatibility) -> str:
    return f"{answer.release.major}.{answer.release.minor}"
