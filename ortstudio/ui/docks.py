"""The panels at the sides and the pages below: docks that are made when first shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from shiboken6 import isValid

from ortstudio.ui.views.dock_title import DockTitle, ToolPage

Docks = dict[str, QDockWidget]

PAGE_HEIGHT = 170
PANELS = {"contents": (560, 180, 270), "inspector": (760, 220, 350)}
"""The panels at the sides: how wide a window must be to have room for one, and how narrow and how
wide it is then."""
HEIGHTS = {
    "advice": (0.36, 1 << 20),
    "operators": (0.36, 1 << 20),
    "compatibility": (0.46, 380),
    "use": (0.5, 1 << 20),
    "lab": (0.5, 1 << 20),
    "layers": (0.36, 1 << 20),
    "profile": (0.36, 1 << 20),
}
"""Of pages that are read, not glanced at: the least share of the window's height that each gets
when somebody looks at it, and the pixels beyond which it has no use for more."""
SHARE_OF_LIST = 0.55
"""Of the window, for the list of a run of several while nothing is open."""
ROOMY = 1360
"""Pixels of a window in which the panels have their full width."""

_AREAS = {
    "contents": Qt.DockWidgetArea.LeftDockWidgetArea,
    "inspector": Qt.DockWidgetArea.RightDockWidgetArea,
}


def make_docks(window: QMainWindow, makers: Mapping[str, Callable[[], QWidget]]) -> Docks:
    """A hidden dock for each name; the makers give what is in them. Pages share a place below."""
    made = {name: _Dock(name, window, make) for name, make in makers.items()}
    for name, dock in made.items():
        area = _AREAS.get(name, Qt.DockWidgetArea.BottomDockWidgetArea)
        window.addDockWidget(area, dock)
        dock.hide()
    below = [dock for name, dock in made.items() if name not in _AREAS]
    for dock in below[1:]:
        window.tabifyDockWidget(below[0], dock)
    window.resizeDocks(below, [PAGE_HEIGHT] * len(below), Qt.Orientation.Vertical)
    for dock in made.values():
        dock.visibilityChanged.connect(lambda _visible: _name_those_without_tabs(window, made))
        dock.topLevelChanged.connect(lambda _floats: _name_those_without_tabs(window, made))
    return dict(made)


def make_room(window: QMainWindow, docks: Docks) -> None:
    """Show the panels at the sides that the window has room for, as wide as it allows."""
    width = window.width()
    for name, (room, narrow, wide) in PANELS.items():
        docks[name].setVisible(width >= room)
        fitting = max(narrow, round(wide * min(1.0, width / ROOMY)))
        window.resizeDocks([docks[name]], [fitting], Qt.Orientation.Horizontal)


def bring_to_front(dock: QDockWidget) -> None:
    """Show a panel or a page, over those that share its place."""
    dock.show()
    dock.raise_()


def heighten(window: QMainWindow, docks: Docks, page: str) -> None:
    """Give what is read, not glanced at, its share of the window's height."""
    share, most = HEIGHTS[page]
    dock, height = docks[page], min(round(window.height() * share), most)
    if dock.height() < height:
        window.resizeDocks([dock], [height], Qt.Orientation.Vertical)


def enlarge_list(window: QMainWindow, docks: Docks) -> None:
    """Give the list of conversions most of the window's height."""
    height = round(window.height() * SHARE_OF_LIST)
    window.resizeDocks([docks["jobs"]], [height], Qt.Orientation.Vertical)


def _name_those_without_tabs(window: QMainWindow, docks: Mapping[str, _Dock]) -> None:
    """A panel that shares its place says on its tab what it is called: once is enough."""
    if not isValid(window):  # It is on its way out, and its docks after it.
        return
    for dock in docks.values():
        if dock.title is not None:
            beside = window.tabifiedDockWidgets(dock)
            dock.title.show_name(dock.isFloating() or all(other.isHidden() for other in beside))


class _Dock(QDockWidget):
    """Made of its name; its title and what is in it come when it is first shown."""

    def __init__(self, name: str, window: QMainWindow, make: Callable[[], QWidget]) -> None:
        super().__init__(name.capitalize(), window)
        self.setObjectName(name)
        self.title: DockTitle | None = None
        self._make = make

    def showEvent(self, event: QShowEvent) -> None:
        if self.title is None:
            self.title = DockTitle(self)
            self.setTitleBarWidget(self.title)
            page = self._make()
            self.setWidget(page)
            if isinstance(page, ToolPage):
                self.title.take(page.tools)
        super().showEvent(event)
