"""Compares what is open side by side when asked to, and lays the differences over the pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.picture import Picture
from ortstudio.jobs.runner import Child
from ortstudio.services.compare import CompareSettings
from ortstudio.services.compare_found import Compared
from ortstudio.services.compare_view import CompareView, ValueLine, compare_view
from ortstudio.services.document import Document
from ortstudio.services.layers import compare_layers
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.layers.overlay import layers_overlay
from ortstudio.ui.layers.page import LayersPage
from ortstudio.ui.measured_work import MeasuredWork, is_run, json_line
from ortstudio.ui.tasks import Task
from ortstudio.ui.workspace import SIDES, Workspace


class Searching(MeasuredWork[Compared, CompareView]):
    """Looks for the node from which on the two models of a workspace differ."""

    compared = Signal(object)
    """The `Verified` that says whether the outputs agree."""

    def __init__(
        self, workspace: Workspace, parent: QObject, make_child: Callable[[], Child]
    ) -> None:
        self.page = LayersPage()
        super().__init__(workspace, parent, make_child, self.page)
        self._forget()

    def start(self) -> None:
        """Run both."""
        documents = self._documents()
        if documents is None:
            return

        def work(task: Task) -> tuple[Compared, CompareView]:
            found = compare_layers(
                *documents,
                CompareSettings(),
                on_phase=self._phases.telling(task),
                cancelled=task.cancelled,
                make_child=self._make_child,
            )
            return found, compare_view(found)

        self._run(work)

    def save(self, target: Path) -> None:
        """Write what was found, as the command line answers it."""
        found = self._found
        if found is not None:
            self._save(target, lambda out: out.write(json_line(found.to_json())))

    def _documents(self) -> tuple[Document, Document] | None:
        """Both models; None where they are not two that run."""
        a, b = (self._workspace.document(side) for side in SIDES)
        return (a, b) if a is not None and b is not None and is_run(a) and is_run(b) else None

    def _why_not(self) -> str:
        if len(self._workspace.open_sides) < len(SIDES):
            return "Open a source and its result to see whether they compute the same."
        return "" if self._documents() else "One of the two holds no graph that could be run."

    def _show(self, view: CompareView) -> None:
        assert self._found
        self.page.show_view(view)
        self.compared.emit(self._found.found)
        first = self._found.layers.first if self._found.layers else None
        if first is not None:
            self._select(1, (first.value.node_b,))

    def _overlaid(self, side: int, picture: Picture) -> Overlay | None:
        layers = self._found.layers if self._found is not None else None
        return layers_overlay(layers, side, picture) if layers is not None else None

    def _reveal(self, row: object) -> None:
        if isinstance(row, ValueLine):
            self._select(1, (row.value.node_b,))

    def _follow(self, side: int, node: NodeRef) -> None:
        lines = (
            line
            for line in (self._view.values if self._view else ())
            if node == (line.value.node_b if side else line.value.node_a)
        )
        self.page.select(self.page.values, next(lines, None))

    def _ask_where(self, kind: str) -> None:
        assert self._found
        proposed = self._found.b.path.with_name(f"compare.{kind}")
        target = self._place("Save Comparison", proposed)
        if target is not None:
            self.save(target)
