"""`ortstudio screenshot`: a picture of the window, with no display where there is none."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from ortstudio.errors import RefusedError, UsageError, Where
from ortstudio.services.whole_file import check_apart
from ortstudio.ui import display
from ortstudio.ui.app import application
from ortstudio.ui.main_window import MainWindow

PAGES = (
    "changes",
    "findings",
    "compatibility",
    "advice",
    "operators",
    "use",
    "lab",
    "layers",
    "profile",
    "jobs",
)
TIMEOUT_MS = 600_000
MOST_PIXELS = 16_384


class Answers(Protocol):
    """Where the verb's answer goes."""

    as_json: bool

    def json(self, answer: Mapping[str, object]) -> None:
        """Answer with an object."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files, where the picture goes, what it shows."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="a model, or a source and its result"
    )
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="OUT.png")
    parser.add_argument("--page", choices=PAGES, help="a page to show below the pictures")
    parser.add_argument(
        "--size", default="1360x860", metavar="WxH", help="of the window, in pixels"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")


def run(arguments: argparse.Namespace, output: Answers) -> int:
    """Open the files, wait until all is painted, and save the picture."""
    if len(arguments.files) > 2:
        raise UsageError("a screenshot shows one model or two")
    size = _size(arguments.size)
    target: Path = arguments.output
    check_apart(target, "-o", arguments.files)
    if target.suffix.lower() != ".png":
        raise UsageError(
            "A screenshot is a .png", where=Where(str(target)), hint="Name it OUT.png."
        )
    if os.path.lexists(target) and not arguments.overwrite:
        raise RefusedError(
            "The picture's file exists", where=Where(str(target)), hint="Use --overwrite."
        )
    use_no_display()
    app = application(arguments.theme)
    window = MainWindow(None)
    window.resize(*size)
    window.show()
    settle(window, arguments.files)
    if arguments.files:
        for pane in window.studio.pair.panes:
            pane.canvas.fit()
    if arguments.page:
        window.studio.show_page(arguments.page)
        await_page(window)
    picture = grab(app, window)
    save(picture, target)
    if output.as_json:
        output.json(
            {
                "schema": "ortstudio/screenshot@1",
                "path": str(target),
                "width": picture.width(),
                "height": picture.height(),
            }
        )
    window.close()
    return 0


def use_no_display() -> None:
    """Draw offscreen where Linux has no display to draw on. Call before Qt starts."""
    if display.is_missing():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def settle(window: MainWindow, files: list[str]) -> None:
    """Open files and wait until everything is loaded, laid out and painted.

    Raises the StudioError that the window would have shown.
    """
    if not files:
        return
    window.ask_nobody()
    loop = QEventLoop()
    window.settled.connect(loop.quit)
    QTimer.singleShot(TIMEOUT_MS, loop.quit)
    QTimer.singleShot(0, lambda: window.open_paths(files))
    loop.exec()
    if window.last_error is not None:
        raise window.last_error


def await_page(window: MainWindow) -> None:
    """Wait until a page has found out what it is to say."""
    loop = QEventLoop()
    window.settled.connect(loop.quit)
    QTimer.singleShot(TIMEOUT_MS, loop.quit)
    if not window.studio.is_settled:
        loop.exec()


def grab(app: QApplication, window: MainWindow) -> QPixmap:
    """The window as it looks when nothing is left to do."""
    for _ in range(20):
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    return window.grab()


def save(picture: QPixmap, target: Path) -> None:
    """Write the picture whole or not at all."""
    temporary = target.with_name(f".{target.stem}-{os.getpid()}{target.suffix}")
    if not picture.save(str(temporary)):
        temporary.unlink(missing_ok=True)
        raise RefusedError("The picture cannot be written", where=Where(str(target)))
    temporary.replace(target)


def _size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(f"{text!r} is no size", hint="Write it as 1360x860.")
    width, height = map(int, parts)
    if not (320 <= width <= MOST_PIXELS and 240 <= height <= MOST_PIXELS):
        raise UsageError(f"a window of {text} pixels is too small or too large")
    return width, height
