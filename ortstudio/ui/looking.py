"""What is looked for in what is open once its pictures stand: findings, then what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.analysis.picture import Picture
    from ortstudio.services.crossing import Crossing
    from ortstudio.ui.canvas.overlay import Overlay
    from ortstudio.ui.comparing import Comparing
    from ortstudio.ui.findings_page import FindingsPage


class Looking(QObject):
    """Belongs to one workspace; what it takes is made when first needed."""

    looked = Signal()
    """The findings are there."""
    counted = Signal(int, int)
    """How many findings of severity error or warning there are, and how many in all."""
    compared = Signal(object)
    """A `Crossing`, or None where what is open cannot be compared."""
    upgrade_requested = Signal(object)
    """The path of a file that is to be upgraded."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._is_due = False
        self._is_comparing = False
        self._comparing: Comparing | None = None
        self._findings: FindingsPage | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is looked for, nor to be."""
        return not self._is_due and not self._is_comparing

    @property
    def comparing(self) -> Comparing:
        """The comparison of what is open on both sides."""
        if self._comparing is None:
            from ortstudio.ui.comparing import Comparing

            self._comparing = Comparing(self._workspace, self)
            self._comparing.compared.connect(self._compared)
        return self._comparing

    @property
    def findings(self) -> FindingsPage:
        """The page of findings."""
        if self._findings is None:
            from ortstudio.ui.findings_page import FindingsPage

            self._findings = FindingsPage(self._workspace)
            self._findings.counted.connect(self.counted)
            self._findings.looked.connect(self._looked)
            self._findings.upgrade_requested.connect(self.upgrade_requested)
        return self._findings

    def expect(self, due: bool) -> None:
        """Other models are about to be shown, or none."""
        self._is_due, self._is_comparing = due, False

    def look(self) -> None:
        """Look at what was opened, unless that is done."""
        if self._is_due:
            self.findings.look()

    def changes(self, side: int, picture: Picture) -> Overlay | None:
        """What changed, to be laid over the picture of a side."""
        return self._comparing.overlay(side, picture) if self._comparing is not None else None

    def _looked(self) -> None:
        self._is_due = False
        if len(self._workspace.open_sides) == 2:
            self._is_comparing = True
            self.comparing.compare()
        self.looked.emit()

    def _compared(self, crossing: Crossing | None) -> None:
        self._is_comparing = False
        self.compared.emit(crossing)
