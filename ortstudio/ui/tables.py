# ruff: noqa: D102 - Qt calls most of these methods, and documents them
"""A read-only table model over immutable rows, for every list of the window.

A concrete use supplies columns and rows; the model knows nothing of what they mean. Sorting and
filtering happen here in Python lists: a proxy model asks for every cell through Qt, which is fifty
times slower at 50 000 rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from ortstudio.ui import theme
from ortstudio.ui.items import NOWHERE, RIGHT, Index, RefRole, cell_text
from ortstudio.ui.plain import one_line, tip

Row = TypeVar("Row")

_DIGITS = re.compile(r"[0-9]+")


def natural_key(text: str) -> str:
    """Sorting by this puts `Conv_2` before `Conv_10`, whatever the case."""
    return _DIGITS.sub(lambda digits: digits[0].zfill(20), text.casefold())


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column of a table: what it is called and what it says of a row.

    `cell` gives the value that is sorted and copied, `text` how it reads. A column is `numeric` by
    declaration: right-aligned, and the filter does not search it. None sorts last. `decoration`
    is an icon or a pixmap before the text.
    """

    title: str
    cell: Callable[[Row], object]
    text: Callable[[object], str] = cell_text
    numeric: bool = False
    mono: bool = False
    tip: Callable[[Row], str] | None = None
    decoration: Callable[[Row], object] | None = None


class TableModel(QAbstractTableModel, Generic[Row]):
    """A table over rows that may be any values; sorts and filters in place."""

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        rows: Sequence[Row] = (),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self._mono = theme.mono()
        self._numbers = theme.font()
        self._order_by = (-1, Qt.SortOrder.AscendingOrder)
        self._words: list[str] = []
        self._searched: list[str] | None = None
        self._places: dict[int, int] | None = None
        self._order: list[int] = []
        self._take(rows)

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, whatever the order and the filter."""
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows, in the same order and under the same filter."""
        self.beginResetModel()
        self._take(rows)
        self.endResetModel()

    def update_rows(self, rows: Sequence[Row]) -> None:
        """Show what became of the same rows. Where no other ones match, the selection stays."""
        self._rows, self._searched, self._places = rows, None, None
        order = self._sorted(self._matching())
        if sorted(order) != sorted(self._order):
            self.beginResetModel()
            self._order = order
            self.endResetModel()
        elif order:
            self._arrange(order)
            last = self.index(len(order) - 1, len(self._columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def set_filter(self, text: str) -> None:
        """Show only the rows whose text columns hold every word, whatever the case."""
        words = text.casefold().split()
        if words == self._words:
            return
        self.beginResetModel()
        self._words = words
        self._order = self._sorted(self._matching())
        self._places = None
        self.endResetModel()

    def row(self, index: Index) -> Row:
        """The value that a row of the view stands for."""
        return self._rows[self._order[index.row()]]

    def find(self, row: Row) -> QModelIndex:
        """Where this very row stands; invalid where it is none of the rows that are shown."""
        if self._places is None:
            self._places = {id(self._rows[n]): place for place, n in enumerate(self._order)}
        place = self._places.get(id(row))
        return QModelIndex() if place is None else self.index(place, 0)

    def copied(self, index: Index) -> list[str]:
        """The cells of the row as text to copy: numbers without separators."""
        row = self.row(index)
        cells = (column.cell(row) for column in self._columns)
        return ["" if cell is None else str(cell) for cell in cells]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            return RIGHT if self._columns[section].numeric else left
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        column, row = self._columns[index.column()], self.row(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(column.text(column.cell(row)))
        if role == Qt.ItemDataRole.EditRole:
            return column.cell(row)
        if role == RefRole:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(column.tip(row)) if column.tip else None
        if role == Qt.ItemDataRole.DecorationRole:
            return column.decoration(row) if column.decoration else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.numeric else None
        if role == Qt.ItemDataRole.FontRole:
            return self._mono if column.mono else self._numbers
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or by none (-1) back to the order the rows came in."""
        self._order_by = (column, order)
        self._arrange(self._sorted(sorted(self._order)))

    def _arrange(self, order: list[int]) -> None:
        """Show the same rows in another order; what is selected goes along."""
        if order == self._order:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        numbers = [self._order[index.row()] for index in before]
        self._order = order
        self._places = None
        places = {number: place for place, number in enumerate(order)}
        self.changePersistentIndexList(
            before,
            [
                self.index(places[number], index.column())
                for number, index in zip(numbers, before, strict=True)
            ],
        )
        self.layoutChanged.emit()

    def _take(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._searched = None
        self._order = self._sorted(self._matching())
        self._places = None

    def _matching(self) -> list[int]:
        if not self._words:
            return list(range(len(self._rows)))
        if self._searched is None:
            self._searched = [self._search_text(row) for row in self._rows]
        found = list(range(len(self._rows)))
        for word in self._words:
            found = [number for number in found if word in self._searched[number]]
        return found

    def _search_text(self, row: Row) -> str:
        texts = (c.text(c.cell(row)) for c in self._columns if not c.numeric)
        return "\n".join(texts).casefold()

    def _sorted(self, numbers: list[int]) -> list[int]:
        section, order = self._order_by
        if section < 0:
            return numbers
        cell = self._columns[section].cell
        values = {number: cell(self._rows[number]) for number in numbers}
        known = {n: key for n, value in values.items() if (key := _sort_key(value))}
        backwards = order == Qt.SortOrder.DescendingOrder
        ordered = sorted(known, key=known.__getitem__, reverse=backwards)
        return ordered + [number for number in numbers if number not in known]


def _sort_key(value: object) -> tuple[bool, float, str] | None:
    """Numbers before texts; None for what has no place in an order and goes last."""
    if isinstance(value, (int, float)):
        return None if math.isnan(value) else (False, value, "")
    return None if value is None else (True, 0, natural_key(str(value)))
