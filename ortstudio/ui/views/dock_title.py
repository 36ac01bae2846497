"""The title of a panel: a quiet line that it is dragged by, and a button that closes it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from ortstudio.ui import icons
from ortstudio.ui.theme import SPACE


class ToolPage(QWidget):
    """A page whose tools stand in the title of its panel, where they cost no line of their own."""

    tools: QWidget


class DockTitle(QWidget):
    """Stands in for Qt's own, whose buttons are drawn for light grounds only."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._name = QLabel(dock.windowTitle(), self)
        close = QToolButton(self)
        close.setAutoRaise(True)
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The menu of panels is there for the keys.
        close.setToolTip("Close")
        close.setAccessibleName(f"Close {dock.windowTitle()}")
        close.clicked.connect(dock.close)
        icons.set_icon(close, "close")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(3 * SPACE, 0, SPACE, 0)
        self._row.setSpacing(3 * SPACE)
        self._row.addWidget(self._name)
        self._row.addStretch(1)
        self._row.addWidget(close)

    def show_name(self, shown: bool) -> None:
        """Say what the panel is called, or leave that to its tab."""
        self._name.setVisible(shown)

    def take(self, tools: QWidget) -> None:
        """Show the tools of a page beside its name."""
        self._row.setStretch(1, 0)
        self._row.insertWidget(1, tools, 1)
