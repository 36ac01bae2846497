"""Compares what is open side by side when asked to, and lays the differences over the pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.compare import CompareSettings
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_view import CompareView, ValueLine, compare_view
from ortstudio.services.document import Document
from ortstudio.services.layers import compare_layers
from ortstudio.services.whole_file import write_whole
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.layers.overlay import layers_overlay
from ortstudio.ui.layers.page import LayersPage
from ortstudio.ui.phases import Phases
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import SIDES, Workspace

GRAPHS = (FileKind.ORT, FileKind.ONNX)


class Searching(QObject):
    """Belongs to one workspace: looks for the node from which on its two models differ."""

    ended = Signal()
    """There is an answer, or there will be none."""
    compared = Signal(object)
    """The `Verified` that says whether the outputs agree."""
    failed = Signal(object)
    """A `StudioError`: something could not be saved."""
    saved = Signal(object)
    """The path of a file that was written."""
    overlaid = Signal()
    """Other things are to be laid over the pictures."""

    def __init__(
        self, workspace: Workspace, parent: QObject, make_child: Callable[[], Child]
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._make_child = make_child
        self._tasks = Tasks(self)
        self._phases = Phases()
        self._found: Compared | None = None
        self._view: CompareView | None = None
        self._overlays: dict[tuple[int, int], Overlay | None] = {}
        self.page = shown = LayersPage()
        shown.start_requested.connect(self.start)
        shown.cancel_requested.connect(self._tasks.cancel_all)
        shown.save_requested.connect(self._ask_where)
        shown.chosen.connect(self._reveal)
        workspace.changed.connect(self._forget)
        workspace.selected.connect(self._selected)
        self._forget()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being compared."""
        return self._tasks.is_idle()

    def overlay(self, side: int, picture: Picture) -> Overlay | None:
        """The differences over what a side shows."""
        layers = self._found.layers if self._found is not None else None
        if layers is None:
            return None
        key = side, self._workspace.graph(side)
        if key not in self._overlays:
            self._overlays[key] = layers_overlay(layers, side, picture)
        return self._overlays[key]

    def _documents(self) -> tuple[Document, Document] | None:
        """Both models; None where they are not two that run."""
        a, b = (self._workspace.document(side) for side in SIDES)
        if a is None or b is None:
            return None
        runs = all(one.model.error is None and one.model.kind in GRAPHS for one in (a, b))
        return (a, b) if runs else None

    def _forget(self) -> None:
        self._tasks.drop("layers")
        self._found = self._view = None
        self._overlays.clear()
        self.page.show_running(False)
        if len(self._workspace.open_sides) < len(SIDES):
            self.page.say(
                "Open a source and its result to see whether they compute the same.",
                may_start=False,
            )
        elif self._documents() is None:
            self.page.say("One of the two holds no graph that could be run.", may_start=False)
        else:
            self.page.say()

    def start(self) -> None:
        """Run both."""
        documents = self._documents()
        if documents is None:
            return

        def work(task: Task) -> tuple[Compared, CompareView]:
            found = compare_layers(
                *documents,
                CompareSettings(),
                on_phase=self._phases.telling(task),
                cancelled=task.cancelled,
                make_child=self._make_child,
            )
            return found, compare_view(found)

        self.page.show_running(True, "Starting…")
        self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            cancelled=lambda: self._ended("Cancelled"),
            progress=lambda _done, _total: self.page.show_running(True, self._phases.text),
            lane="layers",
        )

    def _done(self, answer: tuple[Compared, CompareView]) -> None:
        self._found, self._view = answer
        self._overlays.clear()
        self.page.show_view(self._view)
        self._ended()
        self.compared.emit(self._found.found)
        self.overlaid.emit()
        first = self._found.layers.first if self._found.layers else None
        if first is not None:
            self._select(1, first.value.node_b)

    def _failed(self, error: StudioError) -> None:
        if self._view is None:
            self.page.say(str(error))
        self._ended(str(error))

    def _ended(self, words: str = "") -> None:
        self.page.show_running(False, words)
        self.ended.emit()

    def _reveal(self, row: object) -> None:
        """Select in the pictures what a row is about."""
        if isinstance(row, ValueLine):
            self._select(1, row.value.node_b)

    def _select(self, side: int, node: NodeRef) -> None:
        document = self._workspace.document(side)
        place = document.find_node(node) if document is not None else None
        if place is not None:
            self._workspace.select(side, place)

    def _selected(self, side: int, ref: Ref | None) -> None:
        """Follow a selection in the pictures."""
        document = self._workspace.document(side)
        if self._view is None or document is None or side != self._workspace.active:
            return
        if ref is None or ref.kind is not RefKind.NODE:
            return
        graph = document.graphs[ref.graph]
        node = NodeRef(graph.path, int(graph.nodes.indices[ref.row]))
        lines = (
            line
            for line in self._view.values
            if node == (line.value.node_b if side else line.value.node_a)
        )
        self.page.select(self.page.values, next(lines, None))

    def _ask_where(self, kind: str) -> None:
        """The dialog has asked already whether a file may be replaced."""
        assert self._found
        proposed = self._found.b.path.with_name(f"compare.{kind}")
        name, _ = QFileDialog.getSaveFileName(self.page, "Save Comparison", str(proposed))
        if name:
            self.save(Path(name))

    def save(self, target: Path) -> None:
        """Write what was found, as the command line answers it."""
        found = self._found
        if found is None:
            return

        def work(_task: Task) -> None:
            text = json.dumps(found.to_json(), allow_nan=False).encode()
            write_whole(target, lambda out: out.write(text + b"\n"), overwrite=True)

        self._tasks.run(
            work,
            done=lambda _none: self.saved.emit(target),
            failed=self.failed.emit,
            lane=target,
        )
