# ruff: noqa: D102 - Qt calls most of these methods, and documents them
"""A read-only tree model over immutable rows, for every tree of the window.

A concrete use supplies plain values; the model knows nothing of what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from ortstudio.ui import icons, theme
from ortstudio.ui.plain import one_line, tip

Index = QModelIndex | QPersistentModelIndex

RefRole = Qt.ItemDataRole.UserRole + 1
"""Role under which an index gives what its row stands for: `Item.ref`, or the row of a table."""

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
NOWHERE = QModelIndex()
"""The parent of top rows."""


def cell_text(value: object) -> str:
    """How a value reads in a cell: thousands separated, floats short, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


Holds = Callable[[object], "int | None"]


@dataclass(frozen=True, slots=True)
class Item:
    """One row of a tree.

    `count` stands at the right. `children` are the rows below, or a function that finds them when
    they are first shown; None for a leaf. `holds` tells which of them is something with a `ref`,
    or holds it, or None where none does. `icon` names a file of `resources/icons`. A `heading` is
    our own word over what it holds, and no filter looks for it.
    """

    text: str
    count: int | str | None = None
    ref: object = None
    children: Sequence[Item] | Callable[[], Sequence[Item]] | None = None
    icon: str = ""
    tip: str = ""
    mono: bool = False
    muted: bool = False
    heading: bool = False
    holds: Holds | None = None

    def below(self) -> Sequence[Item]:
        """The children, found now if they were not yet."""
        if self.children is None:
            return ()
        return self.children() if callable(self.children) else self.children

    def may_have_children(self) -> bool:
        """True for children not yet found, too."""
        return callable(self.children) or bool(self.children)


class Rows(Sequence[Item]):
    """Rows made when they are shown, for lists of any length.

    `parents` are the row numbers that may have children: a view asks that of every row of a list
    that it opens, and the rest need not be made to answer.
    """

    def __init__(
        self, length: int, make: Callable[[int], Item], parents: Collection[int] = ()
    ) -> None:
        self._length = length
        self._make = make
        self._parents = frozenset(parents)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self._make(row) for row in range(self._length)[index]]
        return self._make(range(self._length)[index])

    def may_have_children(self, row: int) -> bool:
        """As `Item.may_have_children`, without making the item unless it may."""
        return row in self._parents and self._make(row).may_have_children()


def row_of(items: Iterable[Item], ref: object) -> int | None:
    """Which of these items has this `ref`, or holds it."""
    for row, item in enumerate(items):
        if item.ref == ref or (item.holds is not None and item.holds(ref) is not None):
            return row
    return None


def way_to(item: Item, ref: object) -> list[int]:
    """The row numbers that lead from an item down to the one of `ref`; none where there is none."""
    way: list[int] = []
    while item.ref != ref:
        row = item.holds(ref) if item.holds else None
        if row is None:
            return []
        way.append(row)
        item = item.below()[row]
    return way


def filtered(items: Iterable[Item], text: str) -> list[Item]:
    """The items that hold every word of `text`, with what leads to them and all that is below."""
    words = text.casefold().split()
    return [kept for item in items if (kept := _kept(item, words))]


def _kept(item: Item, words: Sequence[str]) -> Item | None:
    if not item.heading and all(word in item.text.casefold() for word in words):
        return item
    below = [kept for child in item.below() if (kept := _kept(child, words))]
    return replace(item, children=below, holds=None) if below else None


@dataclass(slots=True)
class _Branch:
    """Rows that have been opened, and where they hang; an index carries its branch's number."""

    parent: int
    row: int
    items: Sequence[Item]
    branches: dict[int, int] = field(default_factory=dict)


class TreeModel(QAbstractItemModel):
    """A tree of `Item`; two columns, the text and the count.

    Children are found when a row is first opened, and only rows that were opened cost memory.
    """

    def __init__(self, items: Sequence[Item] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._branches = [_Branch(0, 0, items)]
        self._mono = theme.mono()
        self._small = theme.font(theme.SMALL)

    def set_items(self, items: Sequence[Item]) -> None:
        """Show another tree."""
        self.beginResetModel()
        self._branches = [_Branch(0, 0, items)]
        self.endResetModel()

    def item(self, index: Index) -> Item:
        """The row's value."""
        return self._branches[index.internalId()].items[index.row()]

    def copied(self, index: Index) -> list[str]:
        """The cells of the row as text to copy."""
        item = self.item(index)
        return [item.text, "" if item.count is None else str(item.count)]

    def index_at(self, path: Iterable[int]) -> QModelIndex:
        """The index reached from the top by these row numbers; invalid where there is none."""
        index = QModelIndex()
        for row in path:
            index = self.index(row, 0, index)
            if not index.isValid():
                break
        return index

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        branch = self._below(parent)
        if branch is None or not (0 <= row < len(self._branches[branch].items) and 0 <= column < 2):
            return QModelIndex()
        return self.createIndex(row, column, branch)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or not index.internalId():
            return QModelIndex()
        branch = self._branches[index.internalId()]
        return self.createIndex(branch.row, 0, branch.parent)

    def columnCount(self, _parent: Index = NOWHERE) -> int:
        return 2

    def rowCount(self, parent: Index = NOWHERE) -> int:
        branch = self._below(parent)
        return 0 if branch is None else len(self._branches[branch].items)

    def hasChildren(self, parent: Index = NOWHERE) -> bool:
        if not parent.isValid():
            return bool(self._branches[0].items)
        branch, row = self._branches[parent.internalId()], parent.row()
        if row in branch.branches:
            return parent.column() == 0 and bool(self._branches[branch.branches[row]].items)
        return parent.column() == 0 and _may_have_children(branch.items, row)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        item = self.item(index)
        if role == RefRole:
            return item.ref
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(item.tip) or None
        return self._count(item, role) if index.column() else self._text(item, role)

    def _text(self, item: Item, role: int) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return one_line(item.text)
        if role == Qt.ItemDataRole.DecorationRole and item.icon:
            return icons.icon(item.icon)
        if role == Qt.ItemDataRole.FontRole and item.mono:
            return self._mono
        if role == Qt.ItemDataRole.ForegroundRole and item.muted:
            return theme.current().text_muted
        return None

    def _count(self, item: Item, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(item.count)
        if role == Qt.ItemDataRole.EditRole:
            return item.count
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return self._small
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme.current().text_muted
        return None

    def _below(self, parent: Index) -> int | None:
        """Number of the branch below an index, opened now if it was not yet; None below a leaf.

        A view asks for the number of rows only where it opens them, so finding children here needs
        no `fetchMore`, whose signal would make the view lay out 50 000 rows twice.
        """
        if not parent.isValid():
            return 0
        number, row = parent.internalId(), parent.row()
        branch = self._branches[number]
        if row not in branch.branches:
            if not self.hasChildren(parent):
                return None
            branch.branches[row] = len(self._branches)
            self._branches.append(_Branch(number, row, branch.items[row].below()))
        return None if parent.column() else branch.branches[row]


def _may_have_children(items: Sequence[Item], row: int) -> bool:
    if isinstance(items, Rows):
        return items.may_have_children(row)
    return items[row].may_have_children()
