"""The main job on the sample: in a window where there is a display, else unseen and checked.

Unseen it does what a person would: drops the sample's ONNX model on the window, asks for the
conversion, and finds the verified result open beside its source. It ends in a summary and a
picture, and fails when any step did.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from ortstudio.analysis.words import count, size_text
from ortstudio.errors import StudioError
from ortstudio.services import samples
from ortstudio.services.conversion import Conversion
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.document import Document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.sessions import Style
from ortstudio.services.settings import load, settings_file
from ortstudio.ui.app import application
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.screenshot import grab, save, use_no_display

PATIENCE_MS = 120_000


def main() -> int:
    """The journey; its exit code is 0 when every step succeeded."""
    use_no_display()
    if os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        return unseen()
    file = settings_file()
    app = application(load(file).theme)
    window = MainWindow(file)
    window.show()
    QTimer.singleShot(0, window.open_sample)
    return app.exec()


def unseen() -> int:
    """Do it without a display."""
    app = application("light")
    window = MainWindow(None)
    try:
        with temporary_folder() as folder:
            _travel(app, window, Path(shutil.copy(samples.sample().source, folder)))
    except StudioError as error:
        sys.stderr.write(f"ortstudio: {error}\n")
        return 1
    return 0


def _travel(app: QApplication, window: MainWindow, source: Path) -> None:
    """Every step, and what is to be seen of it. Raises a StudioError where one did not succeed."""
    window.ask_nobody()
    window.show()
    window.accept_files()
    try:
        conversion = _drop_and_convert(window, source)
        _check(window, conversion)
        picture = Path("ortstudio-sample.png").absolute()
        save(grab(app, window), picture)
        _tell(window, conversion, picture)
    finally:
        window.close_models()
        window.close()


def _drop_and_convert(window: MainWindow, source: Path) -> Conversion:
    """Drop the file, convert it when it is open, and wait until the pair is painted."""
    ended: list[Conversion] = []
    _wait(window, lambda: _drop(window, source))
    if window.last_error is not None:
        raise window.last_error
    window.studio.converting.conversions.ended.connect(ended.append)
    settings = ConvertSettings(styles=(Style.RUNTIME,))
    _wait(window, lambda: window.studio.converting.start(settings))
    if not ended:
        raise StudioError("The conversion did not end")
    return ended[0]


def _drop(window: MainWindow, path: Path) -> None:
    """What the system does when a file is let go over the window."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    place, copy = QPoint(window.width() // 2, window.height() // 2), Qt.DropAction.CopyAction
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(place, copy, mime, left, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(place), copy, mime, left, none))


def _wait(window: MainWindow, start: Callable[[], object]) -> None:
    loop = QEventLoop()
    window.settled.connect(loop.quit)
    window.stopped.connect(loop.quit)
    QTimer.singleShot(PATIENCE_MS, loop.quit)
    QTimer.singleShot(0, start)
    loop.exec()
    window.settled.disconnect(loop.quit)
    window.stopped.disconnect(loop.quit)


def _check(window: MainWindow, conversion: Conversion) -> None:
    """Raise a StudioError where a step did not do what it should."""
    row = conversion.results[0]
    if row.error is not None:
        raise row.error
    if row.verified is None or not row.verified.agrees:
        raise StudioError(f"The result is not verified: {row.verify_skipped}")
    if window.last_error is not None:
        raise window.last_error
    pair = window.studio.pair
    if len(pair.panes) != 2 or any(pane.pictured is None for pane in pair.panes):
        raise StudioError("The pair is not shown side by side")


def _tell(window: MainWindow, conversion: Conversion, picture: Path) -> None:
    row = conversion.results[0]
    documents = [window.studio.workspace.document(side) for side in (0, 1)]
    lines = [_line(document) for document in documents if document is not None]
    verified = row.verified
    if verified is not None:
        lines.append(f"Outputs agree: the largest difference is {verified.max_abs:.3g}.")
    lines.append(f"Picture of the window: {picture}")
    sys.stdout.write("\n".join(lines) + "\n")


def _line(document: Document) -> str:
    totals = document.totals
    texts = [
        count(totals.nodes, "node"),
        count(totals.parameters, "parameter"),
        size_text(document.model.source.size),
        document.portability.verdict,
    ]
    if document.optimizations:
        texts.append(count(len(document.optimizations), "saved optimization"))
    return f"{document.path.name}: {', '.join(texts)}"


if __name__ == "__main__":
    sys.exit(main())
