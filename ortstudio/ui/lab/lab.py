"""Measures what is open in another thread, and shows what has come in while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.services.lab.bench import bench
from ortstudio.services.lab.earlier import Earlier
from ortstudio.services.lab.measuring import LabProgress
from ortstudio.services.lab.page import page
from ortstudio.services.lab.reopening import reopen
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.saved import csv_text, save, write
from ortstudio.services.lab.view import View, view
from ortstudio.services.lab.words import headline, subject_text
from ortstudio.services.runtimes import Runtime
from ortstudio.ui.lab.answer import answer_sheet
from ortstudio.ui.lab.page import CHOOSE, MEASURED, LabPage
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.views.facts import Sheet
from ortstudio.ui.workspace import Workspace

RESULTS = "Results (*.json);;All files (*)"
MODELS = "Models (*.ort *.onnx);;All files (*)"
LEAST_PAUSE_S = 0.5
"""Between two looks at what has come in: figures and painting take time from what is measured."""


class Lab(QObject):
    """Belongs to one workspace.

    `made` gives what was converted last, `runtimes` what is at hand and the one in use.
    """

    ended = Signal()
    """There is a result, or there will be none."""
    failed = Signal(object)
    """A `StudioError`: something could not be opened or saved."""
    saved = Signal(object)
    """The path of a file that was written."""
    code_requested = Signal(object, object)
    """The path of a model and the `Mode` that code is wanted for."""

    def __init__(
        self,
        workspace: Workspace,
        parent: QObject,
        made: Callable[[], Sequence[Path]],
        runtimes: Callable[[], tuple[Sequence[Runtime], Runtime]],
    ) -> None:
        super().__init__(parent)
        self._workspace, self._made, self._runtimes = workspace, made, runtimes
        self._tasks = Tasks(self)
        self._task: Task | None = None
        self._result: Result | None = None
        self._earlier: Earlier | None = None
        self._live: tuple[View, str] | None = None
        self._measure = ""
        self.page = shown = LabPage()
        shown.shown.connect(self._offer)
        shown.start_requested.connect(self.start)
        shown.cancel_requested.connect(self.cancel)
        shown.measure_chosen.connect(self._show_measure)
        shown.code_requested.connect(self._ask_for_code)
        shown.open_requested.connect(self._ask_for_result)
        shown.earlier_requested.connect(self._ask_for_earlier)
        shown.save_requested.connect(self._ask_where)
        shown.choices.add_requested.connect(self._ask_for_files)
        workspace.changed.connect(self._offer_if_seen)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being measured or figured out."""
        return self._tasks.is_idle()

    def _offer_if_seen(self) -> None:
        if self.page.isVisible():
            self._offer()

    def _offer(self) -> None:
        """Offer what is open now to be measured."""
        if self._task is None:
            self.page.choices.show_files(self._opened(), self._made())
            self.page.choices.show_runtimes(*self._runtimes())

    def _opened(self) -> list[Path]:
        documents = [self._workspace.document(side) for side in self._workspace.open_sides]
        return [document.path for document in documents if document is not None]

    def start(self) -> None:
        """Measure what is chosen."""
        try:
            paths, settings = self.page.choices.paths(), self.page.choices.settings()
        except StudioError as error:
            self.page.state.setText(str(error))
            self.page.show_part(CHOOSE)
            return
        self._live, self._measure = None, self.page.measure
        self.page.show_running(True)
        self.page.allow_results(False)
        self.page.state.setText("Finding inputs that the model accepts…")
        self.page.words.setText("Measuring…")
        self.page.show_part(MEASURED)

        def work(task: Task) -> Result:
            look = _Looking(self._look, task)
            return bench(paths, settings, on_progress=look, cancelled=task.cancelled)

        self._task = self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            cancelled=self._nothing_measured,
            progress=self._show_live,
            lane="measure",
        )

    def cancel(self) -> None:
        """End it; what was measured until then stays."""
        if self._task is not None:
            self.page.state.setText("Ending…")
            self._task.cancel()

    def _look(self, progress: LabProgress) -> None:
        """Take in what is there, between two children: called in the measuring thread."""
        measures = progress.result.measures()
        measure = self._measure if self._measure in measures else next(iter(measures))
        number = progress.round_number
        words = f"Round {number}" if number else "Trying out"
        name = subject_text(progress.result, progress.subject)
        self._live = (
            view(_copied(progress.result), measure, self._earlier),
            (f"{words}, {progress.elapsed_s:.0f} s: {name}"),
        )

    def _show_live(self, _done: int, _total: int) -> None:
        if self._live is not None and self._task is not None:
            shown, words = self._live
            self.page.state.setText(words)
            self.page.show_view(shown)

    def _done(self, result: Result) -> None:
        self._ended()
        self._take(result)

    def _failed(self, error: StudioError) -> None:
        self._ended()
        self.page.state.setText(str(error))
        self.page.words.setText(str(error))
        self.ended.emit()

    def _nothing_measured(self) -> None:
        self._ended()
        self.page.state.setText("Cancelled before anything was measured")
        self.page.words.setText("Cancelled before anything was measured.")
        self.ended.emit()

    def _ended(self) -> None:
        self._task = None
        self.page.show_running(False)
        self.page.allow_results(self._result is not None)

    def _take(self, result: Result) -> None:
        """Show a result that is whole."""
        self._result = result
        self.page.show_measures(result.measures())
        self.page.allow_results(True)
        self.page.state.setText(f"{count(result.rounds, 'round')}, {result.stopped}")
        self._figure_out(MEASURED)

    def _show_measure(self, measure: str) -> None:
        self._measure = measure
        if self._task is None:
            self._figure_out(MEASURED)

    def _figure_out(self, part: int) -> None:
        """Work out what is shown of the result, in another thread."""
        result, measure, earlier = self._result, self.page.measure, self._earlier
        if result is None:
            return

        def work(_task: Task) -> tuple[View, Sheet, str]:
            return view(result, measure, earlier), answer_sheet(result, earlier), headline(result)

        def done(found: tuple[View, Sheet, str]) -> None:
            self.page.show_view(found[0])
            self.page.show_answer(*found[1:])
            self.page.show_part(part)
            self.ended.emit()

        self._tasks.run(work, done=done, failed=self.failed.emit, lane="view")

    def _ask_for_code(self, place: int) -> None:
        if self._result is not None:
            subject = self._result.subjects[place].subject
            self.code_requested.emit(subject.path, subject.as_loaded())

    def _ask_for_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self.page, "Add Files", self._folder(), MODELS)
        self.page.choices.add_files([Path(name) for name in names])

    def _ask_for_result(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.page, "Open Result", self._folder(), RESULTS)
        if name and self._task is None:
            self.open_result(Path(name))

    def _ask_for_earlier(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self.page, "Compare with an Earlier Result", self._folder(), RESULTS
        )
        if name:
            self.compare_with(Path(name))

    def open_result(self, path: Path) -> None:
        """Show a result that was saved."""
        self._earlier = None
        self._tasks.run(
            lambda _task: reopen(path), done=self._take, failed=self.failed.emit, lane="open"
        )

    def compare_with(self, path: Path) -> None:
        """Hold the result against an earlier one."""

        def done(found: Result) -> None:
            self._earlier = Earlier(found)
            self._figure_out(max(self.page.parts.currentIndex(), MEASURED))

        self._tasks.run(
            lambda _task: reopen(path), done=done, failed=self.failed.emit, lane="earlier"
        )

    def _ask_where(self, kind: str) -> None:
        """The dialog has asked already whether a file may be replaced."""
        proposed = str(Path(self._folder(), f"bench.{kind}"))
        name, _ = QFileDialog.getSaveFileName(self.page, "Save Result", proposed)
        if name:
            self.save(Path(name), kind)

    def save(self, target: Path, kind: str) -> None:
        """Write the result as `json`, its samples as `csv`, or a page as `html`."""
        result = self._result
        if result is None:
            return

        def work(_task: Task) -> None:
            if kind == "json":
                save(result, target, overwrite=True)
            else:
                write(
                    csv_text(result) if kind == "csv" else page(result, self._earlier),
                    target,
                    overwrite=True,
                )

        self._tasks.run(
            work,
            done=lambda _none: self.saved.emit(target),
            failed=self.failed.emit,
            lane=target,
        )

    def _folder(self) -> str:
        opened = self._opened()
        return str(opened[-1].parent) if opened else ""


class _Looking:
    """Passes progress on, not too often."""

    def __init__(self, look: Callable[[LabProgress], None], task: Task) -> None:
        self._look, self._task = look, task
        self._next = 0.0

    def __call__(self, progress: LabProgress) -> None:
        """Called before and after every child."""
        if time.monotonic() >= self._next:
            self._look(progress)
            self._task.progress(progress.round_number, 0)
            self._next = time.monotonic() + LEAST_PAUSE_S


def _copied(result: Result) -> Result:
    """What is there now, which goes on changing elsewhere."""
    subjects = [replace(one, rounds=list(one.rounds)) for one in result.subjects]
    return replace(result, subjects=subjects)
