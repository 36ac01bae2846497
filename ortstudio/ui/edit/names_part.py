"""New names of inputs and outputs, and numbers for symbolic sizes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from ortstudio.analysis.words import count
from ortstudio.model.model import Model
from ortstudio.ui import theme
from ortstudio.ui.edit.grid import Grid
from ortstudio.ui.plain import tip
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

MOST_ROWS = 60
"""A model with more inputs, outputs or sizes is better edited on the command line."""
_GREATEST = 2**31 - 1
_OPEN = -1


class NamesPart(QWidget):
    """A row for each input and output; its name is what can be written over."""

    changed = Signal()

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.inputs, self.outputs = dict[str, QLineEdit](), dict[str, QLineEdit]()
        grid = Grid("", "Name", "Type", wide=1)
        grid.stretch(2, 2)
        graph = model.main
        for side, ids, fields in (
            ("Input", graph.inputs.tolist(), self.inputs),
            ("Output", graph.outputs.tolist(), self.outputs),
        ):
            for i in ids[:MOST_ROWS]:
                name = graph.values.names[i]
                field = fields[name] = QLineEdit(name)
                field.setFont(theme.mono())
                field.setAccessibleName(f"New name of the {side.lower()} {name}")
                field.setMinimumWidth(24 * SPACE)
                field.textChanged.connect(lambda _text: self.changed.emit())
                grid.add(QLabel(side), field, _type_label(str(graph.values.types[i] or "")))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(grid)
        column.addWidget(PlainLabel("Nodes and subgraphs that use a name follow.", muted=True))
        if max(len(graph.inputs), len(graph.outputs)) > MOST_ROWS:
            column.addWidget(PlainLabel(_MORE, muted=True))

    @property
    def renamed(self) -> tuple[dict[str, str], dict[str, str]]:
        """Old → new of inputs and of outputs."""
        return _changed(self.inputs), _changed(self.outputs)


_MORE = "There are more than are shown: use the command line for these."


def _changed(fields: Mapping[str, QLineEdit]) -> dict[str, str]:
    return {old: field.text() for old, field in fields.items() if field.text() != old}


def _type_label(text: str) -> ElidedLabel:
    label = ElidedLabel()
    label.setFont(theme.mono())
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    label.setText(text)
    return label


class SizesPart(QWidget):
    """A row for each symbolic size, and a number that may take its place."""

    changed = Signal()

    def __init__(self, found: Mapping[str, int]) -> None:
        super().__init__()
        self.fields: dict[str, QSpinBox] = {}
        grid = Grid("Size", "Fix to", wide=0)
        for symbol, places in list(found.items())[:MOST_ROWS]:
            box = self.fields[symbol] = QSpinBox()
            box.setRange(_OPEN, _GREATEST)
            box.setSpecialValueText("Open")
            box.setValue(_OPEN)
            box.setKeyboardTracking(False)
            box.setAccessibleName(f"Fix {symbol} to")
            box.valueChanged.connect(lambda _value: self.changed.emit())
            label = ElidedLabel()
            label.setFont(theme.mono())
            label.setText(symbol)
            label.setToolTip(tip(f"{symbol}\nin {count(places, 'place')}"))
            grid.add(label, box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(grid)
        text = "A number in the place of a size that was open. It holds wherever the size stands."
        column.addWidget(PlainLabel(text, muted=True))
        if len(found) > MOST_ROWS:
            column.addWidget(PlainLabel(_MORE, muted=True))

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers by symbol."""
        return {name: box.value() for name, box in self.fields.items() if box.value() != _OPEN}
