# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The chips that answer first questions at a glance, each leading to the page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLayout, QSizePolicy, QWidget

from ortstudio.ui import icons, theme
from ortstudio.ui.plain import tip
from ortstudio.ui.theme import SPACE, Tone

_ICON = 16
_GAP = 2 * SPACE
_ICONS: dict[Tone, str] = {
    "text": "info",
    "muted": "unknown",
    "good": "good",
    "warning": "warning",
    "error": "error",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """A short verdict. `muted` means not known yet; `key` says which page explains it.

    `icon` is the tone's own where it is not given: no verdict is told by colour alone.
    """

    key: str
    text: str
    tone: Tone = "muted"
    tip: str = ""
    icon: str = ""


class ChipBar(QWidget):
    """Chips in a row, as wide as their texts; where room is short the last are icons only."""

    activated = Signal(str)
    """The `key` of the chip that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: list[_ChipButton] = []
        self._row = QHBoxLayout(self)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_GAP)
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Show these instead. A chip that stays in its place keeps the keyboard focus."""
        for button in self._buttons[len(chips) :]:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        del self._buttons[len(chips) :]
        for _ in chips[len(self._buttons) :]:
            button = _ChipButton(self)
            button.clicked.connect(self._activate)
            self._row.addWidget(button)
            self._buttons.append(button)
        for button, chip in zip(self._buttons, chips, strict=True):
            button.show_chip(chip)
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._size([button.room(brief=False) for button in self._buttons])

    def minimumSizeHint(self) -> QSize:
        return self._size([button.room(brief=True) for button in self._buttons])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _size(self, rooms: Sequence[QSize]) -> QSize:
        width = sum(room.width() for room in rooms) + _GAP * max(0, len(rooms) - 1)
        return QSize(width, max((room.height() for room in rooms), default=0))

    def _fit(self) -> None:
        """Leave the words away, from the last chip on, as far as there is no room for them."""
        missing = self.sizeHint().width() - self.width()
        for button in reversed(self._buttons):
            button.be_brief(missing > 0)
            if button.brief:
                missing -= button.room(brief=False).width() - button.room(brief=True).width()

    def chips(self) -> tuple[Chip, ...]:
        """What is shown."""
        return tuple(button.chip for button in self._buttons)

    def _activate(self) -> None:
        button = self.sender()
        assert isinstance(button, _ChipButton)
        self.activated.emit(button.chip.key)


class _ChipButton(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.chip = Chip("", "")
        self.brief = False
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_chip(self, chip: Chip) -> None:
        self.chip = chip
        self.setText(chip.text)
        self._explain()
        self.updateGeometry()
        self.update()

    def be_brief(self, brief: bool) -> None:
        """Show the icon alone, or with the words."""
        if brief != self.brief:
            self.brief = brief
            self._explain()
            self.updateGeometry()
            self.update()

    def _explain(self) -> None:
        words = [self.chip.text] if self.brief else []
        self.setToolTip(tip("\n".join([*words, *filter(None, [self.chip.tip])])))

    def room(self, *, brief: bool) -> QSize:
        """How much it takes."""
        text = 0 if brief else self.fontMetrics().horizontalAdvance(self.text()) + 2 * SPACE
        return QSize(_ICON + text + 4 * SPACE, self.fontMetrics().height() + 2 * SPACE)

    def sizeHint(self) -> QSize:
        return self.room(brief=self.brief)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        tone = look.tone(self.chip.tone)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = look.accent if self.hasFocus() else look.hairline
            painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
            painter.setBrush(look.hover if self.underMouse() else look.surface)
            outline = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(outline, outline.height() / 2, outline.height() / 2)
            name = self.chip.icon or _ICONS[self.chip.tone]
            top = (self.height() - _ICON) / 2
            painter.drawPixmap(QPointF(2 * SPACE, top), icons.pixmap(name, tone))
            if self.brief:
                return
            painter.setPen(look.text_muted if self.chip.tone == "muted" else look.text)
            words = self.rect().adjusted(_ICON + 3 * SPACE, 0, 0, 0)
            painter.drawText(
                words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text()
            )
