"""Asks which releases load what is open, and tries those at hand; off the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Build
from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.services.compatibility import BUILDS, Judged, judge
from ortstudio.services.document import Document
from ortstudio.services.runtimes import Runtime
from ortstudio.services.try_load import Tried, try_load
from ortstudio.ui.compatibility.chip import releases_chip, unknown_chip
from ortstudio.ui.runtimes.choosing import Choosing
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.ui.compatibility.page import CompatibilityPage

Key = tuple[str, object, Release]
"""A file as it was when it was read, and a release."""


class Judging(QObject):
    """Belongs to one workspace. Trials are kept as long as the window is open."""

    ended = Signal()
    """There is an answer, or there will be none."""
    judged = Signal(object)
    """The `Chip` of full builds for the result, or for the only file."""
    shown = Signal()
    """Somebody looks at the page."""
    changed = Signal()
    """There is another answer, or something else came of a trial."""
    install_requested = Signal(str)
    """A release is to be installed."""
    explain_requested = Signal(str)
    """What a runtime said is to be explained."""
    upgrade_requested = Signal(object)
    """The path of a file that is to be upgraded."""

    def __init__(self, workspace: Workspace, choosing: Choosing, parent: QObject) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.choosing = choosing
        self._tasks = Tasks(self)
        self._page: CompatibilityPage | None = None
        self._found: dict[tuple[int, Build], Judged] = {}
        self._tried: dict[Key, Tried] = {}
        self._problems: dict[Key, StudioError] = {}
        self._running: Key | None = None
        self.problem = ""
        """Why there is no answer."""
        workspace.changed.connect(self._forget)
        choosing.changed.connect(self.changed)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being found out."""
        return self._tasks.is_idle()

    @property
    def page(self) -> CompatibilityPage:
        """The page that shows it, made when first needed."""
        if self._page is None:
            from ortstudio.ui.compatibility.page import CompatibilityPage

            self._page = CompatibilityPage(self)
            self._page.shown.connect(self.shown)
        return self._page

    @property
    def sides(self) -> dict[int, Document]:
        """The open files that a release could load."""
        found = {side: self.workspace.document(side) for side in self.workspace.open_sides}
        return {
            side: document
            for side, document in found.items()
            if document is not None and document.model.kind in (FileKind.ORT, FileKind.ONNX)
        }

    def of(self, side: int, build: Build) -> Judged | None:
        """All answers about a side, as far as they are known."""
        return self._found.get((side, build))

    def _forget(self) -> None:
        self._tasks.cancel_all()
        for build in BUILDS:
            self._tasks.drop(("judge", build))
        self._found = {}
        self.problem = ""
        self.changed.emit()

    def judge(self, build: Build = "full") -> None:
        """Ask all releases about all that is open, as far as that is not known."""
        wanted = {side: doc for side, doc in self.sides.items() if not self.of(side, build)}
        if not wanted:
            return
        needs = {side: one.needs for (side, _), one in self._found.items()}

        def work(_task: Task) -> dict[int, Judged]:
            return {side: judge(doc, build, needs.get(side)) for side, doc in wanted.items()}

        self._tasks.run(work, done=self._take, failed=self._failed, lane=("judge", build))

    def _take(self, found: dict[int, Judged]) -> None:
        for side, judged in found.items():
            self._found[side, judged.build] = judged
            if judged.build == "full" and side == max(self.sides):
                self.judged.emit(releases_chip(judged.strip))
        self.changed.emit()
        self.ended.emit()

    def _failed(self, error: StudioError) -> None:
        self.problem = str(error)
        self.judged.emit(unknown_chip(self.problem))
        self.changed.emit()
        self.ended.emit()

    def runtime(self, release: Release) -> Runtime | None:
        """One of that release at hand, the one in use before others."""
        known = (one for one in (self.choosing.current, *self.choosing.all) if one.kind.is_python)
        return next((one for one in known if one.onnxruntime == str(release)), None)

    def is_at_hand(self, release: Release) -> bool | None:
        """Whether there is one; None while the list of those at hand is being read."""
        if self.runtime(release) is not None:
            return True
        return False if self.choosing.all else None

    def tried(self, side: int, release: Release) -> Tried | None:
        """What came of a trial."""
        key = self._key(side, release)
        return None if key is None else self._tried.get(key)

    def problem_of(self, side: int, release: Release) -> StudioError | None:
        """Why nothing came of one."""
        key = self._key(side, release)
        return None if key is None else self._problems.get(key)

    def is_trying(self, side: int, release: Release) -> bool:
        """Whether it is being tried."""
        return self._running is not None and self._running == self._key(side, release)

    def _key(self, side: int, release: Release) -> Key | None:
        document = self.workspace.document(side)
        if document is None:
            return None
        return str(document.path.absolute()), document.model.source.identity, release

    def try_for_real(self, side: int, release: Release) -> None:
        """Load the file of a side under the release at hand, in place of an earlier trial."""
        document, runtime = self.workspace.document(side), self.runtime(release)
        key = self._key(side, release)
        if document is None or runtime is None or key is None:
            return
        self._running = key
        self._problems.pop(key, None)

        def done(tried: Tried) -> None:
            self._tried[key] = tried
            self._over(key)

        def failed(error: StudioError) -> None:
            self._problems[key] = error
            self._over(key)

        self._tasks.run(
            lambda task: try_load(document, runtime, cancelled=task.cancelled),
            done=done,
            failed=failed,
            cancelled=lambda: self._over(key),
            lane="try",
        )
        self.changed.emit()

    def cancel(self) -> None:
        """Try no longer."""
        self._tasks.drop("try")
        if self._running is not None:
            self._over(self._running)

    def _over(self, key: Key) -> None:
        if self._running == key:
            self._running = None
        self.changed.emit()
        self.ended.emit()
