"""Labels for what comes from a file: shown as it stands, never taken for markup."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ortstudio.ui.plain import one_line, tip

_LONG = re.compile(r"[\w.]{24}(?=[\w.])")
_MAY_BREAK = "\u200b"
"""Shows nothing, and lets a line end where it stands."""


class PlainLabel(QLabel):
    """Words that wrap, the longest name as well, and that can be selected and copied."""

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

    def setText(self, text: str) -> None:  # noqa: D102, N802 - Qt's own name
        shown = _LONG.sub(rf"\g<0>{_MAY_BREAK}", text)
        super().setText(shown)
        if shown != text and not self.actions():
            self._copy_what_is_read()

    def text(self) -> str:  # noqa: D102 - Qt's own name
        return super().text().replace(_MAY_BREAK, "")

    def _copy_what_is_read(self) -> None:
        """Qt's own copying would take the invisible along."""
        self.addAction("Copy").triggered.connect(self.copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102 - Qt calls it
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy what is selected, or all of it."""
        chosen = self.selectedText().replace(_MAY_BREAK, "")
        QGuiApplication.clipboard().setText(chosen or self.text())


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
