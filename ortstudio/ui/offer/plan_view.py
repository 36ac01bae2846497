# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""What will happen, before it does: every file with its purpose, every refusal with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.ui import icons, theme
from ortstudio.ui.item_views import TableView
from ortstudio.ui.job import plainly
from ortstudio.ui.offer.plan_lines import LOOKS, Kind, PlanLine, counted, plan_lines, worst_first
from ortstudio.ui.plain import tip
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

_TABLE_ROWS = 10
_SHARES = (0.16, 0.24, 0.24)
"""Of the width of a table, for its columns; the last one has the rest."""
_WORDS: dict[Kind, str] = {
    "write": "write",
    "replace": "replace",
    "note": "note",
    "warn": "warning",
    "skip": "skip",
    "refuse": "refuse",
}


def _columns() -> list[Column[PlanLine]]:
    return [
        Column("", lambda line: _WORDS[line.kind], decoration=_mark),
        Column(
            "Source",
            lambda line: line.source.name if line.source else "all models",
            tip=lambda line: str(line.source or ""),
        ),
        Column(
            "Result",
            lambda line: line.target.name if line.target else None,
            tip=lambda line: str(line.target or ""),
        ),
        Column("", lambda line: line.words, tip=lambda line: line.words),
    ]


def _mark(line: PlanLine) -> object:
    icon, tone = LOOKS[line.kind]
    return icons.toned(icon, theme.current().tone(tone))


class PlanView(QWidget):
    """A few lines for one model, a table for several."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[PlanLine] = []
        self._sum = PlainLabel()
        self._sum.setFont(theme.font(strong=True))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(2 * SPACE)
        self.model: TableModel[PlanLine] = TableModel(_columns(), parent=self)
        self.table = TableView(self.model, self)
        self.table.setAccessibleName("What will happen")
        self.table.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(self._sum)
        column.addLayout(self._rows)
        column.addWidget(self.table)
        self.show_planning()

    def show_planning(self) -> None:
        """Say that it is being worked out; what was said before stays until then."""
        if not self.lines:
            self._sum.setText("Looking at what will happen…")

    def show_plan(self, plan: ConvertPlan) -> None:
        """Show what will happen."""
        several = len(plan.sources) > 1
        lines = plan_lines(plan)
        self._show(worst_first(lines) if several else lines, several=several)
        self._sum.setText(counted(self.lines))

    def show_error(self, error: StudioError) -> None:
        """Say why nothing can be planned."""
        self._show([], several=False)
        self._sum.setText(plainly(error))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, share in enumerate(_SHARES):
            self.table.setColumnWidth(column, round(event.size().width() * share))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for label in self.findChildren(_Mark):
                label.renew()

    def _show(self, lines: Sequence[PlanLine], *, several: bool) -> None:
        self.lines = list(lines)
        self._clear()
        self.table.setVisible(several)
        if several:
            self._fill_table()
            return
        for line in self.lines:
            self._rows.addWidget(_row(line))

    def _fill_table(self) -> None:
        self.model.set_rows(self.lines)
        height = self.table.verticalHeader().defaultSectionSize()
        rows = min(_TABLE_ROWS, len(self.lines)) + 2
        self.table.setMinimumHeight(rows * height)

    def _clear(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


class _Mark(QLabel):
    """The icon of a line, in the colours of the theme."""

    def __init__(self, line: PlanLine) -> None:
        super().__init__()
        self._line = line
        self.setAccessibleName(line.kind)
        self.renew()

    def renew(self) -> None:
        icon, tone = LOOKS[self._line.kind]
        self.setPixmap(icons.pixmap(icon, theme.current().tone(tone)))


def _row(line: PlanLine) -> QWidget:
    """The mark, the name of the file, and below it what it is for."""
    made = QWidget()
    words = QVBoxLayout()
    words.setSpacing(0)
    if line.target is not None:
        name = ElidedLabel()
        name.setFont(theme.mono())
        name.setText(line.target.name)
        name.setToolTip(tip(str(line.target)))
        words.addWidget(name)
    words.addWidget(PlainLabel(line.words, muted=line.target is not None))
    across = QHBoxLayout(made)
    across.setContentsMargins(0, 0, 0, 0)
    across.setSpacing(2 * SPACE)
    across.addWidget(_Mark(line), 0, Qt.AlignmentFlag.AlignTop)
    across.addLayout(words, 1)
    return made
