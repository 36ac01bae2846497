"""From paths to what is open: what is shown of them, what is offered, and why something is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from ortstudio.analysis.words import count, size_text
from ortstudio.errors import StudioError
from ortstudio.services.arrivals import Arrivals, arrivals
from ortstudio.services.document import Document, open_document
from ortstudio.ui.looking import Looking
from ortstudio.ui.offering import Offering
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Opened:
    """What was found, the one or two documents to show, and why a file that was named is not."""

    found: Arrivals
    documents: list[Document]
    problem: StudioError | None


def open_files(paths: Sequence[Path]) -> Opened:
    """Look at files and into folders, and open what is to be shown: one model or a pair.

    Many sources are only found: they are to be converted. Raises StudioError where what is to be
    shown cannot be read, and where nothing else was found than what is no model.
    """
    found = arrivals(paths)
    chosen = found.pair or found.models[:1]
    if len(found.models) > 1 and found.onnx and not found.pair:
        chosen = ()
    elif not found.models and found.refused:
        chosen = found.refused[:1]  # Opening it says what it is instead.
    if found.onnx and len(chosen) < 2:
        _load_offer()
    documents = [open_document(path) for path in chosen]
    named = [path for path in found.refused if path in paths]
    return Opened(found, documents, _why_not(named[0]) if named else None)


def _load_offer() -> None:
    """Load what offers a conversion, here, where the window does not wait for it."""
    import ortstudio.ui.converting  # noqa: F401


def _why_not(path: Path) -> StudioError | None:
    try:
        open_document(path)
    except StudioError as error:
        return error
    return None


def summed_up(document: Document) -> str:
    """`74 nodes, 60,882 parameters, 252 kB`."""
    totals, files = document.totals, len(document.external_files)
    size = size_text(document.size_bytes) + (f" in {files + 1} files" if files else "")
    texts = count(totals.nodes, "node"), count(totals.parameters, "parameter"), size
    return ", ".join(texts if totals.nodes else texts[1:])


class Opening(QObject):
    """Opens files into a workspace, in another thread; only what was asked for last counts."""

    opened = Signal(list)
    """These paths are open now; what is offered follows."""
    ended = Signal()
    """Nothing is being opened any more, whether it could be or not."""
    failed = Signal(object)
    """A `StudioError`: something could not be opened."""
    busy = Signal(str)
    """What is being opened, empty when nothing is."""
    summary = Signal(str)
    """A line about what is open."""

    def __init__(
        self, workspace: Workspace, offering: Offering, looking: Looking, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._offering = offering
        self._looking = looking
        self._tasks = Tasks(self)
        self._asked: tuple[Path, ...] = ()
        self._taken: Opened | None = None
        self._is_under_way = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being opened."""
        return not self._is_under_way

    def open(self, paths: Sequence[Path]) -> None:
        """Open files: one, two side by side, or many to be converted. Answers come as signals."""
        self._asked, self._taken = tuple(paths), None
        self._is_under_way = True
        self.busy.emit(f"Opening {paths[0].name}" if len(paths) == 1 else "Opening")
        self._tasks.run(
            lambda _task: open_files(paths), done=self._take, failed=self._refused, lane="open"
        )

    def cancel(self) -> None:
        """Wait no longer for what was asked to open; what is open stays."""
        self._tasks.drop("open")
        self._taken = None
        self.busy.emit("")
        if self._is_under_way:
            self._is_under_way = False
            self.ended.emit()

    def close(self) -> None:
        """Let go of what is open."""
        self.cancel()
        self._tasks.drop("summary")
        self._offering.sources = ()
        self._workspace.set_documents(None)

    def _take(self, answer: Opened) -> None:
        """Show what was opened. An offer comes after that: making both would take too long."""
        found, documents = answer.found, answer.documents
        if not documents and not found.onnx:
            where = self._asked[0].name if self._asked else ""
            self._refused(StudioError(f"There is no model in {where}"))
            return
        self._taken = answer
        # Folders as such: their results keep the folders within.
        self._offering.sources = found.onnx[:1] if documents else self._asked
        self._looking.expect(bool(documents))
        self._workspace.set_documents(*documents[:2] or (None,))
        self.opened.emit([document.path for document in documents])
        self._sum_up(documents)
        if self._offering.sources and len(documents) < 2:
            QTimer.singleShot(0, self, lambda: self._offer(answer))
        else:
            self._end(answer)

    def _offer(self, answer: Opened) -> None:
        """Offer to convert what is open, unless something else was asked for meanwhile."""
        if answer is self._taken:
            self._offering.offer()
            self._end(answer)

    def _end(self, answer: Opened) -> None:
        self._is_under_way = False
        self.busy.emit("")
        self._offering.tell_result()
        self.ended.emit()
        if answer.problem is not None:
            self.failed.emit(answer.problem)

    def _refused(self, error: StudioError) -> None:
        self._is_under_way = False
        self.busy.emit("")
        self.failed.emit(error)
        self.ended.emit()

    def _sum_up(self, documents: Sequence[Document]) -> None:
        """Another thread adds a large model's tensors up."""
        self._tasks.run(
            lambda _task: "   →   ".join(map(summed_up, documents)),
            done=self.summary.emit,
            failed=self.failed.emit,
            lane="summary",
        )
