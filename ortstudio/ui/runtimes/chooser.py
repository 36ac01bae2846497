"""The button at the end of the last line: the release in use, and a list of the others."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ortstudio.services.runtimes import Kind, Runtime
from ortstudio.services.runtimes.limits import limits
from ortstudio.ui import icons
from ortstudio.ui.plain import one_line, tip
from ortstudio.ui.runtimes.choosing import Choosing


class Chooser(QToolButton):
    """Says which release runs models, and lets another one do it."""

    manage_requested = Signal()
    """The list is to be changed."""

    def __init__(self, choosing: Choosing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choosing = choosing
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        # The arrow of a menu would stand below the line of the words.
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        icons.set_icon(self, "runtime")
        self.setPopupMode(self.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        self._menu.aboutToShow.connect(choosing.read)
        choosing.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        current = self._choosing.current
        self.setText(f"onnxruntime {current.onnxruntime}".rstrip())
        self.setAccessibleName(f"Runtime in use: {self.text()}")
        said = [f"Models run with {described(current)}", *limits(current)]
        self.setToolTip(tip("\n".join(said)))
        self._fill()

    def _fill(self) -> None:
        self._menu.clear()
        group = QActionGroup(self._menu)
        for runtime in self._choosing.all:
            action = self._menu.addAction(one_line(described(runtime), 100).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(self._choosing.is_current(runtime))
            action.setToolTip(tip(runtime.where))
            group.addAction(action)
            action.triggered.connect(lambda _on=False, one=runtime: self._choosing.use(one))
        self._menu.addSeparator()
        self._menu.addAction("Runtimes…", self.manage_requested.emit)


def described(runtime: Runtime) -> str:
    """`onnxruntime 1.16.3`, with where it runs where that is not this machine's Python."""
    where = {
        Kind.OWN: " (own)",
        Kind.NODE: " in Node.js",
        Kind.WEB: " in WebAssembly",
        Kind.SSH: f" on {runtime.name}",
    }.get(runtime.kind, "")
    name = f" ({runtime.name})" if not where and runtime.name != runtime.onnxruntime else ""
    return f"onnxruntime {runtime.onnxruntime}{where}{name}"
