"""What is laid over the pictures of a pair."""

from __future__ import annotations

from collections.abc import Callable

from ortstudio.analysis.picture import Picture
from ortstudio.model.refs import RefKind
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.optimization_overlay import optimization_overlay
from ortstudio.ui.pair_view import PairView
from ortstudio.ui.workspace import SIDES, Workspace

Layer = Callable[[int, Picture], "Overlay | None"]
"""What there is to lay over the picture of a side; None where there is nothing."""


class Overlays:
    """A chosen saved optimization, else what a page found that somebody looks at, else changes."""

    def __init__(
        self, workspace: Workspace, pair: PairView, of_pages: Layer, of_changes: Layer
    ) -> None:
        self._workspace = workspace
        self._pair = pair
        self._of_pages = of_pages
        self._of_changes = of_changes
        self._shows_changes = True

    def show_changes(self, shown: bool) -> None:
        """Colour the pictures by what changed, or by operator family."""
        self._shows_changes = shown
        self.lay_over_all()

    def lay_over_all(self) -> None:
        """Renew them on both sides."""
        for side in SIDES:
            self.lay_over(side)

    def lay_over(self, side: int) -> None:
        """Renew that of a side, where its picture stands."""
        pane = self._pair.panes[side] if side < len(self._pair.panes) else None
        if pane is not None and pane.pictured is not None:
            pane.set_overlay(self._overlay(side, pane.pictured.picture))

    def _overlay(self, side: int, picture: Picture) -> Overlay | None:
        document, ref = self._workspace.document(side), self._workspace.selection(side)
        if document is not None and ref is not None and ref.kind is RefKind.OPTIMIZATION:
            saved = document.optimizations[ref.row]
            is_here = saved.graph == picture.graph.path
            return optimization_overlay(document, saved, picture) if is_here else None
        found = self._of_pages(side, picture)
        if found is None and self._shows_changes:
            found = self._of_changes(side, picture)
        return found
