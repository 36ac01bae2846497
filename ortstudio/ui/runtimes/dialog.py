"""The dialog with the runtimes at hand: look for more, take in, install, remove, choose."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ortstudio.errors import StudioError
from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.limits import limits
from ortstudio.ui import icons, theme
from ortstudio.ui.hints import in_window
from ortstudio.ui.item_views import TableView
from ortstudio.ui.items import RefRole
from ortstudio.ui.offer.card import Card
from ortstudio.ui.offer.fields import ComboBox
from ortstudio.ui.offer.rows import Rows
from ortstudio.ui.runtimes.choosing import Choosing, releases_to_install
from ortstudio.ui.tables import Column, TableModel
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import SPACE, Tone
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel

SIZE = (860, 620)
IN_USE: tuple[str, Tone] = ("good", "good")
"""Icon and tone."""
USABLE: tuple[str, Tone] = ("runtime", "muted")
"""The same of what is not in use."""
_TABLE_ROWS = 4
_MOST_LINES = 4
_KINDS = {
    Kind.OWN: "ORT Studio's own",
    Kind.INSTALLED: "installed here",
    Kind.GIVEN: "taken in",
    Kind.FOUND: "found",
    Kind.NODE: "Node.js",
    Kind.WEB: "WebAssembly",
    Kind.SSH: "another machine",
}
_ABOUT = (
    "Releases of ONNX Runtime that models can be converted, loaded and run with, each in a process"
    " of its own."
)


class RuntimesDialog(QDialog):
    """Lists runtimes and changes the list; what takes long says so and can be cancelled."""

    def __init__(self, choosing: Choosing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choosing = choosing
        self._tasks = Tasks(self)
        self._new = ""
        self.setWindowTitle("Runtimes")
        self.resize(*SIZE)
        self.model: TableModel[Runtime] = TableModel(self._columns(), parent=self)
        self.table = self._make_table()
        self.look, self.use = QPushButton("Look for More"), QPushButton("Use")
        self.remove, self.close_ = QPushButton("Remove"), QPushButton("Close")
        self.place, self.browse, self.add = QLineEdit(), QPushButton(), QPushButton("Take In")
        self.release, self.install = ComboBox(), QPushButton("Install")
        self.said, self.bar, self.cancel = PlainLabel(), QProgressBar(), QPushButton("Cancel")
        self._lay_out()
        self._connect()
        self._take()
        self._say("")
        choosing.reload()

    def _columns(self) -> list[Column[Runtime]]:
        return [
            Column("Name", lambda one: one.name, decoration=self._mark),
            Column("Release", lambda one: one.onnxruntime, tip=lambda one: one.build_info),
            Column("Kind", lambda one: _KINDS[one.kind]),
            Column("Under", _under, tip=lambda one: one.platform),
            Column("Where", lambda one: one.where, mono=True, tip=lambda one: one.where),
        ]

    def _mark(self, runtime: Runtime) -> object:
        """The one in use stands out."""
        icon, tone = IN_USE if self._choosing.is_current(runtime) else USABLE
        return icons.toned(icon, theme.current().tone(tone))

    def _make_table(self) -> TableView[Runtime]:
        table = TableView(self.model, self)
        table.setAccessibleName("Runtimes")
        table.setSelectionMode(table.SelectionMode.SingleSelection)
        header, modes = table.horizontalHeader(), QHeaderView.ResizeMode
        for column in range(self.model.columnCount() - 1):
            header.setSectionResizeMode(column, modes.ResizeToContents)
        rows = table.verticalHeader().defaultSectionSize()
        table.setMinimumHeight((_TABLE_ROWS + 1) * rows)
        return table

    def _lay_out(self) -> None:
        card = Card("Runtimes")
        card.text(_ABOUT, muted=True)
        card.column.addWidget(self.table, 1)
        card.column.addLayout(Flow(self.use, self.remove, self.look))
        self._fields = Rows()
        self._fields.add("&Interpreter", self._in_line(self.place, self.browse, self.add))
        self._fields.add("&Release", self._in_line(self.release, self.install))
        card.column.addWidget(self._fields)
        card.column.addWidget(self._progress())
        card.column.addLayout(Flow(self.close_))
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        column.addWidget(card)
        self.place.setPlaceholderText("A Python, an environment's folder, or ssh://user@host")
        self.release.setEditable(True)
        self.release.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        self.release.setToolTip("1.16.3, or node:1.23.2 and web:1.23.2 for Node.js and WebAssembly")
        self.browse.setToolTip("Choose…")
        self.browse.setAccessibleName("Choose an interpreter")
        icons.set_icon(self.browse, "folder")
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    def _in_line(self, field: QWidget, *buttons: QWidget) -> QWidget:
        holder = QWidget()
        holder.setFocusProxy(field)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        row.addWidget(field, 1)
        for button in buttons:
            row.addWidget(button)
        return holder

    def _progress(self) -> QWidget:
        """Words and a bar, which keep their room while there is nothing to say."""
        holder = QWidget()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        self.said.setMinimumHeight(_MOST_LINES * self.fontMetrics().lineSpacing())
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.said)
        column.addLayout(row)
        for widget in (self.bar, self.cancel):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(policy)
        return holder

    def _connect(self) -> None:
        choosing = self._choosing
        choosing.changed.connect(self._take)
        choosing.said.connect(self._say)
        choosing.failed.connect(self._fail)
        choosing.made.connect(self._made)
        self.look.clicked.connect(choosing.look_around)
        self.cancel.clicked.connect(choosing.cancel)
        self.add.clicked.connect(self._add)
        self.place.returnPressed.connect(self._add)
        self.browse.clicked.connect(self._browse)
        self.install.clicked.connect(self._install)
        self.use.clicked.connect(self._use)
        self.remove.clicked.connect(self._remove)
        self.close_.clicked.connect(self.reject)
        self.table.activated.connect(lambda _index: self._use())
        self.table.selectionModel().selectionChanged.connect(lambda _new, _old: self._selected())
        self.place.textChanged.connect(lambda _text: self._enable())
        self.release.editTextChanged.connect(lambda _text: self._enable())
        self._tasks.run(
            lambda _task: releases_to_install(), done=self._offer_releases, failed=self._fail
        )

    @property
    def chosen(self) -> Runtime | None:
        """The row that is selected."""
        rows: list[QModelIndex] = self.table.selectionModel().selectedRows()
        return rows[0].data(RefRole) if rows else None

    def _take(self) -> None:
        """Show what is at hand now; what was selected, or just made, is selected, with no word."""
        before, words = self.chosen or self._choosing.current, self.said.text()
        name = self._new or before.name
        self.model.set_rows(list(self._choosing.all))
        for runtime in self._choosing.all:
            if runtime.name == name:
                self.table.selectRow(self.model.find(runtime).row())
                self._new = ""
        self.said.setText(words)
        self._enable()

    def _offer_releases(self, names: list[str]) -> None:
        text = self.release.currentText()
        self.release.addItems(names)
        self.release.setCurrentText(text)

    def _enable(self) -> None:
        chosen, busy = self.chosen, self._choosing.is_busy
        is_used = chosen is not None and self._choosing.is_current(chosen)
        self.use.setEnabled(chosen is not None and not is_used and not busy)
        self.remove.setEnabled(chosen is not None and chosen.kind is not Kind.OWN and not busy)
        self.look.setEnabled(not busy)
        self.add.setEnabled(bool(self.place.text().strip()) and not busy)
        self.install.setEnabled(bool(self.release.currentText().strip()) and not busy)

    def _selected(self) -> None:
        """Say of what is selected what it does otherwise than the newest release."""
        chosen = self.chosen
        if not self._choosing.is_busy:
            self.said.setText("\n".join(limits(chosen)) if chosen else "")
        self._enable()

    def _say(self, words: str) -> None:
        self.said.setText(words)
        for widget in (self.bar, self.cancel):
            widget.setVisible(bool(words))
        self._enable()

    def _fail(self, error: StudioError) -> None:
        hint = in_window(error.hint)
        self.said.setText(f"{error.message}. {hint}".rstrip(" .") + ".")

    def _made(self, runtime: Runtime) -> None:
        self._new = runtime.name
        self.place.clear()
        self.said.setText(f"onnxruntime {runtime.onnxruntime} is at hand as {runtime.name}.")

    def _browse(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Choose an interpreter")
        if name:
            self.place.setText(name)

    def _add(self) -> None:
        if self.add.isEnabled():
            self._choosing.add(self.place.text().strip())

    def _install(self) -> None:
        self._choosing.install(self.release.currentText().strip())

    def _use(self) -> None:
        if self.chosen is not None and self.use.isEnabled():
            self._choosing.use(self.chosen)

    def _remove(self) -> None:
        if self.chosen is not None:
            self._choosing.remove(self.chosen)

    def reject(self) -> None:
        """Stop what is under way; close where nothing is."""
        if self._choosing.is_busy:
            self._choosing.cancel()
            return
        super().reject()


def _under(runtime: Runtime) -> str:
    """`Python 3.8.18`, `node v20.20.2`."""
    return f"Python {runtime.python}" if runtime.python else runtime.platform.partition(",")[0]
