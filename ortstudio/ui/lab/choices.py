"""What is to be measured, and how: files, ways of loading, and what bears on the figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ortstudio.errors import UsageError
from ortstudio.model.model import FileKind
from ortstudio.services.lab.bench import CPU, BenchSettings
from ortstudio.services.lab.measuring import Cache, LabSettings
from ortstudio.services.lab.modes import PATH, Mode, modes
from ortstudio.services.lab.numbers import numbers
from ortstudio.services.providers import SUFFIX
from ortstudio.services.runtimes import Runtime
from ortstudio.services.sessions import Level
from ortstudio.ui.lab.several import Several
from ortstudio.ui.plain import one_line, tip
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel

BESIDE = 150 * SPACE
"""Pixels of a page that has room for three columns."""
BUDGET_S, BUDGET_MANY_S = 60, 600
_LEVELS = (Level.ALL, Level.LAYOUT, Level.EXTENDED, Level.BASIC, Level.DISABLE)
_CACHES = (("In memory", "warm"), ("Dropped", "dropped"))


class Choices(QWidget):
    """Three columns: files, ways of loading, settings; one below the other where it is narrow."""

    add_requested = Signal()
    """Another file is to be measured."""
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: set[Path] = set()
        self.files, self.ways = _checks("Files"), _checks("Ways of loading")
        self.add = QPushButton("Add File…")
        self.every, self.only_path = QPushButton("Every Way"), QPushButton("Path Only")
        self.threads, self.batches = QLineEdit(), QLineEdit()
        self.levels: Several[Level] = Several()
        self.runtimes: Several[Runtime] = Several()
        self.providers: Several[str] = Several()
        self.cache = QComboBox()
        self.budget = QSpinBox()
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        self._layout.setSpacing(6 * SPACE)
        self._layout.addLayout(
            _column("The first file is what the others are held against.", self.files, self.add), 3
        )
        self._layout.addLayout(
            _column(
                "Each way is checked for equal outputs.", self.ways, self.every, self.only_path
            ),
            4,
        )
        self._layout.addLayout(self._settings_form(), 3)
        for found in modes(FileKind.ORT):
            self.ways.addItem(_check(found.title, found.name, found is PATH, found.why))
        self.ways.itemChanged.connect(self._count_ways)
        self.files.itemChanged.connect(lambda _item: self.changed.emit())
        self.add.clicked.connect(self.add_requested)
        self.every.clicked.connect(lambda: self._check_ways(True))
        self.only_path.clicked.connect(lambda: self._check_ways(False))

    def _settings_form(self) -> QFormLayout:
        form = QFormLayout()
        form.setVerticalSpacing(2 * SPACE)
        form.setHorizontalSpacing(3 * SPACE)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.threads.setPlaceholderText("all, or such as 1,2")
        self.batches.setPlaceholderText("one, or such as 1,8,32")
        self.levels.offer({level: level.value for level in _LEVELS}, Level.ALL)
        for text, name in _CACHES:
            self.cache.addItem(text, name)
        self.cache.setToolTip("Whether the file is in the system's memory before each load")
        self.budget.setRange(1, 86_400)
        self.budget.setSuffix(" s")
        self.budget.setValue(BUDGET_S)
        rows: Sequence[tuple[str, QWidget]] = (
            ("&Threads", self.threads),
            ("&Batch sizes", self.batches),
            ("&Levels", self.levels),
            ("&Runtimes", self.runtimes),
            ("&Providers", self.providers),
            ("File &cache", self.cache),
            ("At &most", self.budget),
        )
        for name, field in rows:
            form.addRow(name, field)
            field.setAccessibleName(name.replace("&", ""))
        self.cache.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.cache.setMinimumContentsLength(10)
        self.budget.setMinimumHeight(self.threads.sizeHint().height())
        return form

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the columns below each other where they have no room beside."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        self._layout.setDirection(ways.LeftToRight if self.width() >= BESIDE else ways.TopToBottom)

    def show_files(self, opened: Sequence[Path], made: Sequence[Path]) -> None:
        """Offer what is open, and what was made last; files that were added stay."""
        if self._offered == {*opened, *made}:
            return
        added = [path for path in self.all_files() if path not in self._offered]
        self._offered = {*opened, *made}
        self.files.clear()
        for path in dict.fromkeys([*opened, *made, *added]):
            self._add(path, path in opened or not opened)
        self.changed.emit()

    def add_files(self, paths: Sequence[Path]) -> None:
        """Measure these too."""
        for path in paths:
            if path not in self.all_files():
                self._add(path, True)
        self.changed.emit()

    def _add(self, path: Path, on: bool) -> None:
        self.files.addItem(_check(one_line(path.name), path, on, str(path)))

    def show_runtimes(self, runtimes: Sequence[Runtime], current: Runtime) -> None:
        """Offer the releases at hand that models can be timed under, the one in use chosen."""
        able = [one for one in (runtimes or [current]) if one.kind.is_python]
        first = next((one for one in able if one.name == current.name), able[0])
        self.runtimes.offer({one: f"{one.onnxruntime} ({one.name})" for one in able}, first)
        names = dict.fromkeys([CPU, *(name for one in able for name in one.providers)])
        self.providers.offer({name: name.removesuffix(SUFFIX) for name in names}, CPU)

    def all_files(self) -> list[Path]:
        """Every file in the list."""
        return [cast(Path, item.data(_ROLE)) for item in _items(self.files)]

    def paths(self) -> list[Path]:
        """The files that are to be measured."""
        return [cast(Path, item.data(_ROLE)) for item in _checked(self.files)]

    def chosen_modes(self) -> tuple[Mode, ...]:
        """The ways of loading, the usual one first and always among them."""
        names = {str(item.data(_ROLE)) for item in _checked(self.ways)} | {PATH.name}
        return tuple(found for found in modes(FileKind.ORT) if found.name in names)

    def settings(self) -> BenchSettings:
        """All that is chosen. Raises UsageError for numbers that are none."""
        batches = self.batches.text().strip()
        threads = self.threads.text().strip()
        if not self.paths():
            raise UsageError("Choose a file to measure")
        cache = cast(Cache, self.cache.currentData())
        return BenchSettings(
            chosen_modes=self.chosen_modes(),
            levels=self.levels.values,
            threads=(None,) if threads in ("", "all") else numbers(threads, 1024),
            batches=numbers(batches, 1 << 20) if batches else (None,),
            providers=self.providers.values,
            runtimes=self.runtimes.values,
            lab=LabSettings(budget_s=float(self.budget.value()), cache=cache),
        )

    def _check_ways(self, every: bool) -> None:
        for item in _items(self.ways):
            on = every or item.data(_ROLE) == PATH.name
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _count_ways(self) -> None:
        """More ways take more time, unless somebody said how much."""
        if self.budget.value() in (BUDGET_S, BUDGET_MANY_S):
            many = len(self.chosen_modes()) > 2
            self.budget.setValue(BUDGET_MANY_S if many else BUDGET_S)
        self.changed.emit()


_ROLE = Qt.ItemDataRole.UserRole


def _checks(name: str) -> QListWidget:
    made = QListWidget()
    made.setAccessibleName(name)
    made.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setMinimumHeight(18 * SPACE)
    made.setSpacing(1)
    return made


def _check(text: str, data: object, on: bool, about: str) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setData(_ROLE, data)
    item.setToolTip(tip(about))
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
    return item


def _items(listed: QListWidget) -> list[QListWidgetItem]:
    return [listed.item(row) for row in range(listed.count())]


def _checked(listed: QListWidget) -> list[QListWidgetItem]:
    return [item for item in _items(listed) if item.checkState() is Qt.CheckState.Checked]


def _column(words: str, listed: QListWidget, *buttons: QPushButton) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(2 * SPACE)
    column.addWidget(PlainLabel(words, muted=True))
    column.addWidget(listed, 1)
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    column.addLayout(row)
    return column
