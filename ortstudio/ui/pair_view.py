"""The middle: one picture, two side by side, or a picture beside the offer to convert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from ortstudio.ui.graph_pane import GraphPane
from ortstudio.ui.views.notice import Notice
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.ui.offer_pane import OfferPane


class PairView(QWidget):
    """Up to two panes; the offer stands where the second would."""

    settled = Signal()
    """Every picture is painted, or there is none to come."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.panes: list[GraphPane] = []
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setChildrenCollapsible(False)
        self._offer: OfferPane | None = None
        self.notice = Notice(self)
        self.notice.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.notice)
        layout.addWidget(self._splitter, 1)
        workspace.changed.connect(self._rebuild)

    @property
    def is_settled(self) -> bool:
        """Whether no picture is still to come."""
        return not any(pane.is_waiting for pane in self.panes)

    @property
    def active_pane(self) -> GraphPane | None:
        """The pane of the side where the last selection was made."""
        return next(iter(self.panes[self._workspace.active :]), None)

    def _rebuild(self) -> None:
        had_keyboard = self.isAncestorOf(QApplication.focusWidget() or self)
        for pane in self.panes:
            pane.hide()
            pane.deleteLater()
        self.notice.hide()
        if self._offer is not None:
            self._offer.hide()
        self.panes = [GraphPane(self._workspace, side) for side in self._workspace.open_sides]
        for place, pane in enumerate(self.panes):
            self._splitter.insertWidget(place, pane)
            pane.finished.connect(self._finished)
        self._share()
        if had_keyboard and self.panes:
            self.panes[0].canvas.setFocus()
        self._finished()

    def add_offer(self, offer: OfferPane) -> None:
        """The card that stands where the result would, hidden at first."""
        self._offer = offer
        offer.dismissed.connect(self.hide_offer)
        self._splitter.addWidget(offer)
        offer.hide()

    def show_offer(self) -> None:
        """Show the card in the place of the result."""
        assert self._offer is not None
        for pane in self.panes[1:]:
            pane.hide()
        self._offer.show()
        self._share()

    def hide_offer(self) -> None:
        """Show what stood where the card is."""
        if self._offer is not None:
            self._offer.hide()
        for pane in self.panes[1:]:
            pane.show()
        self._share()

    def _share(self) -> None:
        """The same room for each that is shown."""
        widgets = [self._splitter.widget(place) for place in range(self._splitter.count())]
        for place in range(len(widgets)):
            self._splitter.setStretchFactor(place, 1)
        shown = [widget is not None and not widget.isHidden() for widget in widgets]
        self._splitter.setSizes([self.width() * wanted for wanted in shown])

    def _finished(self) -> None:
        if self.is_settled:
            self.settled.emit()
