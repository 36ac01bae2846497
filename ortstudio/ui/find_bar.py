"""The find box: marks every hit in the shown graphs and goes from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from ortstudio.analysis.search import matching, search_texts
from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.format.arrays import Ints, ints
from ortstudio.model.refs import Ref, RefKind
from ortstudio.ui import theme
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

_DELAY_MS = 120

Hits = dict[int, Ints]
"""For each open side the rows of the nodes found in the graph that it shows."""


class FindBar(QWidget):
    """A box for words, and how many nodes were found."""

    found = Signal(int, object)
    """The rows to mark on a side (int64); none where the box is empty."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._texts: dict[tuple[int, int], list[str]] = {}
        self._hits: Hits = {}
        self._place = -1
        self._step_when_found = 0
        self.box = QLineEdit(self)
        self.box.setPlaceholderText("Find nodes: name, operator, value, type")
        self.box.setClearButtonEnabled(True)
        self.box.setAcceptDrops(False)
        self.box.setMinimumWidth(18 * theme.SPACE)
        self.box.installEventFilter(self)
        self._count = QLabel(self)
        self._count.setFont(theme.font(theme.SMALL))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * theme.SPACE)
        layout.addWidget(self.box, 1)
        layout.addWidget(self._count)
        self._delay = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._delay.timeout.connect(self.search)
        self.box.textChanged.connect(self._typed)
        workspace.changed.connect(self._forget)
        workspace.shown.connect(self._shown)
        self._forget()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt calls it
        """Enter goes on, Shift+Enter goes back, Escape clears."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.box.text():
                self.box.clear()
                return True
        return super().eventFilter(watched, event)

    def _typed(self, _text: str) -> None:
        self._delay.start()

    def _forget(self) -> None:
        self._texts.clear()
        self.box.setEnabled(bool(self._workspace.open_sides))
        if not self.box.isEnabled():
            self.box.clear()
        self.search()

    def _shown(self, _side: int, _graph: int) -> None:
        self.search()

    def search(self) -> None:
        """Search now, off the UI thread."""
        self._delay.stop()
        query = self.box.text()
        shown = [(side, self._workspace.graph(side)) for side in self._workspace.open_sides]
        if not query.split():
            self._tasks.drop("search")
            self._take({side: ints(()) for side, _ in shown})
            self._count.clear()
            return
        self._tasks.run(
            self._searcher(query, shown), done=self._take, failed=_ignore, lane="search"
        )

    def _searcher(self, query: str, shown: Sequence[tuple[int, int]]) -> Callable[[Task], Hits]:
        graphs = {}
        for side, number in shown:
            document = self._workspace.document(side)
            if document is not None:
                graphs[side, number] = document.graphs[number]

        def search(_task: Task) -> Hits:
            hits: Hits = {}
            for key, graph in graphs.items():
                texts = self._texts.get(key)
                if texts is None:
                    texts = self._texts[key] = search_texts(graph)
                hits[key[0]] = ints(matching(texts, query))
            return hits

        return search

    def _take(self, hits: Hits) -> None:
        self._hits = hits
        self._place = -1
        total = sum(map(len, hits.values()))
        self._count.setText(count(total, "node") if total else "Nothing found")
        for side, rows in hits.items():
            self.found.emit(side, rows)
        way, self._step_when_found = self._step_when_found, 0
        if way:
            self.step(way)

    def step(self, way: int) -> None:
        """Select the next hit, or the one before."""
        if self._delay.isActive() or not self._tasks.is_idle():
            self._step_when_found = way
            if self._delay.isActive():
                self.search()
            return
        total = sum(map(len, self._hits.values()))
        if not total:
            return
        if self._place < 0 and way < 0:
            self._place = 0
        self._place = place = (self._place + way) % total
        self._count.setText(f"{place + 1:,} of {count(total, 'node')}")
        for side, rows in self._hits.items():
            if place < len(rows):
                graph = self._workspace.graph(side)
                self._workspace.select(side, Ref(RefKind.NODE, graph, int(rows[place])))
                return
            place -= len(rows)


def _ignore(_error: StudioError) -> None:
    """A search reads nothing from disk and cannot fail."""
