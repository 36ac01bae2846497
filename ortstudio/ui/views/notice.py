"""One sentence about what was just done, and what can be done with the file that came of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from ortstudio.ui import icons
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import ElidedLabel


class Notice(QWidget):
    """A line that stands until it is closed, or until something else is open."""

    details_requested = Signal()
    """All that is known of it is wanted."""
    use_requested = Signal()
    """Code that runs it is wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._path = Path()
        self.words = ElidedLabel(self)
        self.details = QPushButton("Details", self)
        self.use = QPushButton("Use It", self)
        self.show_in_folder = _tool("folder", "Show in folder", self)
        self.copy_path = _tool("copy", "Copy path", self)
        self.dismiss = _tool("close", "Close", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * SPACE, SPACE, 2 * SPACE, SPACE)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.words, 1)
        for button in (
            self.use,
            self.details,
            self.show_in_folder,
            self.copy_path,
            self.dismiss,
        ):
            row.addWidget(button)
        self.use.clicked.connect(self.use_requested)
        self.details.clicked.connect(self.details_requested)
        self.show_in_folder.clicked.connect(lambda: open_folder(self._path))
        self.copy_path.clicked.connect(lambda: copy_path(self._path))
        self.dismiss.clicked.connect(self.hide)

    def tell(self, text: str, path: Path) -> None:
        """Say a sentence about a file."""
        self._path = path
        self.words.setText(text)
        self.show()


def _tool(icon: str, words: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setAutoRaise(True)
    button.setToolTip(words)
    button.setAccessibleName(words)
    icons.set_icon(button, icon)
    return button


def open_folder(path: Path) -> None:
    """Show the folder of a file in the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.absolute().parent)))


def copy_path(path: Path) -> None:
    """Put the whole path of a file on the clipboard."""
    QGuiApplication.clipboard().setText(str(path.absolute()))
