# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""A field in which several of a few things can be chosen, and one always is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from ortstudio.ui.plain import one_line
from ortstudio.ui.theme import SPACE

Value = TypeVar("Value")
_NARROWEST = 20 * SPACE
_LONGEST = 100
"""Characters of a line in the menu."""


class Several(QPushButton, Generic[Value]):
    """Names what is chosen; its menu stays open while things are ticked in it."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[QAction, Value] = {}
        self._menu = _Menu(self)
        self.setMenu(self._menu)
        self.setStyleSheet("text-align: left; padding-left: 7px;")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def offer(self, values: Mapping[Value, str], first: Value) -> None:
        """What there is to choose from, by name. What was chosen before stays, or else `first`."""
        if self._values and list(self._values.values()) == list(values):
            return
        before = self.values
        self._menu.clear()
        self._values.clear()
        for value, name in values.items():
            action = self._menu.addAction(one_line(name, _LONGEST).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(value in before)
            action.toggled.connect(lambda on, one=action: self._toggled(one, on))
            self._values[action] = value
        if not self.values:
            self.choose((first,))
        self._say()

    @property
    def values(self) -> tuple[Value, ...]:
        """What is chosen, in the order of the menu."""
        return tuple(value for action, value in self._values.items() if action.isChecked())

    def choose(self, values: tuple[Value, ...]) -> None:
        """Choose these and nothing else."""
        # Ticked first: the last one that is on does not go off.
        for on in (True, False):
            for action, value in self._values.items():
                if (value in values) is on:
                    action.setChecked(on)

    def _toggled(self, action: QAction, on: bool) -> None:
        if not on and not self.values:
            action.setChecked(True)
            return
        self._say()
        self.chosen.emit()

    def _say(self) -> None:
        names = [action.text().replace("&&", "&") for action in self._values if action.isChecked()]
        words = ", ".join(names)
        self.setToolTip("\n".join(names))
        metrics, room = self.fontMetrics(), max(self.width() - 8 * SPACE, _NARROWEST)
        text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
        self.setText(text.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say()

    def sizeHint(self) -> QSize:
        """As narrow as can be, whatever is chosen: its names are cut to the room there is."""
        return QSize(_NARROWEST, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class _Menu(QMenu):
    """Closes by a click beside it, not by one on a thing that is ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = cast("QAction | None", self.actionAt(event.position().toPoint()))
        if action is not None and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)
