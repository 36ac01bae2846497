"""One side of the middle: which file and graph is shown, and its picture."""

from __future__ import annotations

from functools import cache, partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCursor, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.format.arrays import Ints, ints
from ortstudio.model.model import FileKind, Model
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document
from ortstudio.ui import icons, theme
from ortstudio.ui.canvas.canvas import Canvas
from ortstudio.ui.canvas.measure import Measures, measure_fonts
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.picturing import Pictured, draw
from ortstudio.ui.plain import one_line
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.views.file_label import FileLabel
from ortstudio.ui.views.labels import ElidedLabel
from ortstudio.ui.workspace import Workspace

_BUSY_FROM = 4000
"""Nodes from which a picture takes long enough to be worth a word."""


@cache
def _measures() -> Measures:
    """Taken once: the canvas keeps to its fonts."""
    return measure_fonts()


class GraphPane(QWidget):
    """The picture of the graph that a side of the workspace shows, under its name and its way."""

    finished = Signal()
    """A picture is ready and painted, or there is none to come."""

    def __init__(self, workspace: Workspace, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._side = side
        self._pictured: Pictured | None = None
        self._marked = ints(())
        self._overlay: Overlay | None = None
        self._waiting = False
        self._tasks = Tasks(self)
        self.canvas = Canvas(self)
        self._name = FileLabel(self)
        self._name.setFont(theme.font(strong=True))
        self._way = ElidedLabel(self)
        self._way.setFont(theme.mono(theme.SMALL))
        self._way.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._back = QToolButton(self)
        self._back.setToolTip("Back to the graph around (Backspace)")
        self._callers: dict[int, Ref] = {}
        # Of two panes the one with the keyboard: a shortcut of both buttons would be of neither.
        back = QShortcut(QKeySequence(Qt.Key.Key_Backspace), self)
        back.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        back.activated.connect(self.go_back)
        icons.set_icon(self._back, "back")
        self._arrange()
        self._connect()
        self._show_graph(workspace.graph(side))

    def _arrange(self) -> None:
        self.setMinimumWidth(30 * theme.SPACE)
        head = QHBoxLayout()
        head.setContentsMargins(3 * theme.SPACE, theme.SPACE, 2 * theme.SPACE, theme.SPACE)
        head.setSpacing(2 * theme.SPACE)
        head.addWidget(self._back)
        head.addWidget(self._name, 2)
        head.addWidget(self._way, 3)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(self.canvas, 1)

    def _connect(self) -> None:
        self.canvas.selected.connect(self._box_selected)
        self.canvas.activated.connect(self._box_activated)
        self.canvas.painted_whole.connect(self._painted)
        self.canvas.cancel_requested.connect(self._cancel)
        self._back.clicked.connect(self.go_back)
        self._workspace.shown.connect(self._graph_shown)
        self._workspace.selected.connect(self._ref_selected)

    @property
    def document(self) -> Document | None:
        """The document of this side."""
        return self._workspace.document(self._side)

    @property
    def is_waiting(self) -> bool:
        """Whether a picture is still to come."""
        return self._waiting

    @property
    def pictured(self) -> Pictured | None:
        """What is shown now."""
        return self._pictured

    @property
    def overlay(self) -> Overlay | None:
        """What is laid over the nodes."""
        return self._overlay

    def go_back(self) -> None:
        """Show the graph around, with the node that led into the shown one selected."""
        document, graph = self.document, self._workspace.graph(self._side)
        if document is None or graph == 0:
            return
        node = document.parent(graph) or self._callers.get(graph)
        if node is not None:
            self._workspace.select(self._side, node)
        else:
            self._open_graph(0)

    def mark(self, rows: Ints) -> None:
        """Mark nodes of the shown graph, such as what was found, as soon as it is pictured."""
        self._marked = rows
        if self._pictured is not None:
            self.canvas.set_marked(self._pictured.picture.boxes_of(rows))

    def set_overlay(self, overlay: Overlay | None) -> None:
        """Lay a value over each node."""
        if overlay is not self._overlay:
            self._overlay = overlay
            self.canvas.set_overlay(overlay)

    def _graph_shown(self, side: int, graph: int) -> None:
        if side == self._side:
            self._show_graph(graph)

    def _show_graph(self, graph: int) -> None:
        document = self.document
        self._pictured = None
        self._marked = ints(())
        if document is None:
            self.canvas.set_scene(None)
            return
        found = document.graphs[graph]
        self._name.show_path(document.path)
        self._way.setText("" if graph == 0 else document.graph_title(graph))
        self._way.setVisible(graph != 0)
        self._back.setVisible(graph != 0)
        if not len(found.nodes) and not len(found.inputs):
            self._nothing_to_draw(document)
            return
        self._waiting = True
        self.canvas.set_scene(None)
        nodes = len(found.nodes)
        if nodes >= _BUSY_FROM:
            self.canvas.set_message(f"Laying out {count(nodes, 'node')}…", busy=True)
        measures = _measures()
        self._tasks.run(
            lambda task: draw(document, graph, measures, task),
            done=self._show_picture,
            failed=self._failed,
            progress=self._progress,
            cancelled=self._cancelled,
            lane="picture",
        )

    def _nothing_to_draw(self, document: Document) -> None:
        self._waiting = False
        self._tasks.drop("picture")
        self.canvas.set_scene(None)
        self.canvas.set_message(_no_picture(document.model))
        self.finished.emit()

    def _show_picture(self, pictured: Pictured) -> None:
        self._pictured = pictured
        self._overlay = None
        self.canvas.set_message("")
        self.canvas.set_scene(pictured.scene)
        self.canvas.begin()
        self.mark(self._marked)
        self._ref_selected(self._side, self._workspace.selection(self._side))

    def _painted(self) -> None:
        if self._waiting:
            self._waiting = False
            self.finished.emit()

    def _failed(self, error: StudioError) -> None:
        self._waiting = False
        self.canvas.set_message(str(error))
        self.finished.emit()

    def _progress(self, done: int, total: int) -> None:
        document = self.document
        if document is not None and self._waiting:
            nodes = len(document.graphs[self._workspace.graph(self._side)].nodes)
            if nodes >= _BUSY_FROM:
                share = done / total if total else None
                self.canvas.set_message(f"Laying out {count(nodes, 'node')}…", share, busy=True)

    def _cancel(self) -> None:
        self._tasks.drop("picture")
        self._cancelled()

    def _cancelled(self) -> None:
        self._waiting = False
        self.canvas.set_message("The picture was cancelled. The lists at the left show all nodes.")
        self.finished.emit()

    def _box_selected(self, box: int) -> None:
        if self._pictured is None:
            return
        graph = self._workspace.graph(self._side)
        row = None if box < 0 else self._pictured.picture.node_of(box)
        value = None if box < 0 or row is not None else self._pictured.picture.value_of(box)
        ref: Ref | None = None
        if row is not None:
            ref = Ref(RefKind.NODE, graph, row)
        elif value is not None and value >= 0:
            ref = Ref(RefKind.VALUE, graph, value)
        self._workspace.select(self._side, ref)

    def _box_activated(self, box: int) -> None:
        document, pictured = self.document, self._pictured
        row = None if pictured is None else pictured.picture.node_of(box)
        if document is None or row is None:
            return
        node = Ref(RefKind.NODE, self._workspace.graph(self._side), row)
        found = document.opened_by(node)
        self._callers |= dict.fromkeys(found, node)
        if len(found) == 1:
            self._open_graph(found[0])
        elif found:
            menu = QMenu(self)
            for number in found:
                title = one_line(document.graph_title(number), 80)
                action = menu.addAction(title.replace("&", "&&"))
                action.triggered.connect(partial(self._open_graph, number))
            menu.popup(QCursor.pos())

    def _open_graph(self, number: int) -> None:
        self._workspace.show_graph(self._side, number)
        self._workspace.select(self._side, Ref(RefKind.GRAPH, number))

    def _ref_selected(self, side: int, ref: Ref | None) -> None:
        if side != self._side or self._pictured is None:
            return
        box = self._box_of(ref) if ref is not None else None
        if box != self.canvas.selection:
            self.canvas.select(box, reveal=box is not None)

    def _box_of(self, ref: Ref) -> int | None:
        assert self._pictured is not None
        if ref.graph != self._workspace.graph(self._side):
            return None
        if ref.kind is RefKind.NODE:
            return self._pictured.picture.box_of(ref.row)
        if ref.kind is RefKind.VALUE:
            return self._pictured.picture.port_of(ref.row)
        return None


def _no_picture(model: Model) -> str:
    """Why there is nothing to draw."""
    if model.error is not None and model.kind in (FileKind.ORT, FileKind.ONNX):
        return "No node of it can be read"
    tensors = len(model.main.initializers)
    return f"No graph: {count(tensors, 'tensor')}" if tensors else "The graph is empty"
