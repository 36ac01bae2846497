"""Sizes that a model leaves open and ranges of its integers: what to verify with, what to fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.inputs import SIZES
from ortstudio.services.questions import Questions
from ortstudio.ui import theme
from ortstudio.ui.offer.fields import NumberBox
from ortstudio.ui.plain import tip
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

MOST_ROWS = 40
"""Sizes or inputs that get a row; a model with more is better described on the command line."""
_GREATEST = 2**31 - 1
_UNASKED = -1


class OpenSizes(QWidget):
    """A row for each symbol, one for each input that may be indices."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._verify: dict[str, NumberBox] = {}
        self._fix: dict[str, NumberBox] = {}
        self.ranges: dict[str, tuple[NumberBox, NumberBox]] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3 * SPACE)

    def ask(self, questions: Questions) -> None:
        """Show rows for these; what was said of others is forgotten."""
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._verify, self._fix, self.ranges = {}, {}, {}
        if questions.sizes:
            self._add_sizes(questions)
        if questions.indices:
            self._add_ranges(questions)

    def _add_sizes(self, questions: Questions) -> None:
        rows = _Rows("Size", "Verify with", "Fix to")
        first = ", then ".join(map(str, SIZES[:2]))
        for size in questions.sizes[:MOST_ROWS]:
            tried = self._verify[size.name] = self._number("Proposed")
            fixed = self._fix[size.name] = self._number("Open", least=0)
            rows.add(size.name, "\n".join((size.name, *size.places)), tried, fixed)
        self._column.addWidget(rows)
        self._say(
            f"One value goes wherever the size appears. Proposed: {first} and greater ones until"
            " the model accepts. A fixed size is a number in the result, which accelerators need."
        )

    def _add_ranges(self, questions: Questions) -> None:
        rows = _Rows("Input of integers", "From", "To")
        for index in questions.indices[:MOST_ROWS]:
            low = self._number("Proposed")
            high = self._number("Proposed")
            self.ranges[index.name] = low, high
            rows.add(index.name, f"{index.name}\n{index.type_text}", low, high)
        self._column.addWidget(rows)
        self._say("Indices must stay below what they index. Proposed: 0 to 9, else 0 to 1.")

    def _say(self, text: str) -> None:
        self._column.addWidget(PlainLabel(text, muted=True))

    def _number(self, unasked: str, least: int = _UNASKED) -> NumberBox:
        """A box that has no number at first; `least` is what says that it has none."""
        box = NumberBox(least, _GREATEST, unasked)
        box.valueChanged.connect(lambda _value: self.changed.emit())
        return box

    def applied(self, settings: ConvertSettings) -> ConvertSettings:
        """The settings with what is chosen here."""
        ranges = {
            name: (float(max(0, low.value())), float(high.value()))
            for name, (low, high) in self.ranges.items()
            if high.value() != _UNASKED and high.value() >= low.value()
        }
        inputs = replace(settings.inputs, dims=_chosen(self._verify), ranges=ranges)
        return replace(settings, fixed_dims=_chosen(self._fix), inputs=inputs)

    def show_settings(self, settings: ConvertSettings) -> None:
        """Choose as these settings say, as far as there are rows for it."""
        for boxes, values in (
            (self._verify, settings.inputs.dims),
            (self._fix, settings.fixed_dims),
        ):
            for name, box in boxes.items():
                box.setValue(values.get(name, box.minimum()))
        for name, (low, high) in self.ranges.items():
            bounds = settings.inputs.ranges.get(name, (_UNASKED, _UNASKED))
            low.setValue(int(bounds[0]))
            high.setValue(int(bounds[1]))


def _chosen(boxes: Mapping[str, NumberBox]) -> dict[str, int]:
    return {name: box.value() for name, box in boxes.items() if box.value() != box.minimum()}


class _Rows(QWidget):
    """A name, and two fields for each."""

    def __init__(self, *titles: str) -> None:
        super().__init__()
        self._titles = titles
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * SPACE)
        self._grid.setVerticalSpacing(SPACE)
        self._grid.setColumnStretch(0, 1)
        for column, title in enumerate(titles):
            label = QLabel(title)
            label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
            self._grid.addWidget(label, 0, column)

    def add(self, name: str, words: str, *fields: QWidget) -> None:
        row = self._grid.rowCount()
        label = ElidedLabel()
        label.setFont(theme.mono())
        label.setText(name)
        label.setToolTip(tip(words))
        label.setMinimumWidth(16 * SPACE)
        self._grid.addWidget(label, row, 0)
        for column, field in enumerate(fields, 1):
            field.setAccessibleName(f"{name}: {self._titles[column].lower()}")
            self._grid.addWidget(field, row, column)
