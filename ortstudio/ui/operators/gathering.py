"""What a build must have for what is open: found out when somebody looks, in another thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from ortstudio.analysis.nodes import by_operator
from ortstudio.analysis.operator_matrix import MatrixRow
from ortstudio.errors import StudioError
from ortstudio.services import ops
from ortstudio.services.ops_open import CONFIG_NAME, OpenNeeds, needs_of_open
from ortstudio.ui.operators.page import OperatorsPage
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.workspace import Workspace

NOTHING = "Open a model, or add files, to see what a build must have to run them."
FILTER = "Models and configs (*.ort *.onnx *.config);;All files (*)"


class Gathering(QObject):
    """Belongs to one workspace; files that are added are asked of too, until others are opened.

    Where nothing is open it asks of what was converted last, which `made` gives.
    """

    ended = Signal()
    """There is an answer, or there will be none."""
    saved = Signal(object)
    """The path of a config that was written."""
    failed = Signal(object)
    """A `StudioError`: a config could not be written."""

    def __init__(
        self, workspace: Workspace, parent: QObject, made: Callable[[], Sequence[Path]]
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._made = made
        self._tasks = Tasks(self)
        self._added: tuple[Path, ...] = ()
        self._asked: tuple[Path, ...] = ()
        self._types = False
        self._found: OpenNeeds | None = None
        self.page = OperatorsPage()
        self.page.say(NOTHING)
        self.page.shown.connect(self._look)
        self.page.types_wanted.connect(self._want_types)
        self.page.add_requested.connect(self._ask_for_files)
        self.page.save_requested.connect(self._ask_where)
        self.page.operator_chosen.connect(self._reveal)
        workspace.changed.connect(self._forget)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being found out."""
        return self._tasks.is_idle()

    def add(self, paths: Sequence[Path]) -> None:
        """Ask of these models and configs too."""
        self._added = tuple(dict.fromkeys((*self._added, *paths)))
        self._start()

    def _forget(self) -> None:
        self._tasks.drop("operators")
        self._found = None
        self._added = ()
        self.page.say(NOTHING)
        if self.page.isVisible():
            self._look()

    def _want_types(self, wanted: bool) -> None:
        self._types = wanted
        self._start()

    def _look(self) -> None:
        """Find it out, unless it is known or being found out."""
        is_old = not self._workspace.open_sides and self._asked != self._sources()
        if (self._found is None or is_old) and self.is_idle:
            self._start()

    def _sources(self) -> tuple[Path, ...]:
        """The files that are asked of beside what is open."""
        return self._added or (() if self._workspace.open_sides else tuple(self._made()))

    def _start(self) -> None:
        documents = [
            document
            for side in self._workspace.open_sides
            if (document := self._workspace.document(side)) is not None
        ]
        added, types = self._sources(), self._types
        if not documents and not added:
            return
        self._asked = added

        def work(_task: Task) -> OpenNeeds:
            return needs_of_open(documents, added, types=types)

        self._tasks.run(work, done=self._done, failed=self._failed, lane="operators")

    def _done(self, found: OpenNeeds) -> None:
        self._found = found
        errors = [row.error for row in found.everything.rows if row.error is not None]
        if len(errors) == len(found.everything.rows):
            self._found = None
            self.page.say("\n".join(map(str, errors)))
        else:
            self.page.show_needs(found)
        self.ended.emit()

    def _failed(self, error: StudioError) -> None:
        self.page.say(str(error))
        self.ended.emit()

    def _ask_for_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self.page, "Add files", self._folder(), FILTER)
        if names:
            self.add([Path(name) for name in names])

    def _ask_where(self) -> None:
        """The dialog has asked already whether a file may be replaced."""
        proposed = str(Path(self._folder(), CONFIG_NAME))
        name, _ = QFileDialog.getSaveFileName(self.page, "Save config", proposed)
        if name and self._found is not None:
            self._save(self._found, Path(name))

    def _save(self, found: OpenNeeds, target: Path) -> None:
        self._tasks.run(
            lambda _task: ops.write(found.shipped, target, overwrite=True),
            done=lambda _written: self.saved.emit(target),
            failed=self.failed.emit,
            lane="save",
        )

    def _folder(self) -> str:
        """Where the last of the open documents lies: a result, where there is one."""
        sides = self._workspace.open_sides
        document = self._workspace.document(sides[-1]) if sides else None
        return "" if document is None else str(document.path.parent)

    def _reveal(self, row: MatrixRow) -> None:
        """Select the first node of an operator on every side that has one."""
        for side in reversed(self._workspace.open_sides):
            document = self._workspace.document(side)
            if document is None or str(document.path) not in row.by_model:
                continue
            for operator, users in by_operator(document.model.graphs).items():
                if operator.text != row.operator.text:
                    continue
                ref = document.find_node(next(users.refs()))
                if ref is not None:
                    self._workspace.select(side, ref)
                    return
