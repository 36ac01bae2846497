# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The files of an upgrade as a list: which are to be done, and how far each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QIcon, QPixmap
from PySide6.QtWidgets import QHeaderView, QStyle, QTreeWidget, QTreeWidgetItem, QWidget

from ortstudio.services.conversion import ConvertProgress, State
from ortstudio.services.upgrade.planned import PlannedUpgrade
from ortstudio.services.upgrade.upgraded import Upgraded
from ortstudio.ui import theme
from ortstudio.ui.plain import one_line, tip
from ortstudio.ui.theme import SPACE, Tone

_TONES: dict[State, Tone] = {
    State.DONE: "good",
    State.FAILED: "error",
    State.REFUSED: "error",
    State.CANCELLED: "warning",
    State.NOT_TRIED: "warning",
}


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file, what is said of it in a word or two, and whether it is ticked; None: cannot be."""

    path: Path
    said: str
    tone: Tone = "text"
    ticked: bool | None = None


def planned_row(row: PlannedUpgrade, *, left_out: bool) -> FileRow:
    """Before: the version that it becomes, or why it does not."""
    if row.refusal is not None:
        return FileRow(row.source, "refused", "error")
    if row.skipped:
        return FileRow(row.source, "left alone", "muted")
    version = row.facts.version if row.facts else "?"
    return FileRow(row.source, f"{version} → {row.to}", ticked=not left_out)


def running_row(row: PlannedUpgrade, now: ConvertProgress | None) -> FileRow:
    """While it goes on: how far it is."""
    if now is None:
        return FileRow(row.source, State.QUEUED.value, "muted")
    said = "upgrading" if now.state is State.CONVERTING else now.state.value
    return FileRow(row.source, said, _TONES.get(now.state, "text"))


def ended_row(row: Upgraded) -> FileRow:
    """Afterwards: how it ended."""
    return FileRow(row.source, row.state.value, _TONES.get(row.state, "muted"))


class FilesList(QTreeWidget):
    """Names at the left, what is said of them at the right."""

    chosen = Signal(int)
    """The place of the file to be shown."""
    ticked = Signal(object, bool)
    """A file is to be upgraded, or not: its path."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filling = False
        self._rows: Sequence[FileRow] = ()
        self.setAccessibleName("Files")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setColumnCount(2)
        self._row_height = self.fontMetrics().height() + 2 * SPACE
        header, modes = self.header(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(8 * SPACE)
        header.setSectionResizeMode(0, modes.Stretch)
        header.setSectionResizeMode(1, modes.ResizeToContents)
        self.currentItemChanged.connect(self._current_changed)
        self.itemChanged.connect(self._item_changed)

    def show_rows(self, rows: Sequence[FileRow]) -> None:
        """Show these; the same file stays chosen, if it is among them."""
        self._rows = rows
        self._filling = True
        before = self._path(self.currentItem())
        if self.topLevelItemCount() != len(rows):
            self.clear()
            self.addTopLevelItems([QTreeWidgetItem() for _ in rows])
        for place, row in enumerate(rows):
            item = self.topLevelItem(place)
            assert item is not None
            item.setSizeHint(0, QSize(0, self._row_height))
            _fill(item, row, self._blank())
            self._colour(place, row)
        paths = [row.path for row in rows]
        current = self.topLevelItem(paths.index(before) if before in paths else 0)
        if current is not None:
            self.setCurrentItem(current)
        self._filling = False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._filling = True
            for place, row in enumerate(self._rows):
                self._colour(place, row)
            self._filling = False

    def _colour(self, place: int, row: FileRow) -> None:
        item = self.topLevelItem(place)
        assert item is not None
        item.setForeground(1, QBrush(theme.current().tone(row.tone)))

    @property
    def chosen_place(self) -> int:
        """The place of the file that is shown; -1 for none."""
        current = self.currentItem()
        return -1 if current is None else self.indexOfTopLevelItem(current)

    def _blank(self) -> QIcon:
        """As wide as a box to tick, so that the names of files without one are in line."""
        side = self.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        return QIcon(pixmap)

    def _path(self, item: QTreeWidgetItem | None) -> Path | None:
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def sizeHint(self) -> QSize:
        return QSize(60 * SPACE, 40 * SPACE)

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * SPACE, 18 * SPACE)

    def _current_changed(self, *_items: object) -> None:
        if not self._filling and self.chosen_place >= 0:
            self.chosen.emit(self.chosen_place)

    def _item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == 0:
            self.ticked.emit(self._path(item), item.checkState(0) is Qt.CheckState.Checked)


def _fill(item: QTreeWidgetItem, row: FileRow, blank: QIcon) -> None:
    item.setText(0, one_line(row.path.name))
    item.setToolTip(0, tip(str(row.path)))
    item.setData(0, Qt.ItemDataRole.UserRole, row.path)
    item.setText(1, row.said)
    if row.ticked is None:
        item.setData(0, Qt.ItemDataRole.CheckStateRole, None)
        item.setIcon(0, blank)
    else:
        item.setIcon(0, QIcon())
        state = Qt.CheckState.Checked if row.ticked else Qt.CheckState.Unchecked
        item.setCheckState(0, state)
