"""A drag over a widget and a drop on it, as the window system would send them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


class Drag:
    """Files carried over a widget by a source that proposes to move them."""

    def __init__(self, target: QWidget, paths: Sequence[Path]) -> None:
        self.target = target
        self.mime = QMimeData()
        self.mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        self.action = Qt.DropAction.IgnoreAction

    def enter(self) -> bool:
        """Whether the widget takes them."""
        return self._send(QDragEnterEvent)

    def move(self) -> bool:
        """Whether it still does."""
        return self._send(QDragMoveEvent)

    def leave(self) -> None:
        QApplication.sendEvent(self.target, QDragLeaveEvent())

    def drop(self) -> bool:
        """Whether the drop was taken; `action` is then what the source is told."""
        return self._send(QDropEvent)

    def _send(self, kind: type[QDropEvent]) -> bool:
        actions = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
        rest = (actions, self.mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        middle = self.target.rect().center()
        # Up to 6.11 enter and move take whole pixels and a drop takes fractions; later all do.
        places: list[QPoint | QPointF] = [middle, QPointF(middle)]
        for place in places if kind is not QDropEvent else places[::-1]:
            try:
                event = kind(place, *rest)
            except TypeError:
                continue
            event.setDropAction(Qt.DropAction.MoveAction)
            event.ignore()
            QApplication.sendEvent(self.target, event)
            self.action = event.dropAction()
            return event.isAccepted()
        raise AssertionError(f"no known way to make a {kind.__name__}")


def drop_files(target: QWidget, *paths: Path) -> bool:
    """A whole drag: over the widget, across it and dropped. Whether it was taken to the end."""
    drag = Drag(target, paths)
    return drag.enter() and drag.move() and drag.drop()
