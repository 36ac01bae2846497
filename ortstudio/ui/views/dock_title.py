"""The title of a panel: a quiet line that it is dragged by, and a button that closes it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from ortstudio.ui import icons
from ortstudio.ui.theme import SPACE


class DockTitle(QWidget):
    """Stands in for Qt's own, whose buttons are drawn for light grounds only."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        close = QToolButton(self)
        close.setAutoRaise(True)
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The menu of panels is there for the keys.
        close.setToolTip("Close")
        close.setAccessibleName(f"Close {dock.windowTitle()}")
        close.clicked.connect(dock.close)
        icons.set_icon(close, "close")
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE, 0, SPACE, 0)
        row.addWidget(QLabel(dock.windowTitle(), self), 1)
        row.addWidget(close)
