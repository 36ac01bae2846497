"""Profiles what is open when asked to, and lays the times over the pictures."""

from __future__ import annotations

import json
import shutil
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child
from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.profile import ProfileSettings, profile
from ortstudio.services.profile_found import Profile
from ortstudio.services.profile_view import FusionLine, NodeLine, ProfileView, profile_view
from ortstudio.services.sessions import Level
from ortstudio.services.whole_file import write_whole
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.phases import Phases
from ortstudio.ui.profile.heat import heat_overlay
from ortstudio.ui.profile.page import ProfilePage
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

GRAPHS = (FileKind.ORT, FileKind.ONNX)


class Profiling(QObject):
    """Belongs to one workspace. Of a pair the result is profiled, and the source beside it."""

    ended = Signal()
    """There is a profile, or there will be none."""
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
        self._found: Profile | None = None
        self._view: ProfileView | None = None
        self._kept = ExitStack()
        weakref.finalize(self, self._kept.close)
        self._overlays: dict[tuple[int, int], Overlay | None] = {}
        self.page = shown = ProfilePage()
        shown.start_requested.connect(self.start)
        shown.cancel_requested.connect(self._tasks.cancel_all)
        shown.save_requested.connect(self._ask_where)
        shown.chosen.connect(self._reveal)
        workspace.changed.connect(self._forget)
        workspace.selected.connect(self._selected)
        self._forget()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being run."""
        return self._tasks.is_idle()

    @cached_property
    def trace(self) -> Path:
        """Where the last profile is kept as the runtime wrote it. Raises RefusedError."""
        return self._kept.enter_context(temporary_folder()) / "trace.json"

    def overlay(self, side: int, picture: Picture) -> Overlay | None:
        """The times over what a side shows."""
        if self._view is None:
            return None
        key = side, self._workspace.graph(side)
        if key not in self._overlays:
            shares = self._view.shares[0 if side == self._side else 1]
            self._overlays[key] = heat_overlay(shares, picture)
        return self._overlays[key]

    @property
    def _side(self) -> int:
        """The side whose file is profiled."""
        return self._workspace.open_sides[-1] if self._workspace.open_sides else 0

    def _documents(self) -> tuple[Document, Document | None] | None:
        """The file to profile and its source; None where there is nothing that runs."""
        sides = [self._workspace.document(side) for side in self._workspace.open_sides]
        found = [
            document
            for document in sides
            if document and document.model.error is None and document.model.kind in GRAPHS
        ]
        if not found or len(found) < len(sides):
            return None
        return found[-1], found[0] if len(found) == 2 else None

    def _forget(self) -> None:
        self._tasks.drop("profile")
        self._found = self._view = None
        self._overlays.clear()
        self.page.show_running(False)
        if not self._workspace.open_sides:
            self.page.say("Open a model to see where its time goes.", may_start=False)
        elif self._documents() is None:
            self.page.say("This holds no graph that could be run.", may_start=False)
        else:
            self.page.say()

    def start(self) -> None:
        """Run what is open."""
        documents = self._documents()
        if documents is None:
            return
        file, source = documents
        level = cast(Level, self.page.level.currentData())

        def work(task: Task) -> tuple[Profile, ProfileView]:
            found = profile(
                file,
                ProfileSettings(level=level, trace=self.trace, overwrite=True),
                source,
                on_phase=self._phases.telling(task),
                cancelled=task.cancelled,
                make_child=self._make_child,
            )
            return found, profile_view(found)

        self.page.show_running(True, "Starting…")
        self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            cancelled=lambda: self._ended("Cancelled"),
            progress=lambda _done, _total: self.page.show_running(True, self._phases.text),
            lane="profile",
        )

    def _done(self, answer: tuple[Profile, ProfileView]) -> None:
        self._found, self._view = answer
        self._overlays.clear()
        self.page.show_view(self._view)
        self._ended()
        self._selected(self._workspace.active, self._workspace.selection(self._workspace.active))
        self.overlaid.emit()

    def _failed(self, error: StudioError) -> None:
        if self._view is None:
            self.page.say(str(error))
        self._ended(str(error))

    def _ended(self, words: str = "") -> None:
        self.page.show_running(False, words)
        self.ended.emit()

    def _reveal(self, row: object) -> None:
        """Select in the pictures what a row is about."""
        refs: tuple[NodeRef, ...] = ()
        if isinstance(row, NodeLine):
            refs = row.file
        elif isinstance(row, FusionLine):
            refs = row.fusion.row.b
            if not refs:
                self._select(0, row.fusion.row.a)
        if refs:
            self._select(self._side, refs)

    def _select(self, side: int, refs: tuple[NodeRef, ...]) -> None:
        document = self._workspace.document(side)
        place = document.find_node(refs[-1]) if document is not None and refs else None
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
        of_file = side == self._side
        lines = (
            line for line in self._view.nodes if node in (line.file if of_file else line.source)
        )
        self.page.select(self.page.nodes, next(lines, None))

    def _ask_where(self, kind: str) -> None:
        """The dialog has asked already whether a file may be replaced."""
        assert self._found
        path = self._found.file.document.path
        proposed = path.with_name(f"{path.stem}.{kind}.json" if kind == "trace" else "profile.json")
        name, _ = QFileDialog.getSaveFileName(self.page, "Save Profile", str(proposed))
        if name:
            self.save(Path(name), kind)

    def save(self, target: Path, kind: str) -> None:
        """Write the profile as `json`, or as the `trace` that the runtime wrote."""
        found = self._found
        if found is None:
            return
        trace = self.trace

        def work(_task: Task) -> None:
            if kind == "trace":
                with trace.open("rb") as file:
                    write_whole(target, lambda out: shutil.copyfileobj(file, out), overwrite=True)
            else:
                text = json.dumps(found.to_json(), allow_nan=False).encode()
                write_whole(target, lambda out: out.write(text + b"\n"), overwrite=True)

        self._tasks.run(
            work,
            done=lambda _none: self.saved.emit(target),
            failed=self.failed.emit,
            lane=target,
        )
