"""The page on which releases load what is open: the releases as a strip, one of them in words."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.analysis.compatibility.said import Build
from ortstudio.services.compatibility import BUILDS
from ortstudio.ui import icons
from ortstudio.ui.compatibility.judging import Judging
from ortstudio.ui.compatibility.sheet import Act, Asked, Trial, release_sheet
from ortstudio.ui.places import Place
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.release_cells import StripRow
from ortstudio.ui.views.release_strip import ReleaseStrip

NOTHING = "Open a model to see which releases of ONNX Runtime load it."
NO_MODEL = "This has parameters, but no graph that a release could load."
WIDEST = 260 * SPACE
_BUILD_NAMES = {
    "full": "Full build",
    "minimal": "Minimal build",
    "extended-minimal": "Extended minimal build",
}


class CompatibilityPage(ToolPage):
    """Shows the answers of all releases, and all that is known of the one that is picked."""

    shown = Signal()
    """Somebody looks at it."""

    def __init__(self, judging: Judging, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._judging = judging
        self._rows: list[StripRow] = []
        self._release: Release | None = None
        self.words = PlainLabel(NOTHING)
        self.strip = ReleaseStrip(speaks=False)
        self.facts = FactsView()
        self.strip.setMaximumWidth(WIDEST)
        self.tools = self._make_tools()
        above = QVBoxLayout()
        above.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        above.addWidget(self.words)
        above.addWidget(self.strip)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self.facts, 1)
        self.strip.picked.connect(self.pick)
        self.facts.link_activated.connect(self._follow)
        judging.changed.connect(self._show)
        self._show()

    def _make_tools(self) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(2 * SPACE)
        self.builds, self.copy = QComboBox(), QPushButton("Copy")
        self.builds.setAccessibleName("Build")
        self.builds.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for build in BUILDS:
            self.builds.addItem(_BUILD_NAMES[build], build)
        icons.set_icon(self.copy, "copy")
        row.addWidget(self.builds)
        row.addStretch(1)
        row.addWidget(self.copy)
        self.builds.currentIndexChanged.connect(self._look)
        self.copy.clicked.connect(self._copy)
        return tools

    @property
    def build(self) -> Build:
        """The build that is asked about."""
        return BUILDS[self.builds.currentIndex()]

    @property
    def release(self) -> Release | None:
        """The release that is told of in words: the one picked, else the one in use or newest."""
        answers = self._rows[0].answers if self._rows else ()
        known = [one.release for one in answers]
        in_use = Release.parse(self._judging.choosing.current.onnxruntime)
        for wanted in (self._release, in_use):
            if wanted in known:
                return wanted
        return known[-1] if known else None

    def showEvent(self, event: QShowEvent) -> None:
        """Ask what is not known yet, once somebody looks."""
        super().showEvent(event)
        self.shown.emit()
        self._judging.choosing.reload()
        self._look()

    def pick(self, release: Release) -> None:
        """Tell of this release in words."""
        self._release = release
        self._show_release()

    def _look(self) -> None:
        if self.isVisible():
            self._judging.judge(self.build)
        self._show()

    def _show(self) -> None:
        """What is known now."""
        sides = self._judging.sides
        found = {side: self._judging.of(side, self.build) for side in sides}
        judged = {side: one for side, one in found.items() if one is not None}
        names = {side: sides[side].path.name if len(sides) > 1 else "" for side in judged}
        rows = [StripRow(names[side], one.strip) for side, one in judged.items()]
        if rows != self._rows:
            self._rows = rows
            self.strip.set_rows(rows)
        self.words.setText(self._instead())
        self.words.setVisible(not rows)
        for part in (self.strip, self.facts):
            part.setVisible(bool(rows))
        for tool in (self.builds, self.copy):
            tool.setEnabled(bool(rows))
        self._show_release()
        is_wanted = self.isVisible() and sides and not rows and not self._judging.problem
        if is_wanted and self._judging.is_idle:
            self._judging.judge(self.build)

    def _instead(self) -> str:
        """What stands in the place of answers."""
        if self._judging.problem:
            return self._judging.problem
        if self._judging.sides:
            return "Looking…"
        return NO_MODEL if self._judging.workspace.open_sides else NOTHING

    def _show_release(self) -> None:
        release = self.release
        self.strip.pick(release)
        if release is None:
            return
        asked = [one for side in self._judging.sides if (one := self._asked(side, release))]
        sheet = release_sheet(release, self.build, asked)
        if sheet != self.facts.sheet:
            self.facts.show_sheet(sheet)
        sides = list(self._judging.sides)
        self.strip.set_tried(
            {
                (place, one.release)
                for place, row in enumerate(self._rows)
                for one in row.answers
                if self._judging.tried(sides[place], one.release) is not None
            }
        )

    def _asked(self, side: int, release: Release) -> Asked | None:
        judged, judging = self._judging.of(side, self.build), self._judging
        document = judging.workspace.document(side)
        if judged is None or document is None:
            return None
        answer = next(one for one in judged.strip if one.release == release)
        trial = Trial(
            at_hand=judging.is_at_hand(release),
            running=judging.is_trying(side, release),
            tried=judging.tried(side, release),
            problem=judging.problem_of(side, release),
        )
        return Asked(side, document, answer, judged.ways_out(answer), trial)

    def _follow(self, target: object) -> None:
        release = self.release
        if isinstance(target, Place):
            self._judging.workspace.select(target.side, target.ref)
        elif isinstance(target, Act) and release is not None:
            if target.deed == "try":
                self._judging.try_for_real(target.side, release)
            elif target.deed == "cancel":
                self._judging.cancel()
            elif target.deed == "install":
                self._judging.install_requested.emit(str(release))
            elif target.deed == "explain":
                self._judging.explain_requested.emit(target.text)
            elif document := self._judging.workspace.document(target.side):
                self._judging.upgrade_requested.emit(document.path)

    def _copy(self) -> None:
        """The table of all releases, and below it what is told of the one that is picked."""
        text = f"{self.strip.cells.table()}\n\n{self.facts.sheet.text()}\n"
        QGuiApplication.clipboard().setText(text)
