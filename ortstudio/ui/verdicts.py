"""The chips at the top: first answers at a glance, grey while not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ortstudio.analysis.portability import Portability, Verdict
from ortstudio.analysis.words import count
from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import Tone
from ortstudio.ui.views.chips import Chip, ChipBar
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.services.diff import Comparison
    from ortstudio.services.verify import Verified

_PORTABILITY: dict[Verdict, tuple[str, Tone]] = {
    "portable": ("portable", "good"),
    "onnxruntime-only": ("ONNX Runtime only", "text"),
    "this-cpu-family": ("tied to a CPU family", "warning"),
}
_VERSION, _WHERE, _AGREEMENT = "version", "portability", "agreement"
_CHANGES, _FINDINGS, _DAMAGE, _RELEASES = "changes", "findings", "damage", "releases"
_PAGES = {
    _VERSION: "inspector",
    _DAMAGE: "inspector",
    _WHERE: "inspector",
    _AGREEMENT: "jobs",
    _CHANGES: "changes",
    _FINDINGS: "findings",
    _RELEASES: "compatibility",
}

TOO_OLD = "Minimal builds since 1.13 refuse this format version. Click to upgrade the file."


class Verdicts(QWidget):
    """Chips about the result, or the only model; each opens the page that explains it."""

    page_requested = Signal(str)
    upgrade_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._chips: dict[str, Chip] = {}
        self._bar = ChipBar(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._bar)
        self._bar.activated.connect(self._activated)
        workspace.changed.connect(self._look)

    def _look(self) -> None:
        self._tasks.drop("verdicts")
        sides = self._workspace.open_sides
        document = self._workspace.document(sides[-1]) if sides else None
        self._chips = {}
        if document is not None:
            self._look_at(document)
        self._show()

    def _look_at(self, document: Document) -> None:
        """What is known at once, grey for the rest."""
        model = document.model
        problem = _version_problem(document) or (TOO_OLD if is_old(document) else "")
        tone: Tone = "warning" if problem else "text"
        self._put(Chip(_VERSION, version_text(document), tone, problem))
        self._put(Chip(_FINDINGS, "findings"))
        if model.kind in (FileKind.ORT, FileKind.ONNX):
            self._put(Chip(_RELEASES, "loading"))
        if model.error is not None:
            # What can be read of it may well be portable: no verdict on the file.
            self._put(Chip(_DAMAGE, "damaged", "error", str(model.error)))
        elif model.kind in (FileKind.ORT, FileKind.ONNX):
            self._put(Chip(_WHERE, "portability"))
            self._tasks.run(
                lambda _task: document.portability,
                done=self._say_portability,
                failed=_ignore,
                lane="verdicts",
            )

    def _say_portability(self, found: Portability) -> None:
        text, tone = _PORTABILITY[found.verdict]
        tip = "\n".join(reason.text for reason in found.reasons)
        self._put(Chip(_WHERE, text, tone, tip))
        self._show()

    def chips(self) -> tuple[Chip, ...]:
        """What is shown now."""
        return self._bar.chips()

    def set_findings(self, serious: int, total: int) -> None:
        """How many findings there are: those that are more than a note, and all."""
        if serious:
            self._put(Chip(_FINDINGS, count(serious, "finding"), "warning"))
        else:
            text = count(total, "note") if total else "no findings"
            self._put(Chip(_FINDINGS, text, "text"))
        self._show()

    def set_releases(self, chip: Chip) -> None:
        """Which releases load the result, or the only file."""
        self._put(chip)
        self._show()

    def set_agreement(self, verified: Verified | None, skipped: str = "") -> None:
        """Whether source and result computed the same, or why nobody knows."""
        if verified is None:
            self._put(Chip(_AGREEMENT, "outputs not compared", "muted", skipped))
            self._show()
            return
        tip = f"Largest difference {verified.max_abs:.3g}"
        if verified.agrees:
            self._put(Chip(_AGREEMENT, "outputs agree", "good", tip))
        else:
            self._put(Chip(_AGREEMENT, "outputs differ", "error", tip))
        self._show()

    def set_changes(self, comparison: Comparison) -> None:
        """How many nodes are not what they were."""
        changed = sum(row.kind != "kept" for row in comparison.diff.nodes)
        text = count(changed, "change") if changed else "no changes"
        self._put(Chip(_CHANGES, text, "text", comparison.overview, icon="compare"))
        self._show()

    def _put(self, chip: Chip) -> None:
        self._chips[chip.key] = chip

    def _show(self) -> None:
        order = (_VERSION, _DAMAGE, _RELEASES, _WHERE, _AGREEMENT, _CHANGES, _FINDINGS)
        self._bar.show_chips([self._chips[key] for key in order if key in self._chips])

    def _activated(self, key: str) -> None:
        page, sides = _PAGES[key], self._workspace.open_sides
        if key == _VERSION and sides and is_old(self._workspace.document(sides[-1])):
            self.upgrade_requested.emit()
            return
        if page == "inspector" and sides:
            self._workspace.select(sides[-1], Ref(RefKind.MODEL))
        self.page_requested.emit(page)


def version_text(document: Document) -> str:
    """`ORT v6`, `ONNX opset 17`."""
    model = document.model
    if model.ort is not None:
        return f"ORT v{model.ort.format_version_text}" if model.ort.format_version_text else "ORT"
    if model.checkpoint is not None:
        return f"checkpoint v{model.checkpoint.version}"
    if model.adapter is not None:
        return f"adapter v{model.adapter.format_version}"
    opset = next((o.version for o in model.opset_imports if not o.domain), None)
    return "ONNX" if opset is None else f"ONNX opset {opset}"


def is_old(document: Document | None) -> bool:
    """Whether minimal builds of the newest release refuse the file for its format version."""
    if document is None or document.model.ort is None:
        return False
    versions = document.known.versions
    version = versions.get(document.model.ort.format_version)
    return version is not None and versions.newest_release not in version.minimal


def _version_problem(document: Document) -> str:
    """Why no release that is known loads that format version; empty where some do."""
    ort = document.model.ort
    if ort is None:
        return ""
    return document.known.versions.problem(ort.format_version_text, ort.format_version)


def _ignore(_error: StudioError) -> None:
    """Judging what is read already meets no new error."""
