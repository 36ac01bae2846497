# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The title of a section: a line with a chevron that folds what stands below it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ortstudio.ui import icons, theme
from ortstudio.ui.theme import SPACE

_CHEVRON = 16


class SectionTitle(QAbstractButton):
    """Checked means unfolded. One painted widget, since an inspector makes many at a time."""

    def __init__(self, title: str, count: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.set_count(count)
        self.setCheckable(True)
        self.setFont(theme.font(strong=True))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_count(self, count: str) -> None:
        """What stands at the right: how many there are, or another word."""
        self._count = count
        self.setAccessibleName(f"{self.text()}, {count}" if count else self.text())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height() + 3 * SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        with QPainter(self) as painter:
            row = self.rect().adjusted(0, 0, 0, -1)
            painter.fillRect(self.rect().adjusted(0, row.height(), 0, 0), look.hairline)
            if self.underMouse() or self.hasFocus():
                painter.fillRect(row, look.hover)
            chevron = icons.pixmap("collapse" if self.isChecked() else "expand", look.text_muted)
            painter.drawPixmap(QPointF(-SPACE / 2, (row.height() - _CHEVRON) / 2), chevron)
            small = theme.font(theme.SMALL)
            room = QFontMetrics(small).horizontalAdvance(self._count)
            middle = Qt.AlignmentFlag.AlignVCenter
            name = row.adjusted(_CHEVRON + SPACE // 2, 0, -room - 2 * SPACE, 0)
            text = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideMiddle, name.width()
            )
            painter.setPen(look.text)
            painter.drawText(name, middle | Qt.AlignmentFlag.AlignLeft, text)
            painter.setPen(look.text_muted)
            painter.setFont(small)
            end = row.adjusted(0, 0, -SPACE, 0)
            painter.drawText(end, middle | Qt.AlignmentFlag.AlignRight, self._count)
