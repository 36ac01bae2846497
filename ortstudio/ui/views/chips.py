"""The chips that answer first questions at a glance, each leading to the page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from ortstudio.ui import icons, theme
from ortstudio.ui.plain import tip
from ortstudio.ui.theme import SPACE, Tone

_ICON = 16
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
    """Chips in a row, as wide as their texts."""

    activated = Signal(str)
    """The `key` of the chip that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: list[_ChipButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2 * SPACE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

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
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_chip(self, chip: Chip) -> None:
        self.chip = chip
        self.setText(chip.text)
        self.setToolTip(tip(chip.tip))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        text = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(_ICON + text + 6 * SPACE, self.fontMetrics().height() + 2 * SPACE)

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
            painter.setPen(look.text_muted if self.chip.tone == "muted" else look.text)
            words = self.rect().adjusted(_ICON + 3 * SPACE, 0, 0, 0)
            painter.drawText(
                words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text()
            )
