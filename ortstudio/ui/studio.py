"""Everything around an open model: the pictures, the docks, and what opens and converts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QMainWindow

from ortstudio.errors import StudioError
from ortstudio.format.arrays import Ints
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe import heading
from ortstudio.services.document import Document
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.collector import collector_of_closed
from ortstudio.ui.docks import make_docks, make_room
from ortstudio.ui.find_bar import FindBar
from ortstudio.ui.inspector import Inspector
from ortstudio.ui.linked_views import LinkedViews
from ortstudio.ui.navigator import Navigator
from ortstudio.ui.opening import Opened, open_files, summed_up
from ortstudio.ui.optimization_overlay import optimization_overlay
from ortstudio.ui.pages import Pages
from ortstudio.ui.pair_view import PairView
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.verdicts import Verdicts
from ortstudio.ui.workspace import SIDES, Workspace

if TYPE_CHECKING:
    from ortstudio.jobs.runner import Child
    from ortstudio.services.conversion import Converted
    from ortstudio.services.convert_settings import ConvertSettings
    from ortstudio.services.crossing import Crossing
    from ortstudio.services.lab.modes import Mode
    from ortstudio.ui.comparing import Comparing
    from ortstudio.ui.converting import Converting
    from ortstudio.ui.findings_page import FindingsPage
    from ortstudio.ui.runtimes.choosing import Choosing
    from ortstudio.ui.upgrade.upgrading import Upgrading

SHARE_OF_LIST = 0.55
"""Of the window, for the list of a run of several while nothing is open."""
HEIGHTS = {
    "advice": (0.36, 1 << 20),
    "operators": (0.36, 1 << 20),
    "compatibility": (0.46, 380),
    "use": (0.5, 1 << 20),
    "lab": (0.5, 1 << 20),
    "layers": (0.36, 1 << 20),
    "profile": (0.36, 1 << 20),
}
"""Of pages that are read, not glanced at: the least share of the window's height that each gets
when somebody looks at it, and the pixels beyond which it has no use for more."""


class Studio(QObject):
    """Opens documents into a workspace and shows it in a window."""

    opened = Signal(list)
    """These paths are open now."""
    failed = Signal(object)
    """A `StudioError`: something could not be opened."""
    busy = Signal(str)
    """What is being done, empty when nothing is."""
    status = Signal(str)
    """A line about what is selected."""
    summary = Signal(str)
    """A line about what is open."""
    stopped = Signal()
    """A conversion ended without a result to open."""
    chosen = Signal(str, str)
    """Level and style of the conversion that begins."""
    language_chosen = Signal(str)
    """The language that code is shown in from now on."""
    install_requested = Signal(str)
    """A release of ONNX Runtime is wanted."""
    explain_requested = Signal(str)
    """What a runtime said is to be explained."""
    settled = Signal()
    """What was asked to open is open, and every picture is painted."""

    def __init__(self, window: QMainWindow, choosing: Callable[[], Choosing]) -> None:
        super().__init__(window)
        self._window = window
        self._choosing = choosing
        self._tasks = Tasks(self)
        self._asked: tuple[Path, ...] = ()
        self._taken: Opened | None = None
        self._offered: tuple[Path, ...] = ()
        self._loading = False
        self._looking = False
        self._is_comparing = False
        self.shows_changes = True
        self.choices = "all", "fixed"
        self.make_child: Callable[[], Child] = lambda: choosing().make_child()
        self._told: Converted | None = None
        self._comparing: Comparing | None = None
        self._converting: Converting | None = None
        self._findings: FindingsPage | None = None
        self.workspace = Workspace(self)
        self._closed = collector_of_closed(self)
        self.workspace.changed.connect(self._closed.start)
        self.links = LinkedViews(self.workspace, self)
        self.pair = PairView(self.workspace)
        self.find = FindBar(self.workspace)
        self.verdicts = Verdicts(self.workspace)
        self.navigator = Navigator(self.workspace)
        self.inspector = Inspector(self.workspace)
        self.pages = Pages(self.workspace, choosing, self._made, self)
        self._join_pages()
        self.docks = make_docks(
            window,
            {
                "contents": lambda: self.navigator,
                "inspector": lambda: self.inspector,
                "changes": lambda: self.comparing.page,
                "findings": lambda: self.findings,
                **self.pages.widgets(),
                "jobs": lambda: self.converting.page,
            },
        )
        for name in ("layers", "profile"):
            self.docks[name].visibilityChanged.connect(partial(self.pages.set_seen, name))
        self.pair.settled.connect(self._pictures_done)
        self.pair.notice.details_requested.connect(lambda: self._show_result(self._told))
        self.pair.notice.use_requested.connect(lambda: self.show_page("use"))
        self.find.found.connect(self._mark)
        self.verdicts.page_requested.connect(self.show_page)
        self.verdicts.upgrade_requested.connect(self.upgrade)
        self.workspace.selected.connect(self._selected)

    @property
    def converting(self) -> Converting:
        """All that converting takes, made when first needed."""
        if self._converting is None:
            from ortstudio.ui.converting import Converting

            made = self._converting = Converting(self)
            made.conversions.make_child = self.make_child
            self.pair.add_offer(made.offer_pane)
            made.converted.connect(self._converted)
            made.open_requested.connect(self.open)
            made.stopped.connect(self.stopped)
            made.listed.connect(self._show_list)
            made.result_requested.connect(self._show_result)
            made.page_requested.connect(self.show_page)
            made.chosen.connect(self._chosen)
        return self._converting

    @property
    def comparing(self) -> Comparing:
        """The comparison of what is open on both sides, made when first needed."""
        if self._comparing is None:
            from ortstudio.ui.comparing import Comparing

            self._comparing = Comparing(self.workspace, self)
            self._comparing.compared.connect(self._compared)
        return self._comparing

    @property
    def findings(self) -> FindingsPage:
        """The page of findings, made when first needed."""
        if self._findings is None:
            from ortstudio.ui.findings_page import FindingsPage

            self._findings = FindingsPage(self.workspace)
            self._findings.counted.connect(self.verdicts.set_findings)
            self._findings.looked.connect(self._looked)
            self._findings.upgrade_requested.connect(lambda path: self.upgrading.start([path]))
        return self._findings

    def _made(self) -> tuple[Path, ...]:
        """The models that the last conversion made."""
        return self._converting.made if self._converting is not None else ()

    def _join_pages(self) -> None:
        """Hear what the pages say that are made when they are looked at."""
        pages = self.pages
        pages.ended.connect(self._tell_settled)
        pages.failed.connect(self.failed)
        pages.saved.connect(lambda path: self.status.emit(f"Saved {path}"))
        pages.shown.connect(self._heighten)
        pages.judged.connect(self.verdicts.set_releases)
        pages.settings_chosen.connect(self._use_settings)
        pages.code_requested.connect(self._show_code)
        pages.language_chosen.connect(self.language_chosen)
        pages.install_requested.connect(self.install_requested)
        pages.explain_requested.connect(self.explain_requested)
        pages.compared.connect(self.verdicts.set_agreement)
        pages.overlaid.connect(self._lay_over_all)
        pages.upgrade_requested.connect(lambda path: self.upgrading.start([path]))

    def _show_code(self, path: Path, mode: Mode) -> None:
        """Code that loads one of the open files in a way that was measured."""
        for side in self.workspace.open_sides:
            document = self.workspace.document(side)
            if document is not None and document.path == path:
                self.show_page("use")
                self.pages.use.show_loading(side, mode.loading, native=mode.native)
                return
        self.status.emit(f"Open {path.name} to see code that loads it")

    def _heighten(self, page: str) -> None:
        """What is read, not glanced at, gets its share of the window's height."""
        share, most = HEIGHTS[page]
        dock, height = self.docks[page], min(round(self._window.height() * share), most)
        if dock.height() < height:
            self._window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being opened, looked at or compared and no picture is to come."""
        is_busy = self._loading or self._looking or self._is_comparing
        return not is_busy and self.pages.is_idle and self.pair.is_settled

    @property
    def convertible(self) -> tuple[Path, ...]:
        """The ONNX models, or the folders of them, that can be converted now."""
        return self._offered

    def make_room(self) -> None:
        """Show the panels at the sides that the window has room for, as wide as it allows."""
        make_room(self._window, self.docks)

    def show_page(self, name: str) -> None:
        """Bring a page below, or a dock, to the front."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()

    def open(self, paths: Sequence[Path]) -> None:
        """Open files: one, two side by side, or many to be converted. Answers come as signals."""
        self._asked, self._taken = tuple(paths), None
        self._loading = True
        self.busy.emit(f"Opening {paths[0].name}" if len(paths) == 1 else "Opening")

        self._tasks.run(
            lambda _task: open_files(paths), done=self._take, failed=self._refused, lane="open"
        )

    def _take(self, answer: Opened) -> None:
        """Show what was opened. An offer comes after that: making both would take too long."""
        found, documents = answer.found, answer.documents
        if not documents and not found.onnx:
            where = self._asked[0].name if self._asked else ""
            self._refused(StudioError(f"There is no model in {where}"))
            return
        self._taken = answer
        self._offered = found.onnx[:1]
        if not documents:
            self._offered = self._asked  # Folders as such: their results keep the folders within.
        self._looking = bool(documents)
        self._is_comparing = False
        self.workspace.set_documents(*documents[:2] or (None,))
        if not documents:
            self.status.emit("")
        self.opened.emit([document.path for document in documents])
        self._tell(documents)
        if self._offered and len(documents) < 2:
            QTimer.singleShot(0, self, lambda: self._offer_opened(answer))
        else:
            self._end_opening(answer)

    def _offer_opened(self, answer: Opened) -> None:
        """Offer to convert what is open, unless something else was asked for meanwhile."""
        if answer is self._taken:
            self.offer()
            self._end_opening(answer)

    def _end_opening(self, answer: Opened) -> None:
        self._loading = False
        self.busy.emit("")
        self._tell_result()
        self._pictures_done()
        if answer.problem is not None:
            self.failed.emit(answer.problem)

    def _tell_result(self) -> None:
        """Of a result that was opened because it was just made: whether it agrees, where it is."""
        if self._converting is None or self._converting.result is None:
            return
        from ortstudio.ui.job import summary

        result, self._converting.result = self._converting.result, None
        self.tell(f"Converted to {summary(result)}", result)

    def tell(self, words: str, result: Converted, *, with_details: bool = True) -> None:
        """Of a result that is open: how it came about, whether it agrees, where it is."""
        self._told = result
        self.verdicts.set_agreement(result.verified, result.verify_skipped or "")
        self.pair.notice.tell(words, result.outputs[0].path)
        self.pair.notice.details.setVisible(with_details)

    def _show_result(self, result: Converted | None) -> None:
        """Say all that became of one source, in the place of the result."""
        if result is not None:
            self.converting.offer_pane.show_result(result)
            self.pair.show_offer()

    def _show_list(self) -> None:
        """A run of several is worth a large list, where there is nothing else to look at."""
        self.show_page("jobs")
        if not self.workspace.open_sides:
            height = round(self._window.height() * SHARE_OF_LIST)
            self._window.resizeDocks([self.docks["jobs"]], [height], Qt.Orientation.Vertical)

    def _converted(self, paths: list[Path]) -> None:
        """Open a result beside its source, unless something else was opened meanwhile."""
        shown = self.workspace.document(0)
        if shown is not None and shown.path == paths[0]:
            self.open(paths)
            return
        self.converting.result = None
        self.converting.offer_pane.offer_again()
        self.show_page("jobs")
        self.stopped.emit()

    def _refused(self, error: StudioError) -> None:
        self._loading = False
        self.busy.emit("")
        self.failed.emit(error)
        self._pictures_done()

    def cancel(self) -> None:
        """Wait no longer for what was asked to open; what is open stays."""
        self._tasks.drop("open")
        self._taken = None
        self.busy.emit("")
        if self._loading:
            self._loading = False
            self._tell_settled()

    def close(self) -> None:
        """Let go of what is open."""
        self.cancel()
        self._tasks.drop("summary")
        self._offered = ()
        self.workspace.set_documents(None)

    def offer(self) -> None:
        """Offer to convert what is open, with the level and style of last time."""
        self.converting.offer(self._offered, *self.choices)
        self.pair.show_offer()

    def edit(self) -> None:
        """Change names, metadata and texts of what is shown, in a dialog of its own."""
        from ortstudio.ui.edit.editing import Editing

        editing = self.findChild(Editing) or Editing(self, self._window)
        editing.start()

    @property
    def upgrading(self) -> Upgrading:
        """The upgrade of old files, made when first needed."""
        from ortstudio.ui.upgrade.upgrading import Upgrading

        return self.findChild(Upgrading) or Upgrading(self, self._window, self._choosing)

    def upgrade(self) -> None:
        """Bring the ORT-format models that are open to a newer version, or ask for others."""
        self.upgrading.start_with_open()

    def _use_settings(self, settings: ConvertSettings) -> None:
        """Offer to convert what is open as it was advised."""
        self.offer()
        self.converting.offer_pane.show_settings(settings)

    def _pictures_done(self) -> None:
        """Look and compare once the pictures stand: they are what people wait for."""
        for side in SIDES:
            self._lay_over(side)
        if not self.pair.is_settled:
            return
        if self._looking:
            self.findings.look()
        self._tell_settled()

    def _looked(self) -> None:
        self._looking = False
        if len(self.workspace.open_sides) == 2:
            self._is_comparing = True
            self.comparing.compare()
        self.pages.judging.judge()
        self._tell_settled()

    def _compared(self, crossing: Crossing | None) -> None:
        self._is_comparing = False
        self.links.link(self.pair.panes, crossing)
        if crossing is not None:
            self.verdicts.set_changes(crossing.comparison)
            self.inspector.refresh()
            for side in SIDES:
                self._lay_over(side)
        self._tell_settled()

    def _tell_settled(self) -> None:
        if self.is_settled:
            self.settled.emit()

    def _chosen(self, level: str, style: str) -> None:
        self.choices = level, style
        self.chosen.emit(level, style)

    def _mark(self, side: int, rows: Ints) -> None:
        if side < len(self.pair.panes):
            self.pair.panes[side].mark(rows)

    def _selected(self, side: int, ref: Ref | None) -> None:
        document = self.workspace.document(side)
        if document is not None and ref is not None and ref.kind is RefKind.OPTIMIZATION:
            saved = document.optimizations[ref.row]
            self.workspace.show_graph(side, document.graph_numbers[saved.graph])
        self._lay_over(side)
        if side == self.workspace.active:
            text = ""
            if document is not None and ref is not None:
                text = " · ".join(heading(document, ref))
            self.status.emit(text)

    def _lay_over(self, side: int) -> None:
        """A chosen saved optimization over the picture of a side, else the changes."""
        pane = self.pair.panes[side] if side < len(self.pair.panes) else None
        document, ref = self.workspace.document(side), self.workspace.selection(side)
        if pane is None or pane.pictured is None or document is None:
            return
        picture = pane.pictured.picture
        overlay: Overlay | None = None
        if ref is not None and ref.kind is RefKind.OPTIMIZATION:
            saved = document.optimizations[ref.row]
            if saved.graph == picture.graph.path:
                overlay = optimization_overlay(document, saved, picture)
        else:
            overlay = self.pages.overlay(side, picture)
            if overlay is None and self._comparing is not None and self.shows_changes:
                overlay = self._comparing.overlay(side, picture)
        pane.set_overlay(overlay)

    def show_changes(self, shown: bool) -> None:
        """Colour the pictures by what changed, or by operator family."""
        self.shows_changes = shown
        self._lay_over_all()

    def _lay_over_all(self) -> None:
        for side in SIDES:
            self._lay_over(side)

    def step_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.comparing.page.step(way)

    def _tell(self, documents: Sequence[Document]) -> None:
        """Sum up what is open. Another thread adds a large model's tensors up."""
        self._tasks.run(
            lambda _task: "   →   ".join(map(summed_up, documents)),
            done=self.summary.emit,
            failed=self.failed.emit,
            lane="summary",
        )
