"""The middle: one picture, two side by side, or a picture beside the offer to convert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from ortstudio.ui.graph_pane import GraphPane
from ortstudio.ui.views.notice import Notice
from ortstudio.ui.workspace import Workspace

if TYPE_CHECKING:
    from ortstudio.ui.offer_pane import OfferPane


ROOM_FOR_BOTH = 380
"""Pixels of a view that has room for a picture beside the offer."""


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
        """Whether no picture is still to come of those that are to be seen."""
        return not any(pane.is_waiting and not pane.isHidden() for pane in self.panes)

    @property
    def _offers(self) -> bool:
        return self._offer is not None and not self._offer.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The offer stands alone where there is no room for both."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """How wide it is shows only now."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        before = [pane.isHidden() for pane in self.panes]
        self._make_way()
        if before != [pane.isHidden() for pane in self.panes]:
            self._share()
            self._finished()

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
        offer.hide()  # Or the splitter shows it at once.
        self._splitter.addWidget(offer)

    def show_offer(self) -> None:
        """Show the card in the place of the result."""
        assert self._offer is not None
        self._offer.show()
        self._make_way()
        self._share()

    def hide_offer(self) -> None:
        """Show what stood where the card is."""
        if self._offer is not None:
            self._offer.hide()
        self._make_way()
        self._share()

    def _make_way(self) -> None:
        """Leave the offer its room: that of the second picture, and all where that is little."""
        for place, pane in enumerate(self.panes):
            room = place == 0 and (self.width() >= ROOM_FOR_BOTH or not self.isVisible())
            pane.setVisible(room or not self._offers)

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
