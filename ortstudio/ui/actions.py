"""What can be done in the window: menus, tool bar and shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QSizePolicy, QToolBar, QWidget

from ortstudio.ui import icons
from ortstudio.ui.plain import one_line, tip

Keys = QKeySequence.StandardKey
ROOMY = 480
"""Pixels of a tool bar that has room for words beside the icons."""
THEMES = (("system", "As the &System"), ("light", "&Light"), ("dark", "&Dark"))


class Commands(Protocol):
    """What the window does when asked."""

    def choose(self) -> None:
        """Ask for files to open."""

    def open_sample(self) -> None:
        """Open the sample pair."""

    def close_models(self) -> None:
        """Let go of what is open."""

    def offer(self) -> None:
        """Offer to convert what is open."""

    def edit(self) -> None:
        """Change what is shown, in a dialog."""

    def upgrade(self) -> None:
        """Bring files to a newer format version, in a dialog: those that are open, or others."""

    def upgrade_folder(self) -> None:
        """The same with all files of a folder."""

    def show_use(self) -> None:
        """Show code that runs what is open."""

    def show_runtimes(self) -> None:
        """List the ONNX Runtime releases at hand, in a dialog."""

    def explain(self) -> None:
        """Explain what a runtime said."""

    def start_find(self) -> None:
        """Put the keyboard into the find box."""

    def zoom(self, how: str) -> None:
        """`fit`, `actual_size`, `zoom_in` or `zoom_out` for the picture in use."""

    def show_changes(self, shown: bool) -> None:
        """Colour the pictures by what changed."""

    def link_views(self, linked: bool) -> None:
        """Let both pictures move together, or each for itself."""

    def step_change(self, way: int) -> None:
        """Go to the next change, or the one before."""

    def choose_theme(self, scheme: str) -> None:
        """Use a theme."""

    def recent(self) -> Sequence[Sequence[str]]:
        """What was open last: one file, or two, for each entry."""

    def open_paths(self, paths: Sequence[str]) -> None:
        """Open files by their paths."""

    def show_about(self) -> None:
        """Say what this is."""

    def close(self) -> bool:
        """Close the window."""


class Actions:
    """Makes the menus and the tool bar of a window, and enables what is possible."""

    def __init__(self, window: QMainWindow, commands: Commands, scheme: str) -> None:
        self._window = window
        self._commands = commands
        self._bare: dict[QAction, str] = {}
        do = commands
        self.open = self._action("&Open…", "open", Keys.Open, do.choose)
        self.sample = self._action("Open &Sample", "", None, do.open_sample)
        self.close = self._action("&Close", "close", Keys.Close, do.close_models)
        self.quit = self._action("&Quit", "", Keys.Quit, do.close)
        self.convert = self._action("&Convert…", "convert", "Ctrl+E", do.offer)
        self.edit = self._action("&Edit…", "", "Ctrl+Shift+E", do.edit)
        self.upgrade = self._action("&Upgrade…", "", None, do.upgrade)
        self.upgrade_folder = self._action("Upgrade a &Folder…", "", None, do.upgrade_folder)
        self.explain = self._action("E&xplain a Message…", "", "Ctrl+Shift+M", do.explain)
        self.use = self._action("&Use in Code", "code", "Ctrl+U", do.show_use)
        self.runtimes = self._action("&Runtimes…", "", None, do.show_runtimes)
        self.find = self._action("&Find", "find", Keys.Find, do.start_find)
        self._views = [
            self._action("&Fit", "fit", "Ctrl+0", lambda: do.zoom("fit")),
            self._action("&Actual Size", "", "Ctrl+1", lambda: do.zoom("actual_size")),
            self._action("Zoom &In", "zoom-in", Keys.ZoomIn, lambda: do.zoom("zoom_in")),
            self._action("Zoom &Out", "zoom-out", Keys.ZoomOut, lambda: do.zoom("zoom_out")),
        ]
        self.changes = self._action("Colour by &Change", "compare", "Ctrl+D", lambda: None)
        self.changes.setCheckable(True)
        self.changes.setChecked(True)
        self.changes.toggled.connect(do.show_changes)
        self.links = self._action("&Link Views", "link", "Ctrl+L", lambda: None)
        self.links.setCheckable(True)
        self.links.setChecked(True)
        self.links.toggled.connect(do.link_views)
        self._steps = [
            self._action("&Next Change", "down", "F8", lambda: do.step_change(1)),
            self._action("&Previous Change", "up", "Shift+F8", lambda: do.step_change(-1)),
        ]
        self.panels = QMenu("&Panels", window)
        self._recent = QMenu("Open &Recent", window)
        self._recent.setToolTipsVisible(True)
        self._recent.aboutToShow.connect(self._fill_recent)
        self._make_menus(scheme)
        self.toolbar = self._make_toolbar()
        self.enable(is_open=False, is_pair=False, is_convertible=False)

    def enable(self, *, is_open: bool, is_pair: bool, is_convertible: bool) -> None:
        """Allow what can be done now."""
        for action in (self.changes, self.links, *self._steps):
            action.setEnabled(is_pair)
        for action in (self.close, self.edit, self.use, self.find, *self._views):
            action.setEnabled(is_open)
        self.convert.setEnabled(is_convertible)

    def add_to_toolbar(self, find: QWidget, verdicts: QWidget) -> None:
        """The find box after the buttons, the verdicts at the right end."""
        self.toolbar.addSeparator()
        self.toolbar.addWidget(find)
        space = QWidget(self.toolbar)
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.toolbar.addWidget(space)
        self.toolbar.addWidget(verdicts)

    def _action(
        self,
        text: str,
        icon: str,
        shortcut: QKeySequence.StandardKey | str | None,
        slot: Callable[[], object],
    ) -> QAction:
        action = QAction(text, self._window)
        if icon:
            self._bare[action] = icon
        if shortcut is not None:
            action.setShortcut(QKeySequence(shortcut))
        action.triggered.connect(lambda _checked=False: slot())
        return action

    def _dress(self, *actions: QAction) -> None:
        """Give actions their icons, once they are to be seen: painting them takes its time."""
        for action in actions:
            if action in self._bare:
                icons.set_icon(action, self._bare.pop(action))

    def _make_menus(self, scheme: str) -> None:
        bar = self._window.menuBar()
        file = bar.addMenu("&File")
        file.aboutToShow.connect(lambda: self._dress(*self._bare))
        file.addAction(self.open)
        file.addMenu(self._recent)
        file.addAction(self.sample)
        file.addSeparator()
        file.addActions([self.convert, self.edit, self.use, self.runtimes])
        file.addSeparator()
        file.addActions([self.close, self.quit])
        view = bar.addMenu("&View")
        view.aboutToShow.connect(lambda: self._dress(*self._bare))
        view.addAction(self.find)
        view.addSeparator()
        view.addActions(self._views)
        view.addSeparator()
        view.addActions([self.changes, self.links, *self._steps])
        view.addSeparator()
        view.addMenu(self.panels)
        view.addMenu(self._theme_menu(scheme))
        tools = bar.addMenu("&Tools")
        tools.addActions([self.upgrade, self.upgrade_folder])
        tools.addSeparator()
        tools.addAction(self.explain)
        about = self._action("&About ORT Studio", "", None, self._commands.show_about)
        bar.addMenu("&Help").addAction(about)

    def _theme_menu(self, chosen: str) -> QMenu:
        menu, group = QMenu("&Theme", self._window), QActionGroup(self._window)
        for scheme, text in THEMES:
            choose = partial(self._commands.choose_theme, scheme)
            action = self._action(text, "", None, choose)
            action.setCheckable(True)
            action.setChecked(scheme == chosen)
            group.addAction(action)
            menu.addAction(action)
        return menu

    def _fill_recent(self) -> None:
        self._recent.clear()
        for entry in self._commands.recent():
            text = "  →  ".join(path.replace("\\", "/").rsplit("/", 1)[-1] for path in entry)
            action = self._recent.addAction(one_line(text, 100).replace("&", "&&"))
            action.setToolTip(tip("\n".join(entry)))
            action.triggered.connect(
                lambda _checked=False, paths=entry: self._commands.open_paths(paths)
            )
        if self._recent.isEmpty():
            self._recent.addAction("Nothing yet").setEnabled(False)

    def _make_toolbar(self) -> QToolBar:
        bar = _ToolBar("Tools", self._window)
        bar.setObjectName("Tools")
        bar.setMovable(False)
        bar.setIconSize(bar.iconSize().scaled(16, 16, Qt.AspectRatioMode.KeepAspectRatio))
        self._dress(self.open, self.convert)
        bar.addActions([self.open, self.convert])
        self._window.addToolBar(bar)
        return bar


class _ToolBar(QToolBar):
    """Words beside the icons where there is room for them."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        styles = Qt.ToolButtonStyle
        roomy = event.size().width() >= ROOMY
        self.setToolButtonStyle(
            styles.ToolButtonTextBesideIcon if roomy else styles.ToolButtonIconOnly
        )
        super().resizeEvent(event)
