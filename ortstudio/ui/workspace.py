"""What is open in the window and what is selected: one model, or a source and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.counterparts import counterpart
from ortstudio.services.document import Document

if TYPE_CHECKING:
    from ortstudio.services.crossing import Crossing

SIDES = (0, 1)
"""A, the source or the only one, and B, what was made from it."""


class Workspace(QObject):
    """Up to two documents and one selection. Every view shows it and none talks to another."""

    changed = Signal()
    """Documents came or went."""
    shown = Signal(int, int)
    """A side shows another graph: side, place in `Document.graphs`."""
    selected = Signal(int, object)
    """A side selects a `Ref`, or None. Comes for the other side too, where it follows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents: list[Document | None] = [None, None]
        self._graphs = [0, 0]
        self._selected: list[Ref | None] = [None, None]
        self._active = 0
        self._crossing: Crossing | None = None

    @property
    def active(self) -> int:
        """The side where the last selection was made."""
        return self._active

    def document(self, side: int) -> Document | None:
        """The document of a side."""
        return self._documents[side]

    @property
    def open_sides(self) -> tuple[int, ...]:
        """The sides that have a document."""
        return tuple(side for side in SIDES if self._documents[side] is not None)

    def graph(self, side: int) -> int:
        """The graph that a side shows."""
        return self._graphs[side]

    def selection(self, side: int) -> Ref | None:
        """What a side has selected."""
        return self._selected[side]

    def set_documents(self, first: Document | None, second: Document | None = None) -> None:
        """Show other documents, with nothing but the model itself selected."""
        if first is None:
            first, second = second, None
        self._documents = [first, second]
        self._graphs = [0, 0]
        self._selected = [None, None]
        self._active = 0
        self.changed.emit()
        if first is not None:
            self.select(0, Ref(RefKind.MODEL))

    @property
    def crossing(self) -> Crossing | None:
        """What a comparison of both sides found, as far as there is one."""
        return self._crossing

    def set_crossing(self, crossing: Crossing | None) -> None:
        """Cross over by what a comparison found; by names where there is none."""
        self._crossing = crossing

    def show_graph(self, side: int, graph: int) -> None:
        """Let a side show another graph, and the other side the one at the same path, if any."""
        for place, number in self._on_both_sides(side, Ref(RefKind.GRAPH, graph)):
            if number is not None and self._graphs[place] != number.graph:
                self._graphs[place] = number.graph
                self.shown.emit(place, number.graph)

    def select(self, side: int, ref: Ref | None) -> None:
        """Select on one side; the other selects what bears the same name."""
        self._active = side
        if ref is not None and ref.kind is RefKind.NODE:
            self.show_graph(side, ref.graph)
        for place, found in self._on_both_sides(side, ref):
            if found != self._selected[place]:
                self._selected[place] = found
                self.selected.emit(place, found)

    def _on_both_sides(self, side: int, ref: Ref | None) -> list[tuple[int, Ref | None]]:
        other = 1 - side
        ours, theirs = self._documents[side], self._documents[other]
        found = [(side, ref)]
        if ours is not None and theirs is not None:
            across = None
            if ref is not None and self._crossing is not None:
                across = self._crossing.counterpart(side, ref)
            elif ref is not None:
                across = counterpart(ours, ref, theirs)
            found.insert(0, (other, across))
        return found
