"""The pages on what is open that somebody must ask for, each made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.analysis.picture import Picture
    from ortstudio.ui.advice.advising import Advising
    from ortstudio.ui.canvas.overlay import Overlay
    from ortstudio.ui.compatibility.judging import Judging
    from ortstudio.ui.lab.lab import Lab
    from ortstudio.ui.layers.searching import Searching
    from ortstudio.ui.measured_page import MeasuredPage
    from ortstudio.ui.measured_work import Found, MeasuredWork, View
    from ortstudio.ui.operators.gathering import Gathering
    from ortstudio.ui.profile.profiling import Profiling
    from ortstudio.ui.runtimes.choosing import Choosing
    from ortstudio.ui.use_page import UsePage


class Pages(QObject):
    """Makes them, and passes on what they say."""

    ended = Signal()
    """One has found what it was asked for, or will not."""
    failed = Signal(object)
    """A `StudioError`."""
    saved = Signal(object)
    """The path of a file that was written."""
    shown = Signal(str)
    """The name of the page that somebody looks at."""
    judged = Signal(object)
    """The `Chip` that says which releases load what is open."""
    settings_chosen = Signal(object)
    """`ConvertSettings` that were advised."""
    code_requested = Signal(object, object)
    """A path, and the `Mode` of loading that code is wanted for."""
    language_chosen = Signal(str)
    """The language that code is shown in from now on."""
    install_requested = Signal(str)
    """A release of ONNX Runtime is wanted."""
    explain_requested = Signal(str)
    """What a runtime said is to be explained."""
    upgrade_requested = Signal(object)
    """The path of a file that is to be upgraded."""
    compared = Signal(object)
    """The `Verified` of a comparison of outputs."""
    overlaid = Signal()
    """Other things are to be laid over the pictures."""

    def __init__(
        self,
        workspace: Workspace,
        choosing: Callable[[], Choosing],
        made: Callable[[], tuple[Path, ...]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._choosing = choosing
        self._made = made
        self.language = "python"
        self._advising: Advising | None = None
        self._gathering: Gathering | None = None
        self._judging: Judging | None = None
        self._lab: Lab | None = None
        self._seen: set[str] = set()
        self._searching: Searching | None = None
        self._profiling: Profiling | None = None
        self._use: UsePage | None = None

    def widgets(self) -> dict[str, Callable[[], QWidget]]:
        """How each is made, by its name."""
        return {
            "compatibility": lambda: self.judging.page,
            "advice": lambda: self.advising.page,
            "operators": lambda: self.gathering.page,
            "use": lambda: self.use,
            "lab": lambda: self.lab.page,
            "layers": lambda: self.searching.page,
            "profile": lambda: self.profiling.page,
        }

    @property
    def is_idle(self) -> bool:
        """Whether none is finding anything out."""
        made = (
            self._advising,
            self._gathering,
            self._use,
            self._judging,
            self._lab,
            self._searching,
            self._profiling,
        )
        return all(page.is_idle for page in made if page is not None)

    def overlay(self, side: int, picture: Picture) -> Overlay | None:
        """What the page that somebody looks at lays over the picture of a side."""
        for name, page in (("layers", self._searching), ("profile", self._profiling)):
            found = page.overlay(side, picture) if page and name in self._seen else None
            if found is not None:
                return found
        return None

    def set_seen(self, name: str, seen: bool) -> None:
        """Somebody looks at a page, or no more: pages in one place hide each other."""
        if (name in self._seen) != seen:
            self._seen ^= {name}
            self.overlaid.emit()

    @property
    def advising(self) -> Advising:
        """Advice on how to ship what is open."""
        if self._advising is None:
            from ortstudio.ui.advice.advising import Advising

            self._advising = Advising(self._workspace, self)
            self._advising.settings_chosen.connect(self.settings_chosen)
            self._advising.ended.connect(self.ended)
            self._advising.page.shown.connect(lambda: self.shown.emit("advice"))
        return self._advising

    @property
    def gathering(self) -> Gathering:
        """What a build must have for what is open."""
        if self._gathering is None:
            from ortstudio.ui.operators.gathering import Gathering

            self._gathering = Gathering(self._workspace, self, self._made)
            self._gathering.ended.connect(self.ended)
            self._gathering.failed.connect(self.failed)
            self._gathering.saved.connect(self.saved)
            self._gathering.page.shown.connect(lambda: self.shown.emit("operators"))
        return self._gathering

    @property
    def judging(self) -> Judging:
        """Which releases load what is open."""
        if self._judging is None:
            from ortstudio.ui.compatibility.judging import Judging

            self._judging = Judging(self._workspace, self._choosing(), self)
            self._judging.judged.connect(self.judged)
            self._judging.ended.connect(self.ended)
            self._judging.install_requested.connect(self.install_requested)
            self._judging.explain_requested.connect(self.explain_requested)
            self._judging.upgrade_requested.connect(self.upgrade_requested)
            self._judging.shown.connect(lambda: self.shown.emit("compatibility"))
        return self._judging

    @property
    def use(self) -> UsePage:
        """Code that runs what is open."""
        if self._use is None:
            from ortstudio.ui.use_page import UsePage

            self._use = UsePage(self._workspace, self.language)
            self._use.language_chosen.connect(self.language_chosen)
            self._use.failed.connect(self.failed)
            self._use.ended.connect(self.ended)
            self._use.shown.connect(lambda: self.shown.emit("use"))
        return self._use

    @property
    def lab(self) -> Lab:
        """Timed comparisons of what is open."""
        if self._lab is None:
            from ortstudio.ui.lab.lab import Lab

            choosing = self._choosing()
            self._lab = Lab(
                self._workspace, self, self._made, lambda: (choosing.all, choosing.current)
            )
            self._lab.ended.connect(self.ended)
            self._lab.failed.connect(self.failed)
            self._lab.saved.connect(self.saved)
            self._lab.code_requested.connect(self.code_requested)
            self._lab.page.shown.connect(lambda: self.shown.emit("lab"))
        return self._lab

    @property
    def searching(self) -> Searching:
        """The node from which on source and result differ."""
        if self._searching is None:
            from ortstudio.ui.layers.searching import Searching

            self._searching = Searching(self._workspace, self, self._choosing().make_child)
            self._searching.compared.connect(self.compared)
            self._join("layers", self._searching, self._searching.page)
        return self._searching

    @property
    def profiling(self) -> Profiling:
        """Where the time of a run goes."""
        if self._profiling is None:
            from ortstudio.ui.profile.profiling import Profiling

            self._profiling = Profiling(self._workspace, self, self._choosing().make_child)
            self._join("profile", self._profiling, self._profiling.page)
        return self._profiling

    def _join(self, name: str, work: MeasuredWork[Found, View], page: MeasuredPage) -> None:
        """Pass on what a page that measures has to say."""
        work.ended.connect(self.ended)
        work.failed.connect(self.failed)
        work.saved.connect(self.saved)
        work.overlaid.connect(self.overlaid)
        page.shown.connect(lambda: self.shown.emit(name))
