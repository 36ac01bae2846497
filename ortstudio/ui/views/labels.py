"""A line of text that gives way: what does not fit is left out in the middle, never cut."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class ElidedLabel(QLabel):
    """A label of one line that may be narrower than its text; the tool tip gives the whole."""

    def minimumSizeHint(self) -> QSize:  # noqa: D102 - Qt calls it
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:  # noqa: D102, N802 - Qt's own name
        super().setText(text)
        self.setToolTip(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: D102 - Qt calls it
        with QPainter(self) as painter:
            place = self.contentsRect()
            text = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideMiddle, place.width()
            )
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(place, flags, text)
