"""The dialog that edits what is open: what to change, where to, and what comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.model.model import Model
from ortstudio.services.conversion import CancelledError, ConvertProgress
from ortstudio.services.edit import Edited, EditSettings, edit, suffix_of
from ortstudio.services.edit_changes import Changes, check_changes
from ortstudio.services.staging import NAME_BYTES
from ortstudio.ui import icons, theme
from ortstudio.ui.edit.form import EditForm
from ortstudio.ui.hints import in_window
from ortstudio.ui.offer.card import Card
from ortstudio.ui.offer.fields import Switch
from ortstudio.ui.plain import one_line
from ortstudio.ui.tasks import Task, Tasks
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.foot import Foot
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel
from ortstudio.ui.views.page import Page

SIZE = (640, 720)
WIDEST = 720
DELAY_MS = 150
"""What was changed is looked at when no other change follows at once."""
MOST_WORDS = 4
"""Changes that are said one by one."""
_NOTHING = "Nothing is changed yet."
_PHASES = {
    "write": "Writing",
    "check": "Reading it back",
    "load": "Loading, to verify",
    "run": "Running, to verify",
    "publish": "Putting it in its place",
}


class EditDialog(QDialog):
    """Edits one model into a file of another name; `sizes` are its symbols and their uses."""

    edited = Signal(object)
    """It is done: an `Edited`."""

    def __init__(
        self, model: Model, sizes: Mapping[str, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        source = Path(model.source.path)
        self._model = model
        self._tasks = Tasks(self)
        self._task: Task | None = None
        self._changes = Changes()
        self._overwrite = False
        self.make_child: Callable[[], Child] = agent_child
        self.setWindowTitle(f"Edit {one_line(source.name)}")
        self.resize(*SIZE)
        self.form = EditForm(model, sizes)
        self.verify = Switch("Verify", "Run old and new on the same inputs and compare.", on=True)
        self.target = free_name(model)
        self._shown_target = ElidedLabel()
        self.said = PlainLabel(_NOTHING)
        self.write, self.cancel = QPushButton("Write"), QPushButton("Cancel")
        self._lay_out()
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._look)
        self.form.changed.connect(self._delay.start)
        self.write.clicked.connect(self._start)
        self.cancel.clicked.connect(self.reject)
        self._settle(_NOTHING, ready=False)

    def _lay_out(self) -> None:
        self._card = Card("Edit")
        name = ElidedLabel()
        name.setFont(theme.mono())
        name.setText(Path(self._model.source.path).name)
        self._card.column.addWidget(name)
        text = "No source is needed: weights and nodes stay. The original is not touched."
        self._card.column.addWidget(PlainLabel(text, muted=True))
        self._card.column.addWidget(self.form)
        self._card.column.addWidget(self.verify)
        self.choose_button = QPushButton("Save As…")
        self.choose_button.setAutoDefault(False)
        self.cancel.setAutoDefault(False)
        icons.set_icon(self.choose_button, "save")
        self.choose_button.clicked.connect(self._choose)
        self.write.setDefault(True)
        where = QHBoxLayout()
        where.setSpacing(2 * SPACE)
        where.addWidget(self._shown_target, 1)
        where.addWidget(self.choose_button)
        words = QWidget()
        lines = QVBoxLayout(words)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addLayout(where)
        lines.addWidget(self.said)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Page(self._card, WIDEST, from_top=True), 1)
        column.addWidget(Foot(words, Flow(self.write, self.cancel), widest=WIDEST))
        self._shown_target.setText(str(self.target))

    def _choose(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save as", str(self.target))
        if name:
            self.target = Path(name)
            self._overwrite = True  # Whoever chose it was asked.
            self._shown_target.setText(name)

    def _look(self) -> None:
        """Say what would change, or why it cannot; in another thread, since models are large."""
        self._changes, model = self.form.changes, self._model
        changes = self._changes
        if changes.none:
            self._settle(_NOTHING, ready=False)
            return
        self._tasks.run(
            lambda _task: _looked_at(changes, model),
            done=lambda words: self._settle(words, ready=True),
            failed=lambda error: self._settle(_with_hint(error), ready=False),
            lane="look",
        )

    def _settle(self, text: str, *, ready: bool) -> None:
        self.said.setText(text)
        self.write.setEnabled(ready)

    def _start(self) -> None:
        settings = EditSettings(
            self.target, self.form.changes, overwrite=self._overwrite, verify=self.verify.on
        )
        source, make_child = Path(self._model.source.path), self.make_child
        phases = list(_PHASES)
        self._wait(waiting=True)

        def work(task: Task) -> Edited:
            def tell(progress: ConvertProgress) -> None:
                if progress.phase in phases:
                    task.progress(phases.index(progress.phase), len(phases))

            return edit(
                source,
                settings,
                on_progress=tell,
                cancelled=task.cancelled,
                make_child=make_child,
            )

        self._task = self._tasks.run(
            work,
            done=self._done,
            failed=self._failed,
            progress=lambda phase, _all: self.said.setText(f"{_PHASES[phases[phase]]}…"),
            cancelled=lambda: self._wait(waiting=False),
        )

    def _wait(self, *, waiting: bool) -> None:
        if not waiting:
            self._task = None
        self._card.setEnabled(not waiting)
        self.choose_button.setEnabled(not waiting)
        self._settle("Writing…" if waiting else "", ready=not waiting)
        if not waiting:
            self._look()

    def _done(self, result: Edited) -> None:
        if result.error is None:
            self._task = None
            self.edited.emit(result)
            self.accept()
            return
        self._wait(waiting=False)
        if not isinstance(result.error, CancelledError):
            self._failed(result.error)

    def _failed(self, error: StudioError) -> None:
        self._task = None
        self._card.setEnabled(True)
        self.choose_button.setEnabled(True)
        self._tasks.drop("look")
        self._settle(_with_hint(error), ready=True)

    def reject(self) -> None:
        """Stop what is under way; close where nothing is."""
        if self._task is not None:
            self._task.cancel()
            return
        super().reject()


def free_name(model: Model) -> Path:
    """`model.edited.ort` beside `model.ort`, with a number where that is taken.

    A file that is named for the other format gets the suffix of its own: any other is refused.
    """
    source = Path(model.source.path)
    suffix = suffix_of(model) if source.suffix.lower() in (".onnx", ".ort") else source.suffix
    endings = (f".edited{number if number > 1 else ''}{suffix}" for number in count(1))
    targets = (source.with_name(_fitting(source.stem, ending)) for ending in endings)
    return next(target for target in targets if not os.path.lexists(target))


def _fitting(stem: str, ending: str) -> str:
    """A name that file systems take: of a long one the end is left out."""
    while len(os.fsencode(stem + ending)) > NAME_BYTES:
        stem = stem[:-1]
    return stem + ending


def _looked_at(changes: Changes, model: Model) -> str:
    check_changes(changes, model)
    words = changes.words(model)
    shown = words[:MOST_WORDS]
    if len(words) > MOST_WORDS:
        shown.append(f"and {len(words) - MOST_WORDS} more")
    return "\n".join(shown)


def _with_hint(error: StudioError) -> str:
    return f"{error.message}. {in_window(error.hint)}".rstrip(" .") + "."
