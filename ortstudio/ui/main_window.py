"""The window. It shows the empty page at once; what a model needs is loaded with the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QStackedWidget, QWidget

from ortstudio.errors import StudioError
from ortstudio.services import settings as stored
from ortstudio.ui import icons, theme
from ortstudio.ui.actions import Actions
from ortstudio.ui.views.empty_page import EmptyPage

if TYPE_CHECKING:
    from ortstudio.jobs.runner import Child
    from ortstudio.ui.runtimes.choosing import Choosing
    from ortstudio.ui.studio import Studio
    from ortstudio.ui.tasks import Task, Tasks
    from ortstudio.ui.views.busy import Busy
    from ortstudio.ui.views.drop import DropTarget
    from ortstudio.ui.views.status_line import StatusLine

FILTER = "Models (*.ort *.onnx *.onnx_adapter *.ckpt checkpoint);;All files (*)"
SIZE = (1360, 860)


class MainWindow(QMainWindow):
    """Menus, tool bar, status bar; in the middle the empty page or what is open."""

    settled = Signal()
    """What was asked to open is open and painted, or failed with a message."""
    stopped = Signal()
    """A conversion ended without a result to open."""

    def __init__(self, settings_file: Path | None) -> None:
        super().__init__()
        self.setWindowTitle("ORT Studio")
        self.setWindowIcon(icons.application())
        self.setDockNestingEnabled(True)
        self.resize(*SIZE)
        self._settings_file = settings_file
        self._settings = stored.load(settings_file) if settings_file else stored.Settings()
        self._asks = True
        self._studio: Studio | None = None
        self._has_panels = False
        self._tasks: Tasks | None = None
        self._drop: DropTarget | None = None
        self.last_error: StudioError | None = None
        self.empty = EmptyPage(self)
        self._middle = QStackedWidget(self)
        self._middle.addWidget(self.empty)
        self.setCentralWidget(self._middle)
        self._busy: Busy | None = None
        self._status: StatusLine | None = None
        self._choosing: Choosing | None = None
        self._has_chooser = False
        self.actions_ = Actions(self, self, self._settings.theme)
        self._show_recent()
        self.empty.open_requested.connect(self._reopen)
        self.empty.choose_requested.connect(self.choose)
        self.empty.sample_requested.connect(self.open_sample)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Get ready for files once the window stands: nobody waits for that before."""
        super().paintEvent(event)
        if self._tasks is None:
            QTimer.singleShot(0, self.accept_files)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802 - Qt calls it
        """Tab goes on as one reads: tools, contents, the middle, the inspector, pages below."""
        from ortstudio.ui.tab_order import focus_next

        studio = self._studio
        zones: list[QWidget] = [self._middle]
        if studio is not None:
            left, *others = studio.docks.values()
            zones = [studio.find, studio.verdicts, left, self._middle, *others]
        return focus_next(self, zones, forward=forward)

    def accept_files(self) -> None:
        """Let files be dropped, and load what the first one will need in another thread."""
        if self._tasks is not None:
            return
        from ortstudio.ui.tasks import Tasks
        from ortstudio.ui.views.drop import DropTarget, what_happens

        self._drop = DropTarget(self, what_happens)
        self._drop.dropped.connect(self.open_paths)
        self._tasks = Tasks(self)
        self._tasks.run(_import_studio, done=_nothing, failed=_nothing)

    @property
    def accepts_files(self) -> bool:
        """Whether files can be dropped yet."""
        return self._drop is not None

    @property
    def status(self) -> StatusLine:
        """What is selected and open. Made with the first model: a status bar takes its time."""
        if self._status is None:
            from ortstudio.ui.views.status_line import StatusLine

            self._status = StatusLine(self)
            self.statusBar().addWidget(self._status, 1)
        return self._status

    def _settle(self) -> None:
        """Tell that all stands; the first time with the release in use at the end of the line."""
        if self._has_chooser:
            self.settled.emit()
            return
        self.accept_files()
        assert self._tasks is not None
        self._tasks.run(_find_own, done=self._add_chooser, failed=self.show_error, lane="own")

    def _add_chooser(self, _answer: object) -> None:
        from ortstudio.ui.runtimes.chooser import Chooser

        self._has_chooser = True
        chooser = Chooser(self.choosing, self)
        chooser.manage_requested.connect(self.show_runtimes)
        self.statusBar().addPermanentWidget(chooser)
        if self.studio.is_settled:
            self.settled.emit()

    @property
    def busy(self) -> Busy:
        """What the window waits for, made when first needed."""
        if self._busy is None:
            from ortstudio.ui.views.busy import Busy

            self._busy = Busy(self)
            self._busy.cancel_requested.connect(self.cancel)
            self.statusBar().insertWidget(0, self._busy)
            self._busy.hide()
        return self._busy

    @property
    def studio(self) -> Studio:
        """Everything around an open model, made when first needed."""
        if self._studio is None:
            from ortstudio.ui.studio import Studio

            self._studio = Studio(self, lambda: self.choosing, self._make_child)
            self._studio.offering.choices = self._settings.level, self._settings.style
            self._studio.pages.language = self._settings.language
            self._join(self._studio)
        return self._studio

    def _join(self, studio: Studio) -> None:
        self._middle.addWidget(studio.pair)
        for dock in studio.docks.values():
            self.actions_.panels.addAction(dock.toggleViewAction())
        self.actions_.add_to_toolbar(studio.find, studio.verdicts)
        studio.opened.connect(self._opened)
        studio.failed.connect(self.show_error)
        studio.busy.connect(self.busy.say)
        studio.status.connect(self.status.say_left)
        studio.summary.connect(self.status.say_right)
        studio.settled.connect(self._settle)
        studio.stopped.connect(self.stopped)
        studio.chosen.connect(self._remember_choices)
        studio.language_chosen.connect(self._remember_language)
        studio.install_requested.connect(self.show_runtimes)
        studio.explain_requested.connect(self.explain)

    def open_paths(self, paths: Sequence[str | Path]) -> None:
        """Open files or folders. Comes to an end with `settled`."""
        if paths:
            self.last_error = None
            self.studio.open([Path(path) for path in paths])

    def choose(self) -> None:
        """Ask for files to open."""
        recent = self.recent()
        folder = str(Path(recent[0][0]).parent) if recent else ""
        names, _ = QFileDialog.getOpenFileNames(self, "Open", folder, FILTER)
        self.open_paths(names)

    def open_sample(self) -> None:
        """Open the sample beside its result, which is made now where it is not there yet."""
        self.busy.say("Making the sample")
        self.accept_files()
        assert self._tasks is not None
        self._tasks.run(_sample_pair, done=self.open_paths, failed=self.show_error, lane="sample")

    def cancel(self) -> None:
        """Wait no longer for what was asked to open."""
        self.busy.say("")
        if self._tasks is not None:
            self._tasks.drop("sample")
        if self._studio is not None:
            self._studio.cancel()

    def close_models(self) -> None:
        """Let go of what is open: back to the empty page."""
        if self._studio is not None:
            self._studio.close()
            for dock in self._studio.docks.values():
                dock.hide()
            self._has_panels = False
        self._middle.setCurrentWidget(self.empty)
        self.setWindowTitle("ORT Studio")
        self.status.clear()
        self._enable()

    def offer(self) -> None:
        """Offer to convert what is open."""
        self.studio.offer()
        self.studio.converting.offer_pane.focus()

    def edit(self) -> None:
        """Change what is shown, in a dialog."""
        self.studio.edit()

    def upgrade(self) -> None:
        """Bring what is open, or files that are asked for, to a newer format version."""
        self.studio.upgrade()

    def upgrade_folder(self) -> None:
        """The same with all files of a folder."""
        self.studio.upgrading.choose_folder()

    def show_use(self) -> None:
        """Show code that runs what is open."""
        self.studio.show_page("use")
        self.studio.pages.use.languages.setFocus()

    @property
    def choosing(self) -> Choosing:
        """The runtimes at hand and the one in use, made when first needed."""
        if self._choosing is None:
            from ortstudio.services.runtimes import Places
            from ortstudio.ui.runtimes.choosing import Choosing

            self._choosing = Choosing(Places(), self)
        return self._choosing

    def _make_child(self) -> Child:
        """A child under the release in use. Threads ask as well: it makes no part of the window."""
        from ortstudio.services import runtimes

        used = self._choosing.current if self._choosing is not None else runtimes.own()
        return used.child()

    def show_runtimes(self, release: str = "") -> None:
        """List the ONNX Runtime releases at hand, in a dialog; `release` is one to be installed."""
        from ortstudio.ui.runtimes.dialog import RuntimesDialog

        dialog = RuntimesDialog(self.choosing, self)
        dialog.release.setCurrentText(release)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def explain(self, said: str = "") -> None:
        """Explain what a runtime said, in a box beside the window."""
        from ortstudio.ui.explain.dialog import ExplainDialog

        box = self.findChild(ExplainDialog) or ExplainDialog(self.studio.workspace, self)
        if said:
            box.explain(said)
        box.show()
        box.activateWindow()

    def start_find(self) -> None:
        """Put the keyboard into the find box."""
        box = self.studio.find.box
        box.setFocus()
        box.selectAll()

    def zoom(self, how: str) -> None:
        """`fit`, `actual_size`, `zoom_in` or `zoom_out` for the picture in use."""
        pane = self.studio.pair.active_pane
        if pane is not None:
            getattr(pane.canvas, how)()

    def show_changes(self, shown: bool) -> None:
        """Colour the pictures by what changed, or by operator family."""
        self.studio.overlays.show_changes(shown)

    def link_views(self, linked: bool) -> None:
        """Let both pictures move together, or each for itself."""
        self.studio.links.is_on = linked

    def step_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.studio.show_page("changes")
        self.studio.step_change(way)

    def choose_theme(self, scheme: str) -> None:
        """Use a theme, from now on and the next time."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, theme.scheme(scheme))
        self._settings = replace(self._settings, theme=scheme)
        self._save_settings()

    def ask_nobody(self) -> None:
        """Keep errors in `last_error` instead of showing them: nobody is there to read them."""
        self._asks = False

    def recent(self) -> list[list[str]]:
        """What was open last and is still there."""
        return [
            entry for entry in self._settings.recent if all(Path(path).exists() for path in entry)
        ]

    def _show_recent(self) -> None:
        self.empty.set_recent([Path(entry[-1]) for entry in self.recent()])

    def _reopen(self, paths: Sequence[Path]) -> None:
        """What was open last under that name: a result comes with its source."""
        last = [str(path) for path in paths]
        pair = next((entry for entry in self.recent() if entry[-1:] == last), last)
        self.open_paths(pair)

    def show_about(self) -> None:
        """Say what this is."""
        from ortstudio.ui import messages

        messages.show_about(self)

    def show_error(self, error: StudioError) -> None:
        """Say what went wrong, without stopping anything."""
        self.busy.say("")
        self.last_error = error
        if self._asks:
            from ortstudio.ui import messages

            messages.show_error(self, error, self.explain)
        self.settled.emit()

    def _opened(self, paths: list[Path]) -> None:
        studio = self.studio
        self._middle.setCurrentWidget(studio.pair)
        if paths and not self._has_panels:
            studio.make_room()
            self._has_panels = True
        names = " → ".join(path.name for path in paths)
        self.setWindowTitle(f"{names} · ORT Studio" if names else "ORT Studio")
        if paths:
            self._settings = self._settings.with_recent([str(path.absolute()) for path in paths])
            self._save_settings()
            self._show_recent()
        self._enable()

    def _remember_choices(self, level: str, style: str) -> None:
        self._settings = replace(self._settings, level=level, style=style)
        self._save_settings()

    def _remember_language(self, lang: str) -> None:
        self._settings = replace(self._settings, language=lang)
        self._save_settings()

    def _save_settings(self) -> None:
        if self._settings_file is not None:
            stored.save(self._settings, self._settings_file)

    def _enable(self) -> None:
        studio = self._studio
        self.actions_.enable(
            is_open=studio is not None and bool(studio.workspace.open_sides),
            is_pair=studio is not None and len(studio.workspace.open_sides) == 2,
            is_convertible=studio is not None and bool(studio.convertible),
        )


def _sample_pair(task: Task) -> list[str]:
    from ortstudio.services import samples

    found = samples.sample()
    if not found.is_made:
        samples.make(found, cancelled=task.cancelled)
    return [str(found.source), str(found.result)]


def _import_studio(_task: Task) -> None:
    import ortstudio.services.document
    import ortstudio.ui.findings_page
    import ortstudio.ui.studio  # noqa: F401


def _find_own(_task: Task) -> None:
    import ortstudio.ui.runtimes.chooser  # noqa: F401
    from ortstudio.services import runtimes

    runtimes.own()


def _nothing(_answer: object) -> None:
    """Nobody waits."""
