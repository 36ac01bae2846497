"""The upgrade wizard's window: shows the state it is in, and passes on what is wanted next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.services.conversion import Conversion, State
from ortstudio.services.runtimes import Places, Runtime
from ortstudio.services.upgrade.report import FORMATS, write_report
from ortstudio.services.upgrade.settings import UpgradeSettings
from ortstudio.services.upgrade.upgraded import Upgraded
from ortstudio.services.upgrade.wizard import Explained, Looking, Reported, Request, Upgrading
from ortstudio.ui.hints import in_window
from ortstudio.ui.plain import one_line
from ortstudio.ui.theme import SPACE
from ortstudio.ui.upgrade.asking import Asking
from ortstudio.ui.upgrade.files import FilesList, ended_row, planned_row, running_row
from ortstudio.ui.upgrade.options import OptionsDialog
from ortstudio.ui.upgrade.sheets import HINTS, explained_sheet, report_sheet
from ortstudio.ui.upgrade.stepping import Stepping
from ortstudio.ui.views.facts import Sheet
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.foot import Foot
from ortstudio.ui.views.labels import PlainLabel

SIZE = (880, 760)
WIDEST = 1600
ROOMY = 640
"""Pixels of a dialog that has room for the list of files beside the rest."""
REPORTS = "A page (*.html);;JSON (*.json)"


class UpgradeDialog(QDialog):
    """Upgrades files and folders; nothing is written before that is asked for."""

    open_requested = Signal(list)
    """Paths of an old file and its result, to be looked at side by side."""
    convert_requested = Signal(object, bool)
    """The path of an ONNX model to convert instead, and whether to save optimizations in it."""

    def __init__(
        self,
        paths: Sequence[Path],
        parent: QWidget | None = None,
        *,
        runtimes: tuple[Runtime, ...] = (),
        places: Places | None = None,
    ) -> None:
        """Old and new are run under `runtimes`; with none, under those that the upgrade takes."""
        super().__init__(parent)
        settings = UpgradeSettings(cautious=True, runtimes=runtimes)
        self.steps = Stepping(Request(tuple(paths), settings), places or Places(), self)
        self.setWindowTitle(f"Upgrade {one_line(paths[0].name)}" if len(paths) == 1 else "Upgrade")
        self.resize(*SIZE)
        self.files, self.facts, self.asking = FilesList(), FactsView(), Asking()
        self.said, self.bar = PlainLabel(), QProgressBar()
        self.go, self.options = QPushButton("Upgrade"), QPushButton("Options…")
        self.open_, self.save = QPushButton("Open Both"), QPushButton("Save Report…")
        self.back, self.close_ = QPushButton("Back"), QPushButton("Cancel")
        self._lay_out()
        self._connect()
        self.steps.look()

    def _lay_out(self) -> None:
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.files)
        self.split.addWidget(self.facts)
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.files.hide()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        words = QWidget()
        lines = QVBoxLayout(words)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(3 * SPACE)
        for part in (self.asking, self.said, self.bar):
            lines.addWidget(part)
        buttons = [self.go, self.open_, self.save, self.options, self.back, self.close_]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.split, 1)
        column.addWidget(Foot(words, Flow(*buttons), widest=WIDEST))
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self.go.setDefault(True)

    def _connect(self) -> None:
        steps = self.steps
        steps.changed.connect(self._show)
        steps.said.connect(self._say)
        steps.failed.connect(self._complain)
        steps.left.connect(super().reject)
        self.files.chosen.connect(lambda _place: self._show_chosen())
        self.files.ticked.connect(steps.tick)
        self.facts.link_activated.connect(self._follow)
        self.asking.changed.connect(steps.choose)
        self.asking.agreed.connect(steps.agree)
        self.asking.install_requested.connect(steps.install)
        self.go.clicked.connect(steps.start)
        self.options.clicked.connect(self._ask_options)
        self.open_.clicked.connect(self._open)
        self.save.clicked.connect(self._save)
        self.back.clicked.connect(steps.back)
        self.close_.clicked.connect(self.reject)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list of files above the rest where there is no room beside it."""
        super().resizeEvent(event)
        is_roomy = event.size().width() >= ROOMY
        self.split.setOrientation(
            Qt.Orientation.Horizontal if is_roomy else Qt.Orientation.Vertical
        )

    def _show(self) -> None:
        """Another state, or more is known in it."""
        self._show_files()
        self._show_chosen()
        self._show_foot()

    def _show_files(self) -> None:
        state = self.steps.state
        if isinstance(state, Explained):
            out = state.request.left_out
            rows = [planned_row(row, left_out=row.source in out) for row in state.plan.rows]
        elif isinstance(state, Upgrading):
            found = enumerate(state.plan.rows)
            rows = [running_row(row, state.progress.get(place)) for place, row in found]
        elif isinstance(state, Reported):
            rows = [ended_row(row) for row in _upgraded(state.done)]
        else:
            return
        self.files.show_rows(rows)
        self.files.setVisible(len(rows) > 1)

    def _show_chosen(self) -> None:
        """What is said of the file that is chosen; while it is upgraded, what was said before."""
        state, place = self.steps.state, max(0, self.files.chosen_place)
        if isinstance(state, (Explained, Upgrading)):
            self._show_sheet(explained_sheet(state.plan.rows[place]))
        elif isinstance(state, Reported):
            self._show_sheet(report_sheet(_upgraded(state.done)[place]))
            self.open_.setVisible(bool(self._pair()))

    def _show_sheet(self, sheet: Sheet) -> None:
        """Show it, unless it is shown: it would go back to its top."""
        if sheet.text() != self.facts.sheet.text():
            self.facts.show_sheet(sheet)

    def _show_foot(self) -> None:
        state, is_busy = self.steps.state, self.steps.is_busy
        is_explained, is_reported = isinstance(state, Explained), isinstance(state, Reported)
        self.asking.setVisible(False)
        if isinstance(state, Explained):
            self.asking.show_state(state)
            self.said.setText(f"{state.obstacle}." if state.obstacle else _outlook(state))
            self.go.setText("Upgrade" if len(state.wanted) < 2 else f"Upgrade {len(state.wanted)}")
        elif isinstance(state, Reported):
            self.said.setText(_summary(state.done))
        self.facts.setEnabled(not isinstance(state, Looking))
        self.asking.setEnabled(not is_busy)
        self.go.setEnabled(isinstance(state, Explained) and not state.obstacle and not is_busy)
        self.options.setEnabled(is_explained and not is_busy)
        self.bar.setVisible(is_busy)
        for button in (self.go, self.options):
            button.setVisible(not is_reported)
        for button in (self.save, self.back):
            button.setVisible(is_reported)
        self.open_.setVisible(bool(self._pair()))
        is_over = is_reported or (isinstance(state, Explained) and not state.wanted)
        self.close_.setText("Close" if is_over else "Cancel")
        self.close_.setDefault(is_over)

    def _say(self, words: str, done: int, total: int) -> None:
        self.said.setText(words)
        self.bar.setRange(0, total)
        self.bar.setValue(done)

    def _complain(self, error: StudioError) -> None:
        self._show_foot()
        if isinstance(self.steps.state, Looking):
            self.facts.show_sheet(Sheet("Nothing to upgrade", mono=False))
        self.said.setText(f"{error.message}. {in_window(error.hint, HINTS)}".rstrip(" .") + ".")

    def _ask_options(self) -> None:
        state = self.steps.state
        if isinstance(state, Explained):
            dialog = OptionsDialog(state.request.settings, self.steps.runtimes(), self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.accepted.connect(lambda: self.steps.choose(dialog.chosen))
            dialog.open()

    def _pair(self) -> list[Path]:
        """The chosen file and its result, where there is one."""
        state = self.steps.state
        if not isinstance(state, Reported):
            return []
        row = _upgraded(state.done)[max(0, self.files.chosen_place)]
        return [row.source, row.outputs[0].path] if row.outputs else []

    def _open(self) -> None:
        self.open_requested.emit(self._pair())
        self.accept()

    def _follow(self, target: object) -> None:
        """A link: a result to look at, or an ONNX model to convert instead."""
        if isinstance(self.steps.state, Reported):
            self._open()
        elif isinstance(self.steps.state, Explained):
            facts = self.steps.state.plan.rows[max(0, self.files.chosen_place)].facts
            self.convert_requested.emit(target, facts is not None and bool(facts.records))
            self.accept()

    def _save(self) -> None:
        state = self.steps.state
        if not isinstance(state, Reported):
            return
        row = _upgraded(state.done)[0]
        first = row.outputs[0].path if row.outputs else row.source
        proposed = str(first.with_name(f"{first.stem}.upgrade.html"))
        name, _ = QFileDialog.getSaveFileName(self, "Save the report", proposed, REPORTS)
        if not name:
            return
        path = Path(name)
        if path.suffix.lower() not in FORMATS:
            path = path.with_name(f"{path.name}.html")
        try:
            write_report(path, state.done, overwrite=True)  # Whoever chose it was asked.
        except StudioError as error:
            self._complain(error)
        else:
            self.said.setText(f"Saved {path}")

    def reject(self) -> None:
        """Stop what is under way; close where nothing is."""
        if self.steps.is_busy:
            self.steps.cancel()
        else:
            super().reject()


def _upgraded(done: Conversion) -> list[Upgraded]:
    return [row for row in done.results if isinstance(row, Upgraded)]


def _outlook(state: Explained) -> str:
    """What will be written."""
    first = state.wanted[0]
    if len(state.wanted) > 1:
        return f"Writes {count(len(state.wanted), 'file')}; the old ones are not touched."
    return f"Writes {first.target.name}; the old file is not touched."


def _summary(done: Conversion) -> str:
    """How it went, in one sentence."""
    made = sum(row.state is State.DONE for row in done.results)
    agreed = sum(row.verified is not None for row in done.results if row.outputs)
    text = f"{made} of {count(len(done.results), 'file')} upgraded"
    return f"{text}, {agreed} verified." if made else f"{text}."
