"""Advice on what is open: found out when somebody looks, in another thread and child processes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.accelerators import NotTaken
from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.services.advice import Advice, advise, tries_unasked
from ortstudio.services.document import Document
from ortstudio.services.effects import CHOICES
from ortstudio.ui.advice.page import AdvicePage
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

NOTHING = "Open a model to see how to ship it."


class Advising(QObject):
    """Belongs to one workspace; its first document is the one that is advised on."""

    settings_chosen = Signal(object)
    """The `ConvertSettings` of a use are to be used for the source."""
    ended = Signal()
    """There is advice, or there will be none."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._advice: Advice | None = None
        self.page = AdvicePage()
        self.page.say(NOTHING)
        self.page.shown.connect(self._look)
        self.page.try_requested.connect(lambda: self._start(with_effects=True))
        self.page.cancel_requested.connect(self._tasks.cancel_all)
        self.page.settings_chosen.connect(self.settings_chosen)
        self.page.node_chosen.connect(self._reveal)
        workspace.changed.connect(self._forget)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being found out."""
        return self._tasks.is_idle()

    def _forget(self) -> None:
        self._tasks.drop("advice")
        self._advice = None
        self.page.say(NOTHING)
        if self.page.isVisible():
            self._look()

    def _look(self) -> None:
        """Find out what takes no long while, unless it is known or being found out."""
        document = self._document
        if document is not None and self._advice is None and self.is_idle:
            self._start(with_effects=tries_unasked(document))

    @property
    def _document(self) -> Document | None:
        for side in self._workspace.open_sides:
            return self._workspace.document(side)
        return None

    def _start(self, *, with_effects: bool) -> None:
        document = self._document
        if document is None:
            return
        if document.model.error is not None:
            self.page.say(f"Nothing can be said of a damaged file: {document.model.error.message}.")
            return
        if document.model.kind not in (FileKind.ONNX, FileKind.ORT):
            self.page.say("This has parameters, but no graph that could be shipped.")
            return
        self._progress(0, 1)

        def work(task: Task) -> Advice:
            return advise(
                document,
                with_effects=with_effects,
                on_progress=lambda _what, done, of: task.progress(done, of),
                cancelled=task.cancelled,
            )

        self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            cancelled=self._cancelled,
            progress=self._progress,
            lane="advice",
        )

    def _progress(self, done: int, total: int) -> None:
        text = "Looking at what accelerators would take"
        if total == len(CHOICES):
            text = f"Trying {CHOICES[done].name}"
        self.page.show_progress(f"{text}…", done, total)

    def _done(self, advice: Advice) -> None:
        self._advice = advice
        self.page.show_advice(advice)
        self.ended.emit()

    def _failed(self, error: StudioError) -> None:
        self.page.say(str(error), may_try=True)
        self.ended.emit()

    def _cancelled(self) -> None:
        if self._advice is not None:
            self.page.show_advice(self._advice)
        else:
            self.page.say("Cancelled.", may_try=True)
        self.ended.emit()

    def _reveal(self, row: NotTaken) -> None:
        """Select in the picture what a node came from."""
        document = self._document
        if self._advice is None or self._advice.accelerators is None or document is None:
            return
        for node in self._advice.accelerators.in_file(row.node):
            ref = document.find_node(node)
            if ref is not None:
                self._workspace.select(self._workspace.open_sides[0], ref)
                return
