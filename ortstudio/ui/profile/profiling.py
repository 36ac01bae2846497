"""Profiles what is open when asked to, and lays the times over the pictures."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from PySide6.QtCore import QObject

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.jobs.runner import Child
from ortstudio.services.document import Document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.profile import ProfileSettings, profile
from ortstudio.services.profile_found import Profile
from ortstudio.services.profile_view import FusionLine, NodeLine, ProfileView, profile_view
from ortstudio.services.sessions import Level
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.measured_work import MeasuredWork, is_run, json_line
from ortstudio.ui.profile.heat import heat_overlay
from ortstudio.ui.profile.page import ProfilePage
from ortstudio.ui.tasks import Task
from ortstudio.ui.workspace import Workspace


class Profiling(MeasuredWork[Profile, ProfileView]):
    """Times a workspace's model by node. Of a pair that is the result, and the source beside it."""

    def __init__(
        self, workspace: Workspace, parent: QObject, make_child: Callable[[], Child]
    ) -> None:
        self.page = ProfilePage()
        super().__init__(workspace, parent, make_child, self.page)
        self._kept = ExitStack()
        weakref.finalize(self, self._kept.close)
        self._forget()

    @cached_property
    def trace(self) -> Path:
        """Where the last profile is kept as the runtime wrote it. Raises RefusedError."""
        return self._kept.enter_context(temporary_folder()) / "trace.json"

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

        self._run(work)

    def save(self, target: Path, kind: str) -> None:
        """Write the profile as `json`, or as the `trace` that the runtime wrote."""
        found = self._found
        if found is None:
            return
        trace = self.trace

        def write(out: BinaryIO) -> None:
            if kind == "trace":
                with trace.open("rb") as file:
                    shutil.copyfileobj(file, out)
            else:
                out.write(json_line(found.to_json()))

        self._save(target, write)

    @property
    def _side(self) -> int:
        """The side whose file is profiled."""
        return self._workspace.open_sides[-1] if self._workspace.open_sides else 0

    def _documents(self) -> tuple[Document, Document | None] | None:
        """The file to profile and its source; None where there is nothing that runs."""
        sides = [self._workspace.document(side) for side in self._workspace.open_sides]
        found = [document for document in sides if document is not None and is_run(document)]
        if not found or len(found) < len(sides):
            return None
        return found[-1], found[0] if len(found) == 2 else None

    def _why_not(self) -> str:
        if not self._workspace.open_sides:
            return "Open a model to see where its time goes."
        return "" if self._documents() else "This holds no graph that could be run."

    def _show(self, view: ProfileView) -> None:
        self.page.show_view(view)

    def _overlaid(self, side: int, picture: Picture) -> Overlay | None:
        assert self._view
        return heat_overlay(self._view.shares[0 if side == self._side else 1], picture)

    def _reveal(self, row: object) -> None:
        if isinstance(row, NodeLine):
            self._select(self._side, row.file)
        elif isinstance(row, FusionLine):
            made = row.fusion.row.b
            self._select(self._side if made else 0, made or row.fusion.row.a)

    def _follow(self, side: int, node: NodeRef) -> None:
        of_file = side == self._side
        lines = (
            line
            for line in (self._view.nodes if self._view else ())
            if node in (line.file if of_file else line.source)
        )
        self.page.select(self.page.nodes, next(lines, None))

    def _ask_where(self, kind: str) -> None:
        assert self._found
        path = self._found.file.document.path
        proposed = path.with_name(f"{path.stem}.{kind}.json" if kind == "trace" else "profile.json")
        target = self._place("Save Profile", proposed)
        if target is not None:
            self.save(target, kind)
