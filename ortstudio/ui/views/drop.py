# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""Dropping files on a window: while they hover, it says what will happen with exactly these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ortstudio.errors import StudioError
from ortstudio.ui import icons, theme
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import SPACE

_INSET = 3 * SPACE
_ICON = 48


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a drop would do, in a short sentence, and whether it would do anything.

    With `warns` it would only say why nothing can be opened.
    """

    sentence: str
    accepted: bool = True
    warns: bool = False


Planner = Callable[[Sequence[Path]], Outlook]
"""Says what would happen with these files. May read them: it is asked in another thread."""


def what_happens(paths: Sequence[Path]) -> Outlook:
    """What opening these would do. Looks at every file."""
    from ortstudio.services.arrivals import arrivals

    found = arrivals(paths)
    some = bool(found.models or found.refused)
    return Outlook(found.sentence(), accepted=some, warns=not found.models)


def local_paths(mime: QMimeData) -> tuple[Path, ...]:
    """The files and folders of this machine that are dragged, each once, in their order."""
    local = (url.toLocalFile() for url in mime.urls() if url.isLocalFile())
    return tuple(dict.fromkeys(Path(name) for name in local if name))


class DropTarget(QObject):
    """Makes a whole window a place to drop files on.

    A child that accepts drops itself, as a line edit does, takes them away from the window.
    """

    dropped = Signal(object)
    """A tuple of paths. It comes after the drop is over: opening may take a while or end the
    program, and neither may happen inside the drag of another process."""

    def __init__(self, window: QWidget, planner: Planner) -> None:
        super().__init__(window)
        self._planner = planner
        self._tasks = Tasks(self)
        self._outlook = _UNKNOWN
        self._overlay = _Overlay(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _window: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QDropEvent):
            return self._dragged(event)
        if event.type() == QEvent.Type.DragLeave:
            self._end()
            return True
        return False

    def _dragged(self, event: QDropEvent) -> bool:
        """A drag that enters, moves or drops: all three are a `QDropEvent` to Qt."""
        paths = local_paths(event.mimeData())
        if not paths:
            return False
        if event.type() == QEvent.Type.DragEnter:
            self._begin(paths)
        accepted = self._outlook.accepted
        event.setAccepted(accepted)
        if accepted:  # Copying, even where the other side would rather move: its files stay.
            event.setDropAction(Qt.DropAction.CopyAction)
        if event.type() == QEvent.Type.Drop:
            self._end()
            if accepted:
                QTimer.singleShot(0, self, lambda: self.dropped.emit(paths))
        return True

    def _begin(self, paths: tuple[Path, ...]) -> None:
        self._show(_UNKNOWN)
        self._tasks.run(
            lambda _: self._planner(paths), done=self._show, failed=self._show_error, lane="plan"
        )

    def _show_error(self, error: StudioError) -> None:
        self._show(Outlook(error.message, accepted=False))

    def _show(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self._overlay.say(outlook)

    def _end(self) -> None:
        self._tasks.drop("plan")
        self._overlay.hide()


_UNKNOWN = Outlook("")


class _Overlay(QWidget):
    """Covers the window while files hover over it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window = window
        self._outlook = _UNKNOWN
        self.hide()

    def say(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self.setAccessibleName(outlook.sentence)
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme.current()
        inviting = self._outlook.accepted and not self._outlook.warns
        colour = look.accent if inviting else look.error
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setOpacity(0.94)
            painter.fillRect(self.rect(), look.canvas)
            painter.setOpacity(1)
            painter.setPen(QPen(colour, 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(_INSET, _INSET, -_INSET, -_INSET), 8, 8
            )
            middle = QPointF(self.rect().center())
            name = "drop" if inviting else "cancel"
            painter.drawPixmap(
                QPointF(middle.x() - _ICON / 2, middle.y() - _ICON - SPACE),
                icons.pixmap(name, colour, _ICON),
            )
            painter.setPen(look.text if inviting else look.error)
            painter.setFont(theme.font(theme.TITLE, strong=True))
            words = QRectF(self.rect()).adjusted(6 * SPACE, middle.y() + 3 * SPACE, -6 * SPACE, 0)
            painter.drawText(
                words,
                Qt.AlignmentFlag.AlignHCenter
                | Qt.AlignmentFlag.AlignTop
                | Qt.TextFlag.TextWordWrap,
                self._outlook.sentence,
            )
