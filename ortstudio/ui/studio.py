"""Everything around an open model: the pictures, the docks, and what opens and converts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from ortstudio.format.arrays import Ints
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.describe import heading
from ortstudio.ui.collector import collector_of_closed
from ortstudio.ui.docks import bring_to_front, enlarge_list, heighten, make_docks, make_room
from ortstudio.ui.find_bar import FindBar
from ortstudio.ui.inspector import Inspector
from ortstudio.ui.linked_views import LinkedViews
from ortstudio.ui.looking import Looking
from ortstudio.ui.navigator import Navigator
from ortstudio.ui.offering import Offering
from ortstudio.ui.opening import Opening
from ortstudio.ui.overlays import Overlays
from ortstudio.ui.pages import Pages
from ortstudio.ui.pair_view import PairView
from ortstudio.ui.verdicts import Verdicts
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.jobs.runner import Child
    from ortstudio.services.conversion import Converted
    from ortstudio.services.crossing import Crossing
    from ortstudio.services.lab.modes import Mode
    from ortstudio.ui.comparing import Comparing
    from ortstudio.ui.converting import Converting
    from ortstudio.ui.findings_page import FindingsPage
    from ortstudio.ui.runtimes.choosing import Choosing
    from ortstudio.ui.upgrade.upgrading import Upgrading


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

    def __init__(
        self,
        window: QMainWindow,
        choosing: Callable[[], Choosing],
        make_child: Callable[[], Child],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._choosing = choosing
        self.make_child = make_child
        self.workspace = Workspace(self)
        self._closed = collector_of_closed(self)
        self.workspace.changed.connect(self._closed.start)
        self.links = LinkedViews(self.workspace, self)
        self.pair = PairView(self.workspace)
        self.find = FindBar(self.workspace)
        self.verdicts = Verdicts(self.workspace)
        self.navigator = Navigator(self.workspace)
        self.inspector = Inspector(self.workspace)
        self.looking = Looking(self.workspace, self)
        self.offering = Offering(self.workspace, self.pair, self.verdicts, self.make_child, self)
        self.opening = Opening(self.workspace, self.offering, self.looking, self)
        self.pages = Pages(self.workspace, choosing, lambda: self.offering.made, self)
        self.overlays = Overlays(
            self.workspace, self.pair, self.pages.overlay, self.looking.changes
        )
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
        self._join_opening()
        self._join_pages()
        self.pair.settled.connect(self._pictures_done)
        self.pair.notice.use_requested.connect(lambda: self.show_page("use"))
        self.find.found.connect(self._mark)
        self.verdicts.page_requested.connect(self.show_page)
        self.verdicts.upgrade_requested.connect(self.upgrade)
        self.workspace.selected.connect(self._selected)

    @property
    def converting(self) -> Converting:
        """All that converting takes, made when first needed."""
        return self.offering.converting

    @property
    def comparing(self) -> Comparing:
        """The comparison of what is open on both sides, made when first needed."""
        return self.looking.comparing

    @property
    def findings(self) -> FindingsPage:
        """The page of findings, made when first needed."""
        return self.looking.findings

    def _join_opening(self) -> None:
        """Hear how opening, looking and converting go."""
        opening, looking, offering = self.opening, self.looking, self.offering
        opening.opened.connect(self._opened)
        opening.failed.connect(self.failed)
        opening.busy.connect(self.busy)
        opening.summary.connect(self.summary)
        opening.ended.connect(self._pictures_done)
        looking.counted.connect(self.verdicts.set_findings)
        looking.looked.connect(self._looked)
        looking.compared.connect(self._compared)
        looking.upgrade_requested.connect(lambda path: self.upgrading.start([path]))
        offering.open_requested.connect(self.open)
        offering.page_requested.connect(self.show_page)
        offering.listed.connect(self._show_list)
        offering.chosen.connect(self.chosen)
        offering.stopped.connect(self.stopped)

    def _join_pages(self) -> None:
        """Hear what the pages say that are made when they are looked at."""
        pages = self.pages
        pages.ended.connect(self._tell_settled)
        pages.failed.connect(self.failed)
        pages.saved.connect(lambda path: self.status.emit(f"Saved {path}"))
        pages.shown.connect(lambda page: heighten(self._window, self.docks, page))
        pages.judged.connect(self.verdicts.set_releases)
        pages.settings_chosen.connect(self.offering.use)
        pages.code_requested.connect(self._show_code)
        pages.language_chosen.connect(self.language_chosen)
        pages.install_requested.connect(self.install_requested)
        pages.explain_requested.connect(self.explain_requested)
        pages.compared.connect(self.verdicts.set_agreement)
        pages.overlaid.connect(self.overlays.lay_over_all)
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

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being opened, looked at or compared and no picture is to come."""
        at_work = self.opening, self.looking, self.pages
        return all(one.is_idle for one in at_work) and self.pair.is_settled

    @property
    def convertible(self) -> tuple[Path, ...]:
        """The ONNX models, or the folders of them, that can be converted now."""
        return self.offering.sources

    def make_room(self) -> None:
        """Show the panels at the sides that the window has room for, as wide as it allows."""
        make_room(self._window, self.docks)

    def show_page(self, name: str) -> None:
        """Bring a page below, or a dock, to the front."""
        bring_to_front(self.docks[name])

    def open(self, paths: Sequence[Path]) -> None:
        """Open files: one, two side by side, or many to be converted. Answers come as signals."""
        self.opening.open(paths)

    def _opened(self, paths: list[Path]) -> None:
        if not paths:
            self.status.emit("")
        self.opened.emit(paths)

    def _show_list(self) -> None:
        """A run of several is worth a large list, where there is nothing else to look at."""
        self.show_page("jobs")
        if not self.workspace.open_sides:
            enlarge_list(self._window, self.docks)

    def cancel(self) -> None:
        """Wait no longer for what was asked to open; what is open stays."""
        self.opening.cancel()

    def close(self) -> None:
        """Let go of what is open."""
        self.opening.close()

    def offer(self) -> None:
        """Offer to convert what is open, with the level and style of last time."""
        self.offering.offer()

    def tell(self, words: str, result: Converted, *, with_details: bool = True) -> None:
        """Of a result that is open: how it came about, whether it agrees, where it is."""
        self.offering.tell(words, result, with_details=with_details)

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

    def _pictures_done(self) -> None:
        """Look and compare once the pictures stand: they are what people wait for."""
        self.overlays.lay_over_all()
        if self.pair.is_settled:
            self.looking.look()
            self._tell_settled()

    def _looked(self) -> None:
        self.pages.judging.judge()
        self._tell_settled()

    def _compared(self, crossing: Crossing | None) -> None:
        self.links.link(self.pair.panes, crossing)
        if crossing is not None:
            self.verdicts.set_changes(crossing.comparison)
            self.inspector.refresh()
            self.overlays.lay_over_all()
        self._tell_settled()

    def _tell_settled(self) -> None:
        if self.is_settled:
            self.settled.emit()

    def _mark(self, side: int, rows: Ints) -> None:
        if side < len(self.pair.panes):
            self.pair.panes[side].mark(rows)

    def _selected(self, side: int, ref: Ref | None) -> None:
        document = self.workspace.document(side)
        if document is not None and ref is not None and ref.kind is RefKind.OPTIMIZATION:
            saved = document.optimizations[ref.row]
            self.workspace.show_graph(side, document.graph_numbers[saved.graph])
        self.overlays.lay_over(side)
        if side == self.workspace.active:
            text = ""
            if document is not None and ref is not None:
                text = " · ".join(heading(document, ref))
            self.status.emit(text)

    def step_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.comparing.page.step(way)
