"""The comparison of what is open side by side: runs it, colours pictures, follows selections."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.analysis.picture import Picture
from ortstudio.errors import StudioError
from ortstudio.model.refs import Ref
from ortstudio.services.crossing import Crossing
from ortstudio.services.diff import compare_documents
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.changes_page import ChangesPage
from ortstudio.ui.diff_overlay import diff_overlay
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import SIDES, Workspace


class Comparing(QObject):
    """Belongs to one workspace. Everything it shows it takes from one `Crossing`."""

    compared = Signal(object)
    """A `Crossing`, or None where the two cannot be compared."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._overlays: dict[tuple[int, int], Overlay | None] = {}
        self._tasks = Tasks(self)
        self.page = ChangesPage()
        self.crossing: Crossing | None = None
        self.page.chosen.connect(self.show_row)
        workspace.changed.connect(self._forget)
        workspace.selected.connect(self._selected)

    def _forget(self) -> None:
        self._tasks.drop("compare")
        self.crossing = None
        self._overlays.clear()
        self._workspace.set_crossing(None)
        self.page.say("Open a source and its result to see what changed.")

    def compare(self) -> None:
        """Compare what is open on both sides, off the UI thread."""
        first, second = (self._workspace.document(side) for side in SIDES)
        if first is None or second is None:
            self.compared.emit(None)
            return
        self.page.say("Comparing…")

        def work(task: Task) -> Crossing:
            found = compare_documents(first, second, task.progress, task.cancelled)
            crossing = Crossing(found)
            crossing.prepare()
            return crossing

        self._tasks.run(
            work, done=self._done, failed=self._failed, progress=self._progress, lane="compare"
        )

    def _progress(self, done: int, total: int) -> None:
        self.page.say(f"Comparing: {done / max(total, 1):.0%} of the weights read")

    def _done(self, crossing: Crossing) -> None:
        self.crossing = crossing
        self._workspace.set_crossing(self.crossing)
        self.page.show_crossing(self.crossing)
        self.compared.emit(self.crossing)

    def _failed(self, error: StudioError) -> None:
        self.page.say(str(error))
        self.compared.emit(None)

    def overlay(self, side: int, picture: Picture) -> Overlay | None:
        """The changes laid over what a side shows; None where there is no comparison."""
        if self.crossing is None:
            return None
        key = side, self._workspace.graph(side)
        if key not in self._overlays:
            self._overlays[key] = diff_overlay(self.crossing, *key, picture)
        return self._overlays[key]

    def show_row(self, row: NodeRow) -> None:
        """Select what a row is about: in the result, else in the source."""
        if self.crossing is None:
            return
        for side in (1, 0):
            nodes = self.crossing.nodes_of(side, row)
            if nodes:
                self._workspace.select(side, nodes[-1])
                return

    def _selected(self, side: int, ref: Ref | None) -> None:
        if self.crossing is not None and ref is not None and side == self._workspace.active:
            row = self.crossing.row_of(side, ref)
            if row is not None:
                self.page.select(row)
