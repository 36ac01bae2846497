"""Runs what is open for a page that measures, and lays the answer over the pictures."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document
from ortstudio.services.whole_file import write_whole
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.measured_page import MeasuredPage
from ortstudio.ui.phases import Phases
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

Found = TypeVar("Found")
"""The answer, as the services give it."""
View = TypeVar("View")
"""What the page shows of it."""


class MeasuredWork(QObject, Generic[Found, View]):
    """Belongs to one workspace. What is measured, and of which models, a subclass says."""

    ended = Signal()
    """There is an answer, or there will be none."""
    failed = Signal(object)
    """A `StudioError`: something could not be saved."""
    saved = Signal(object)
    """The path of a file that was written."""
    overlaid = Signal()
    """Other things are to be laid over the pictures."""

    def __init__(
        self,
        workspace: Workspace,
        parent: QObject,
        make_child: Callable[[], Child],
        page: MeasuredPage,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._make_child = make_child
        self._shown = page
        self._tasks = Tasks(self)
        self._phases = Phases()
        self._found: Found | None = None
        self._view: View | None = None
        self._overlays: dict[tuple[int, int], Overlay | None] = {}
        page.start_requested.connect(self.start)
        page.cancel_requested.connect(self._tasks.cancel_all)
        page.save_requested.connect(self._ask_where)
        page.chosen.connect(self._reveal)
        workspace.changed.connect(self._forget)
        workspace.selected.connect(self._selected)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being run."""
        return self._tasks.is_idle()

    @abstractmethod
    def start(self) -> None:
        """Run what is open."""

    @abstractmethod
    def _why_not(self) -> str:
        """Why what is open cannot be run; empty where it can."""

    @abstractmethod
    def _show(self, view: View) -> None:
        """Show an answer that has just come."""

    @abstractmethod
    def _overlaid(self, side: int, picture: Picture) -> Overlay | None:
        """The answer over what a side shows."""

    @abstractmethod
    def _reveal(self, row: object) -> None:
        """Select in the pictures what a row is about."""

    @abstractmethod
    def _follow(self, side: int, node: NodeRef) -> None:
        """Select the row about a node that was selected in the pictures."""

    @abstractmethod
    def _ask_where(self, kind: str) -> None:
        """Ask where to save the answer as a file of this kind."""

    def overlay(self, side: int, picture: Picture) -> Overlay | None:
        """The answer over what a side shows; None where there is none."""
        if self._view is None:
            return None
        key = side, self._workspace.graph(side)
        if key not in self._overlays:
            self._overlays[key] = self._overlaid(side, picture)
        return self._overlays[key]

    def _run(self, work: Callable[[Task], tuple[Found, View]]) -> None:
        self._shown.show_running(True, "Starting…")
        self._tasks.run(
            work,
            done=self._done,
            failed=self._refused,
            cancelled=lambda: self._ended("Cancelled"),
            progress=lambda _done, _total: self._shown.show_running(True, self._phases.text),
            lane="work",
        )

    def _forget(self) -> None:
        self._tasks.drop("work")
        self._found = self._view = None
        self._overlays.clear()
        self._shown.show_running(False)
        why_not = self._why_not()
        self._shown.say(why_not, may_start=not why_not)

    def _done(self, answer: tuple[Found, View]) -> None:
        self._found, self._view = answer
        self._overlays.clear()
        self._show(self._view)
        self._ended()
        self.overlaid.emit()
        self._selected(self._workspace.active, self._workspace.selection(self._workspace.active))

    def _refused(self, error: StudioError) -> None:
        if self._view is None:
            self._shown.say(str(error))
        self._ended(str(error))

    def _ended(self, words: str = "") -> None:
        self._shown.show_running(False, words)
        self.ended.emit()

    def _select(self, side: int, refs: tuple[NodeRef, ...]) -> None:
        """Select the last of some nodes in the picture of a side."""
        document = self._workspace.document(side)
        place = document.find_node(refs[-1]) if document is not None and refs else None
        if place is not None:
            self._workspace.select(side, place)

    def _selected(self, side: int, ref: Ref | None) -> None:
        document = self._workspace.document(side)
        if self._view is None or document is None or side != self._workspace.active:
            return
        if ref is not None and ref.kind is RefKind.NODE:
            graph = document.graphs[ref.graph]
            self._follow(side, NodeRef(graph.path, int(graph.nodes.indices[ref.row])))

    def _place(self, title: str, proposed: Path) -> Path | None:
        """Where to save it. The dialog asks already whether a file may be replaced."""
        name, _ = QFileDialog.getSaveFileName(self._shown, title, str(proposed))
        return Path(name) if name else None

    def _save(self, target: Path, write: Callable[[BinaryIO], object]) -> None:
        """Write a file in another thread, whole or not at all."""
        self._tasks.run(
            lambda _task: write_whole(target, write, overwrite=True),
            done=lambda _none: self.saved.emit(target),
            failed=self.failed.emit,
            lane=target,
        )


def is_run(document: Document) -> bool:
    """Whether it holds a sound graph that could be run."""
    kinds = (FileKind.ORT, FileKind.ONNX)
    return document.model.error is None and document.model.kind in kinds


def json_line(answer: Mapping[str, object]) -> bytes:
    """As the command line answers it."""
    return json.dumps(answer, allow_nan=False).encode() + b"\n"
