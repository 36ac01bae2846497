"""What a window without a model shows: where to drop one, what was open lately, and the sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ortstudio.ui import icons, theme
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.page import Page

RECENT = 3
"""How many files are offered again."""

_WIDTH = 120 * SPACE
_ICON = 16


class EmptyPage(Page):
    """Quiet, in the middle, and every offer is reached with the keyboard."""

    open_requested = Signal(object)
    """A tuple of paths: a recent file was chosen."""
    choose_requested = Signal()
    """The person wants to look for files."""
    sample_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        content = QWidget()
        super().__init__(content, _WIDTH, parent)
        self._recent_title = _caption("Recent")
        self._offers: list[QWidget] = []
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        sample = _Offer("ort", "Sample", "a small network and what it is converted to")
        sample.clicked.connect(self.sample_requested)

        column = QVBoxLayout(content)
        column.setSpacing(SPACE)
        column.addLayout(_heading())
        column.addSpacing(4 * SPACE)
        column.addWidget(self._target())
        column.addSpacing(4 * SPACE)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        column.addSpacing(2 * SPACE)
        column.addWidget(_caption("To look around"))
        column.addWidget(sample)
        self.set_recent(())

    def set_recent(self, paths: Sequence[Path]) -> None:
        """Offer these again, the newest first; no more than `RECENT` are shown."""
        for offer in self._offers:
            offer.hide()
            offer.deleteLater()
        self._offers = []
        self._recent_title.setVisible(bool(paths))
        if not paths:
            return
        from ortstudio.ui.plain import tip

        for path in paths[:RECENT]:
            offer = _Offer(_icon(path), path.name, str(path.parent))
            offer.setToolTip(tip(str(path)))
            offer.clicked.connect(lambda _=False, p=path: self.open_requested.emit((p,)))
            self._recent.addWidget(offer)
            self._offers.append(offer)

    def _target(self) -> QWidget:
        target = _Target()
        words = QLabel("Drop models or folders here: .onnx to convert, .ort to look into")
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words.setWordWrap(True)
        choose = QPushButton("Open…")
        choose.clicked.connect(self.choose_requested)
        layout = QVBoxLayout(target)
        layout.setContentsMargins(6 * SPACE, 12 * SPACE, 6 * SPACE, 6 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addWidget(words)
        layout.addWidget(choose, 0, Qt.AlignmentFlag.AlignHCenter)
        return target


def _heading() -> QHBoxLayout:
    picture = QLabel()
    picture.setPixmap(icons.application().pixmap(12 * SPACE, 12 * SPACE))
    name = QLabel("ORT Studio")
    name.setFont(theme.font(theme.TITLE, strong=True))
    line = QLabel("See, convert and prove ONNX Runtime’s ORT-format models.")
    line.setWordWrap(True)
    words = QVBoxLayout()
    words.setSpacing(0)
    words.addWidget(name)
    words.addWidget(line)
    row = QHBoxLayout()
    row.setSpacing(3 * SPACE)
    row.addWidget(picture)
    row.addLayout(words, 1)
    return row


def _caption(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(theme.font(theme.SMALL))
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    label.setContentsMargins(2 * SPACE, 0, 0, 0)
    return label


def _icon(path: Path) -> str:
    suffix = path.suffix.lower().lstrip(".")
    return suffix if suffix in ("ort", "onnx") else "file"


class _Target(QWidget):
    """A dashed outline with an arrow into it."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(look.edge, 1.5, Qt.PenStyle.DashLine))
            painter.setBrush(look.surface)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            arrow = icons.pixmap("drop", look.text_muted, 24)
            painter.drawPixmap(QPointF(self.width() / 2 - 12, 5 * SPACE), arrow)


class _Offer(QAbstractButton):
    """One line to choose: an icon, a name, and muted words that give way when room is short."""

    def __init__(self, icon: str, name: str, words: str) -> None:
        super().__init__()
        self._icon = icon
        self._words = words
        self.setText(name)
        self.setAccessibleName(f"{name}, {words}")
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height() + 3 * SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.underMouse() or self.hasFocus():
                painter.setPen(QPen(look.accent, 2) if self.hasFocus() else Qt.PenStyle.NoPen)
                painter.setBrush(look.hover)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
            top = (self.height() - _ICON) / 2
            painter.drawPixmap(QPointF(2 * SPACE, top), icons.pixmap(self._icon, look.text_muted))
            room = self.rect().adjusted(_ICON + 4 * SPACE, 0, -2 * SPACE, 0)
            metrics = self.fontMetrics()
            middle = Qt.AlignmentFlag.AlignVCenter
            elided = Qt.TextElideMode.ElideMiddle
            name = metrics.elidedText(self.text(), elided, room.width())
            painter.setPen(look.text)
            painter.drawText(room, middle, name)
            room.setLeft(room.left() + metrics.horizontalAdvance(name) + 3 * SPACE)
            if room.width() > 8 * SPACE:
                painter.setPen(look.text_muted)
                painter.drawText(
                    room, middle, metrics.elidedText(self._words, elided, room.width())
                )
