# ruff: noqa: D102 - Qt calls most of these methods, and documents them
"""Elements of a tensor as a table model that reads only what is looked at."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from numbers import Complex, Integral
from typing import Protocol

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, QTimer, Signal

from ortstudio.errors import StudioError
from ortstudio.ui import theme
from ortstudio.ui.items import NOWHERE, RIGHT, Index
from ortstudio.ui.plain import shortened, tip
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.views.facts import LONGEST
from ortstudio.ui.views.tensor_grid import Grid


class Run(Protocol):
    """Some elements in a row; a numpy array is one."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> object: ...
    def __iter__(self) -> Iterator[object]: ...


Window = Callable[[int, int], Run]
"""Elements from one place to another in row-major order. It may read: it is asked off the UI
thread."""

BLOCK = 1024
"""Elements read at a time: a screen is a few dozen blocks, wherever it is."""
KEPT_BLOCKS = 512


def element_text(value: object) -> str:
    """An element in a cell: six digits of a float, a string in quotes, the rest as it is."""
    if isinstance(value, str):
        return repr(shortened(value, LONGEST))
    if isinstance(value, Complex) and not isinstance(value, Integral):
        return f"{value:.6g}"
    return str(value)


class TensorModel(QAbstractTableModel):
    """One matrix of a tensor. A cell whose block is still being read shows an ellipsis."""

    failed = Signal(object)
    """A `StudioError`: elements could not be read, and their cells stay empty."""

    def __init__(self, grid: Grid, window: Window, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grid = grid
        self._window = window
        self._tasks = Tasks(self)
        self._blocks: OrderedDict[int, Run] = OrderedDict()
        self._wanted: set[int] = set()
        self._asked: set[int] = set()
        self._mono = theme.mono()
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read)

    @property
    def grid(self) -> Grid:
        """How the tensor lies in the table."""
        return self._grid

    def show(self, grid: Grid) -> None:
        """Lay another matrix of the same tensor out."""
        self.beginResetModel()
        self._grid = grid
        self.endResetModel()

    def element(self, index: Index) -> int | None:
        """Place of a cell's element in row-major order; None past the last one."""
        element = self._grid.element(index.row(), index.column())
        return element if element < self._grid.count else None

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._grid.rows

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._grid.columns

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if not self._grid.flat:
            return str(section)
        if orientation == Qt.Orientation.Horizontal:
            return f"+{section}"
        return str(section * self._grid.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return self._mono
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        element = self.element(index)
        if element is None:
            return None
        block = self._block(element // BLOCK)
        if block is None:
            return "…"
        if element % BLOCK >= len(block):
            return None
        value = block[element % BLOCK]
        if role == Qt.ItemDataRole.DisplayRole:
            return element_text(value)
        return tip(f"[{', '.join(map(str, self._grid.index(element)))}] = {value}")

    def _block(self, number: int) -> Run | None:
        block = self._blocks.get(number)
        if block is not None:
            self._blocks.move_to_end(number)
        elif number not in self._asked:
            self._wanted.add(number)
            self._soon.start()
        return block

    def _read(self) -> None:
        """Read what cells have asked for since the last time, in one go."""
        numbers, window = sorted(self._wanted), self._window
        self._asked |= self._wanted
        self._wanted.clear()

        def read(_task: Task) -> dict[int, Run]:
            return {number: window(number * BLOCK, (number + 1) * BLOCK) for number in numbers}

        def failed(error: StudioError) -> None:
            self._keep(dict.fromkeys(numbers, ()))
            self.failed.emit(error)

        self._tasks.run(read, done=self._keep, failed=failed)

    def _keep(self, blocks: dict[int, Run]) -> None:
        self._asked -= blocks.keys()
        self._blocks |= blocks
        while len(self._blocks) > max(KEPT_BLOCKS, len(blocks)):
            self._blocks.popitem(last=False)
        end = self.index(self._grid.rows - 1, self._grid.columns - 1)
        self.dataChanged.emit(self.index(0, 0), end, [Qt.ItemDataRole.DisplayRole])
