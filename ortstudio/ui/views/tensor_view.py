"""A table of a tensor's elements: any size, any rank, read as it is looked at."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import QItemSelectionRange
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ortstudio.errors import StudioError
from ortstudio.ui import theme
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.tensor_grid import Grid, example, grid
from ortstudio.ui.views.tensor_model import TensorModel, Window

MOST_COPIED = 1_000_000
_WIDEST = 14
_NARROWEST = 4
"""Characters of a column; a longer element is whole in its tool tip."""
_LARGEST_SPIN = (1 << 31) - 1


class TensorView(QWidget):
    """The last two axes as a table, a spin box for each axis before them, and a way to an index."""

    def __init__(
        self, dims: tuple[int, ...], window: Window, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._tasks = Tasks(self)
        self.model = TensorModel(grid(dims), window, self)
        self.table = _Table(self)
        self.table.setModel(self.model)
        self._note = PlainLabel()
        self._note.hide()
        self._spins = [self._spin(axis, size) for axis, size in enumerate(self._grid.leading_dims)]
        self._goto = QLineEdit()
        self._goto.setPlaceholderText(f"Go to index, such as {example(dims)}")
        self._goto.setAccessibleName("Go to index")
        self._goto.returnPressed.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(self._axes())
        layout.addWidget(self._goto)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._note)
        self._goto.setVisible(self._grid.count > 1)
        self.table.setVisible(self._grid.count > 0)
        if not self._grid.count:
            self._say("No elements", QPalette.ColorRole.PlaceholderText)
        self.model.failed.connect(self._failed)
        self.model.dataChanged.connect(self._set_width)

    def select(self, *index: int) -> None:
        """Show and select an element, one index for each axis. Raises ValueError in words."""
        leading, row, column = self._grid.cell(index)
        for spin, at in zip(self._spins, leading, strict=True):
            spin.setValue(at)
        cell = self.model.index(row, column)
        self.table.setCurrentIndex(cell)
        self.table.scrollTo(cell, QAbstractItemView.ScrollHint.PositionAtCenter)

    def copy(self) -> None:
        """Put the selected elements, all their digits, on the clipboard when they are read."""
        ranges = self.table.selectionModel().selection().toList()
        if not ranges:
            return
        chosen = ranges[0]
        if chosen.width() * chosen.height() > MOST_COPIED:
            self._say(f"At most {MOST_COPIED:,} elements are copied at a time")
            return
        read = _Copied(self._grid, self._window, chosen)
        clipboard = QGuiApplication.clipboard()
        self._tasks.run(read, done=clipboard.setText, failed=self._failed, lane="copy")

    @property
    def _grid(self) -> Grid:
        return self.model.grid

    def _spin(self, axis: int, size: int) -> QSpinBox:
        spin = QSpinBox()
        spin.setRange(0, min(size - 1, _LARGEST_SPIN))
        spin.setWrapping(True)
        spin.setSuffix(f" of {size:,}")
        spin.setAccessibleName(f"Index on axis {axis}")
        spin.valueChanged.connect(self._slice)
        return spin

    def _axes(self) -> QGridLayout:
        axes = QGridLayout()
        axes.setHorizontalSpacing(2 * SPACE)
        axes.setColumnStretch(1, 1)
        for axis, spin in enumerate(self._spins):
            label = QLabel(f"Axis {axis}")
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            axes.addWidget(label, axis, 0)
            axes.addWidget(spin, axis, 1)
        return axes

    def _slice(self) -> None:
        leading = tuple(spin.value() for spin in self._spins)
        self.model.show(replace(self._grid, leading=leading))

    def _go(self) -> None:
        try:
            self.select(*map(int, re.findall(r"-?[0-9]+", self._goto.text())))
        except ValueError as error:
            self._say(str(error))
        else:
            self._say("")
            self.table.setFocus()

    def _failed(self, error: StudioError) -> None:
        self._say(str(error))

    def _say(self, text: str, role: QPalette.ColorRole = QPalette.ColorRole.BrightText) -> None:
        """Put words under the table, in the colour of errors unless said otherwise."""
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._note.setForegroundRole(role)

    def _set_width(self) -> None:
        """Make columns as wide as the elements that came first."""
        self.model.dataChanged.disconnect(self._set_width)
        rows, columns = min(32, self._grid.rows), min(32, self._grid.columns)
        cells = (self.model.index(row, column) for row in range(rows) for column in range(columns))
        widest = max((len(cell.data() or "") for cell in cells), default=0)
        self.table.set_characters(min(max(widest, _NARROWEST), _WIDEST))


class _Copied:
    """Reads a rectangle of elements as tab-separated lines."""

    def __init__(self, laid: Grid, window: Window, chosen: QItemSelectionRange) -> None:
        self._grid = laid
        self._window = window
        self._rows = range(chosen.top(), chosen.bottom() + 1)
        self._columns = chosen.left(), chosen.right()

    def __call__(self, task: Task) -> str:
        lines: list[str] = []
        for row in self._rows:
            if task.cancelled():
                raise InterruptedError
            first, last = (self._grid.element(row, column) for column in self._columns)
            elements = self._window(first, min(last + 1, self._grid.count))
            lines.append("\t".join(map(str, elements)))
        return "\n".join(lines)


class _Table(QTableView):
    def __init__(self, view: TensorView) -> None:
        super().__init__(view)
        self._copy = view.copy
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMinimumHeight(40 * SPACE)
        self.set_characters(_WIDEST)
        small = theme.font(theme.SMALL)
        metrics = QFontMetrics(theme.mono())
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(True)
            header.setFont(small)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + SPACE)

    def set_characters(self, characters: int) -> None:
        """Make each column wide enough for so many, and keep the current cell in view."""
        advance = QFontMetrics(theme.mono()).horizontalAdvance("0")
        self.horizontalHeader().setDefaultSectionSize(advance * characters + 4 * SPACE)
        self.updateGeometries()  # Otherwise the scroll bars learn of it only later.
        self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)
