"""Labels for what comes from a file: shown as it stands, never taken for markup."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ortstudio.ui.plain import one_line, tip


class PlainLabel(QLabel):
    """Words that wrap, and that can be selected and copied."""

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, muted: bool = False
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if muted:
            self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setText(text)


class ElidedLabel(QLabel):
    """A line that may be narrower than its text: what does not fit is left out in the middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:  # noqa: D102 - Qt calls it
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:  # noqa: D102, N802 - Qt's own name
        super().setText(one_line(text))
        self.setToolTip(tip(text))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: D102 - Qt calls it
        with QPainter(self) as painter:
            place = self.contentsRect()
            text = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideMiddle, place.width()
            )
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(place, self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)
