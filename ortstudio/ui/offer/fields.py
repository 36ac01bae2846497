# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The fields of the offer: one of several, a switch, a folder or file, each with its effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ortstudio.ui import icons
from ortstudio.ui.offer.choices import Choice, Value
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

_NARROWEST = 8
"""Characters of a list of choices that is as narrow as can be."""


class NumberBox(QSpinBox):
    """A whole number. The wheel scrolls the page unless the keyboard is here."""

    def __init__(self, least: int, most: int, of_least: str = "") -> None:
        """`of_least` is what the least number means, where it is none."""
        super().__init__()
        self.setRange(least, most)
        self.setSpecialValueText(of_least)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ComboBox(QComboBox):
    """A list of choices that may be narrower than what is in it; the wheel scrolls the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_NARROWEST)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class ChoiceField(ComboBox, Generic[Value]):
    """One of several, and below it what it does."""

    chosen = Signal()

    def __init__(self, choices: Sequence[Choice[Value]]) -> None:
        super().__init__()
        self._choices = choices
        self._here: Mapping[Value, str] = {}
        self.effect, self._told = PlainLabel(muted=True), PlainLabel()
        self.below = QWidget()
        column = QVBoxLayout(self.below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addWidget(self.effect)
        column.addWidget(self._told)
        self.addItems([choice.name for choice in choices])
        self._say()
        self.currentIndexChanged.connect(self._changed)

    def add_to(self, rows: Rows, name: str) -> None:
        """Stand in a row, the effect below."""
        rows.add(name, self, self.below)

    @property
    def value(self) -> Value:
        """What is chosen."""
        return self._choices[self.currentIndex()].value

    def choose(self, value: Value) -> None:
        """Choose it, if it is one of them."""
        for place, choice in enumerate(self._choices):
            if choice.value == value:
                self.setCurrentIndex(place)

    def say_here(self, texts: Mapping[Value, str], measures: Mapping[Value, str]) -> None:
        """What choices do to the model at hand, below them; how large that is, beside each name."""
        self._here = texts
        for place, choice in enumerate(self._choices):
            measure = measures.get(choice.value)
            self.setItemText(place, f"{choice.name}: {measure}" if measure else choice.name)
        self._say()

    def _changed(self, _place: int) -> None:
        self._say()
        self.chosen.emit()

    def _say(self) -> None:
        choice = self._choices[self.currentIndex()]
        told = self._here.get(choice.value, "")
        self.effect.setText(choice.effect)
        self._told.setText(told)
        self._told.setVisible(bool(told))


class Switch(QWidget):
    """A box to tick, and below it what that does."""

    chosen = Signal()

    def __init__(self, text: str, effect: str = "", *, on: bool = False) -> None:
        super().__init__()
        self.box = QCheckBox(text)
        self.box.setChecked(on)
        self.effect = PlainLabel(effect, muted=True)
        style = self.style()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
        indent += style.pixelMetric(QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
        self.effect.setContentsMargins(indent, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addWidget(self.box)
        column.addWidget(self.effect)
        self.effect.setVisible(bool(effect))
        self.box.toggled.connect(lambda _on: self.chosen.emit())

    @property
    def on(self) -> bool:
        """Whether it is ticked."""
        return self.box.isChecked()

    def turn(self, on: bool) -> None:
        """Tick it, or not."""
        self.box.setChecked(on)


class PathField(QWidget):
    """A file or folder, or none: where that is and a way to choose another."""

    chosen = Signal()

    def __init__(self, none: str, pattern: str = "") -> None:
        """`none` says what it means that there is none; without a pattern it is a folder."""
        super().__init__()
        self._none = none
        self._pattern = pattern
        self.path: str | None = None
        self._said = ElidedLabel()
        self.choose_button = QPushButton()
        self.choose_button.setToolTip("Choose…")
        icons.set_icon(self.choose_button, "folder" if not pattern else "file")
        self.forget_button = QToolButton()
        self.forget_button.setAutoRaise(True)
        self.forget_button.setToolTip(none)
        self.forget_button.setAccessibleName(none)
        icons.set_icon(self.forget_button, "close")
        self.choose_button.clicked.connect(self._ask)
        self.forget_button.clicked.connect(lambda: self.choose(None))
        self.setFocusProxy(self.choose_button)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        row.addWidget(self._said, 1)
        row.addWidget(self.forget_button)
        row.addWidget(self.choose_button)
        self.choose(None)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802 - Qt's own name
        """The button that chooses is what gets the keyboard."""
        super().setAccessibleName(name)
        self.choose_button.setAccessibleName(f"Choose: {name}")

    def choose(self, path: str | None) -> None:
        """Take a path, or none."""
        changed = path != self.path
        self.path = path
        self._said.setText(path or self._none)
        self.forget_button.setVisible(path is not None)
        if changed:
            self.chosen.emit()

    def _ask(self) -> None:
        found = ask_path(self, self.path or "", self._pattern)
        if found:
            self.choose(found)


def ask_path(parent: QWidget, before: str, pattern: str) -> str:
    """Have a folder chosen, or a file that fits the pattern; empty where nobody wants to."""
    if not pattern:
        return QFileDialog.getExistingDirectory(parent, "Choose a folder", before)
    folder = str(Path(before).parent) if before else ""
    return QFileDialog.getOpenFileName(parent, "Choose a file", folder, pattern)[0]
