"""One start of a window, for `bench_window`. Run by path with `bare`, or `ours` and files.

Ends as soon as everything is on the screen: taking a process down is not what is measured.
"""

from __future__ import annotations

import os
import sys

from ortstudio.__main__ import load_ahead

if len(sys.argv) > 2:
    load_ahead()  # As the program does where it is given files.

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTreeView, QWidget


class Painted(QObject):
    """Ends the process once a widget has been painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt calls it
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, end)
        return False


def end() -> None:
    os._exit(0)


def bare() -> None:
    """The least that a window with a tree can be."""
    app = QApplication([])
    window = QMainWindow()
    tree = QTreeView()
    window.setCentralWidget(tree)
    window.resize(1360, 860)
    Painted(tree.viewport())
    window.show()
    app.exec()


def ours(paths: list[str]) -> None:
    """The real window, empty or with files in it."""
    from ortstudio.ui.app import application
    from ortstudio.ui.main_window import MainWindow

    app = application("light")
    window = MainWindow(None)
    window.ask_nobody()
    if paths:
        window.studio.pair.settled.connect(end)
    else:
        page = window.empty.widget()
        assert page is not None
        Painted(page)
    window.show()
    if paths:
        window.open_paths(paths)
    app.exec()


if __name__ == "__main__":
    bare() if sys.argv[1] == "bare" else ours(sys.argv[2:])
