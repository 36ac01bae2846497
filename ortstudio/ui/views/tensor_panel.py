"""The elements of a tensor: statistics, their distribution, and a table of them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ortstudio.analysis.words import size_text
from ortstudio.errors import StudioError
from ortstudio.format.source import Source
from ortstudio.model.elements import Elements, open_elements
from ortstudio.model.statistics import Histogram, Statistics, histogram, statistics
from ortstudio.model.tensor import Tensor
from ortstudio.model.types import DataType, data_type_text
from ortstudio.ui import theme
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.plots import HistogramPlot
from ortstudio.ui.views.tensor_view import TensorView

READ_UNASKED = 1 << 26
"""Tensors up to this many bytes are summed up at once; for larger ones there is a button."""

_TABLE_HEIGHT = 260


@dataclass(frozen=True, eq=False)
class _Summary:
    """What reading all elements found."""

    statistics: Statistics
    histogram: Histogram | None


class TensorPanel(QWidget):
    """Shows the elements at once and sums them up in another thread."""

    def __init__(self, source: Source, tensor: Tensor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self._tensor = tensor
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2 * theme.SPACE)
        self._note = PlainLabel(parent=self)
        self._column.addWidget(self._note)
        self._note.hide()
        self._tasks.run(
            lambda _task: open_elements(source, tensor), done=self._opened, failed=self._failed
        )

    def is_settled(self) -> bool:
        """Whether nothing is being read."""
        return self._tasks.is_idle()

    def _opened(self, elements: Elements) -> None:
        table = TensorView(self._tensor.dims, elements.window, self)
        table.setFixedHeight(table.sizeHint().height() + _TABLE_HEIGHT)
        self._column.addWidget(table)
        if self._tensor.size_bytes <= READ_UNASKED:
            self._sum_up(elements)
            return
        size = size_text(self._tensor.size_bytes)
        button = QPushButton(f"Read All {size} for Statistics", self)
        self._column.insertWidget(0, button)
        button.clicked.connect(button.hide)
        button.clicked.connect(lambda _checked=False: self._sum_up(elements))

    def _sum_up(self, elements: Elements) -> None:
        self._say("Reading…")

        def read(_task: Task) -> _Summary:
            found = statistics(elements)
            return _Summary(found, histogram(elements, found))

        self._tasks.run(read, done=self._show, failed=self._failed, lane="sum")

    def _show(self, summary: _Summary) -> None:
        self._say("")
        self._column.insertLayout(0, _grid(summary.statistics, self._tensor.data_type))
        found = summary.histogram
        # Of elements that are all the same a histogram says nothing new.
        if found is not None and summary.statistics.min != summary.statistics.max:
            plot = HistogramPlot(self)
            plot.show_bins(found.edges.tolist(), found.counts.tolist(), title=_kind(self._tensor))
            self._column.insertWidget(1, plot)

    def _failed(self, error: StudioError) -> None:
        self._say(str(error))

    def _say(self, text: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))


def _kind(tensor: Tensor) -> str:
    return f"value, {data_type_text(tensor.data_type)}"


def _grid(found: Statistics, data_type: int) -> QGridLayout:
    """Statistics in two columns of names and numbers, those that the type can have."""
    is_text, is_whole = data_type == DataType.STRING, isinstance(found.min, int)
    rows: list[tuple[str, int | float | None]] = [
        ("Smallest", found.min),
        ("Largest", found.max),
        ("Mean", found.mean),
        ("Deviation", found.std),
        ("Zeros", None if is_text else found.zeros),
        ("NaN", None if is_text or is_whole else found.nan),
        ("Infinite", None if is_text or is_whole else found.inf),
        ("Elements", found.count),
    ]
    grid = QGridLayout()
    grid.setHorizontalSpacing(3 * theme.SPACE)
    grid.setVerticalSpacing(theme.SPACE)
    shown = [(name, value) for name, value in rows if value is not None]
    for place, (name, value) in enumerate(shown):
        line, side = place // 2, 2 * (place % 2)
        label = QLabel(name)
        label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
        number = QLabel(f"{value:,}" if isinstance(value, int) else f"{value:.6g}")
        number.setFont(theme.mono())
        number.setAlignment(Qt.AlignmentFlag.AlignRight)
        number.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(label, line, side)
        grid.addWidget(number, line, side + 1)
    grid.setColumnStretch(1, 1)
    grid.setColumnStretch(3, 1)
    return grid
