"""Starts the window."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from ortstudio import __version__
from ortstudio.services.settings import load, settings_file
from ortstudio.ui import theme
from ortstudio.ui.main_window import MainWindow

SWITCH_S = 0.0005
"""How long another thread may keep the interpreter when the window wants it. Python's own 5 ms add
up to a tenth of a second, since painting asks for it again at every call."""


HARMLESS = ("This plugin does not support propagateSizeHints()",)


def application(scheme: str) -> QApplication:
    """The application object, dressed in a theme."""
    qInstallMessageHandler(_heard)
    # Not by setStyle: it answers with the style before, and to make that known takes 10 ms.
    app = QApplication([*sys.argv[:1], "-style", "fusion"])
    sys.setswitchinterval(SWITCH_S)
    app.setApplicationName("ORT Studio")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("ortstudio")
    theme.apply(app, theme.scheme(scheme))
    return app


def _heard(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    """Pass on what Qt has to say, but for what drawing without a display cannot do anyway."""
    if text not in HARMLESS:
        sys.stderr.write(f"qt: {text}\n")


def main(paths: Sequence[str]) -> int:
    """Open the window on these files, and stay until it is closed."""
    file = settings_file()
    app = application(load(file).theme)
    window = MainWindow(file)
    window.show()
    if paths:
        QTimer.singleShot(0, lambda: window.open_paths(paths))
    return app.exec()
