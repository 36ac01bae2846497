"""The page below with every change between source and result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.rows import KINDS, NodeRow
from ortstudio.analysis.words import listed
from ortstudio.services.crossing import Crossing
from ortstudio.services.document import Document
from ortstudio.ui import theme
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.views.labels import PlainLabel

_SHOWN_NODES = 3


class ChangesPage(QWidget):
    """A sentence, a button with a count for each kind, and a table of the rows."""

    chosen = Signal(object)
    """A `NodeRow` that is to be shown in the pictures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._crossing: Crossing | None = None
        self._rows: list[NodeRow] = []
        self._follows = False
        self.sentence = PlainLabel(parent=self)
        self.sentence.setFont(theme.font(strong=True))
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.SPACE)
        self.kinds: dict[str, QPushButton] = {}
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter changes")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)
        self.filter.setMaximumWidth(60 * theme.SPACE)
        self.model: TableModel[NodeRow] = TableModel(self._columns(), parent=self)
        self.table = TableView(self.model, self)
        self.table.setAccessibleName("Changes")
        self._arrange()
        self.filter.textChanged.connect(self.model.set_filter)
        self.table.selectionModel().currentRowChanged.connect(self._current)
        self.table.activated.connect(self._current)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(3 * theme.SPACE, theme.SPACE, 3 * theme.SPACE, 0)
        head.addLayout(self._buttons)
        head.addStretch(1)
        head.addWidget(self.filter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, theme.SPACE, 0, 0)
        layout.setSpacing(theme.SPACE)
        margin = QHBoxLayout()
        margin.setContentsMargins(3 * theme.SPACE, 0, 3 * theme.SPACE, 0)
        margin.addWidget(self.sentence)
        layout.addLayout(margin)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)

    def _columns(self) -> list[Column[NodeRow]]:
        return [
            Column("Kind", lambda row: row.kind),
            Column("Source", lambda row: self._text(0, row.a), mono=True),
            Column("Result", lambda row: self._text(1, row.b), mono=True),
            Column("Why", lambda row: row.reason, tip=_why),
        ]

    def _text(self, side: int, nodes: Sequence[NodeRef]) -> str:
        if self._crossing is None:
            return ""
        texts = [_node_text(self._crossing.document(side), node) for node in nodes]
        return listed(texts, _SHOWN_NODES)

    def say(self, text: str) -> None:
        """Show a sentence and no rows, while there is nothing to compare."""
        self._crossing = None
        self.sentence.setText(text)
        self._set_rows([])

    def show_crossing(self, crossing: Crossing) -> None:
        """Show what a comparison found."""
        self._crossing = crossing
        self.sentence.setText(crossing.comparison.overview)
        self._set_rows(list(crossing.comparison.diff.nodes))

    def _set_rows(self, rows: list[NodeRow]) -> None:
        self._rows = rows
        for button in self.kinds.values():
            button.deleteLater()
        counts = Counter(row.kind for row in rows)
        self.kinds = {k: self._button(k, counts[k]) for k in KINDS if counts[k]}
        if "kept" in self.kinds and len(self.kinds) > 1:
            self.kinds["kept"].setChecked(False)
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Let the kinds take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for kind, button in self.kinds.items():
                button.setIcon(_swatch(kind))

    def _button(self, kind: str, count: int) -> QPushButton:
        button = QPushButton(f"{kind} {count:,}", self)
        button.setCheckable(True)
        button.setChecked(True)
        button.setIcon(_swatch(kind))
        button.toggled.connect(self._refresh)
        self._buttons.addWidget(button)
        return button

    def _refresh(self) -> None:
        wanted = {kind for kind, button in self.kinds.items() if button.isChecked()}
        self.model.set_rows([row for row in self._rows if row.kind in wanted])
        self.table.resizeColumnsToContents()
        for column in (1, 2):
            width = min(self.table.columnWidth(column), 90 * theme.SPACE)
            self.table.setColumnWidth(column, width)

    def _current(self, index: QModelIndex) -> None:
        row = index.data(RefRole) if index.isValid() else None
        if isinstance(row, NodeRow) and not self._follows:
            self.chosen.emit(row)

    def step(self, way: int) -> None:
        """Go to the next change, or the one before, round and round."""
        count = self.model.rowCount()
        if not count:
            return
        current = self.table.currentIndex()
        place = (current.row() + way) % count if current.isValid() else 0
        self.table.setCurrentIndex(self.model.index(place, 0))

    def select(self, row: NodeRow | None) -> None:
        """Follow a selection made elsewhere, where its row is listed."""
        index = QModelIndex() if row is None else self.model.find(row)
        if index.isValid() and index.row() != self.table.currentIndex().row():
            self._follows = True
            self.table.selectRow(index.row())
            self._follows = False
            self.table.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)


def _swatch(kind: str) -> QIcon:
    """The colour and mark that the kind has in the pictures."""
    look = theme.current().diff[kind]
    ratio = 2.0
    picture = QPixmap(round(16 * ratio), round(16 * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.border, 1))
    painter.setBrush(look.fill)
    painter.drawRoundedRect(QRectF(1, 1, 14, 14), 3, 3)
    painter.setPen(look.ink)
    painter.setFont(theme.font(theme.SMALL, strong=True))
    painter.drawText(QRectF(0, 0, 16, 16), Qt.AlignmentFlag.AlignCenter, look.mark)
    painter.end()
    return QIcon(picture)


def _why(row: NodeRow) -> str:
    changes = [f"{change.what}: {change.before} → {change.after}" for change in row.changes]
    return ". ".join(part.rstrip(".") for part in (row.reason, *changes, row.portability) if part)


def _node_text(document: Document, node: NodeRef) -> str:
    found = document.find_node(node)
    return "" if found is None else node_text(document.graphs[found.graph], found.row)
