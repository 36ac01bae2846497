# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The name of an open file: can be dragged to elsewhere, and its menu leads to the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ortstudio.ui.plain import tip
from ortstudio.ui.views.labels import ElidedLabel
from ortstudio.ui.views.notice import copy_path, open_folder


class FileLabel(ElidedLabel):
    """Shows the last part of a path."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = Path()
        self._pressed: QPointF | None = None

    def show_path(self, path: Path) -> None:
        """Show another file's name."""
        self._path = path
        self.setText(path.name)
        self.setToolTip(tip(str(path.absolute())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = event.position() if left else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        way = (event.position() - self._pressed).manhattanLength()
        if way >= QApplication.startDragDistance():
            self._pressed = None
            drag = QDrag(self)
            drag.setMimeData(self.mime())
            drag.exec(Qt.DropAction.CopyAction)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu(self) -> QMenu:
        """What can be done with the file."""
        menu = QMenu(self)
        menu.addAction("Copy Path", lambda: copy_path(self._path))
        menu.addAction("Show in Folder", lambda: open_folder(self._path))
        return menu

    def mime(self) -> QMimeData:
        """What is dragged: the file."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(self._path.absolute()))])
        return mime
