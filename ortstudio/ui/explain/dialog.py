"""The box for what a runtime said: pasted above, explained below, with links into the picture."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from ortstudio.errors import StudioError
from ortstudio.ui import icons, theme
from ortstudio.ui.explain.sheet import Told, explain_sheet, tell
from ortstudio.ui.places import Place
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.facts import Sheet
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.workspace import Workspace

SIZE = (680, 560)
LONGEST = 100_000
"""Characters of a log that are looked at."""
PAUSE_MS = 250
"""After the last key."""
NOTHING = (
    "Paste what ONNX Runtime said, of any release: an exception, or the end of a log. It is"
    " explained here, for what is open as well."
)


class ExplainDialog(QDialog):
    """Stands beside the window, so that its links can be followed."""

    ended = Signal()
    """There is an explanation, or there will be none."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self.setWindowTitle("Explain a Message")
        self.setModal(False)
        self.resize(*SIZE)
        self.said = _box()
        self.words, self.facts = PlainLabel(NOTHING, muted=True), FactsView()
        self.paste, self.copy, self.close_ = map(QPushButton, ("Paste", "Copy", "Close"))
        self._lay_out()
        self._soon = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._soon.timeout.connect(self._explain)
        self.said.textChanged.connect(self._soon.start)
        self.facts.link_activated.connect(self._follow)
        self.paste.clicked.connect(self._paste)
        self.copy.clicked.connect(self._copy)
        self.close_.clicked.connect(self.reject)
        workspace.changed.connect(self._explain)
        self._say(NOTHING)

    def _lay_out(self) -> None:
        below = QFrame()
        below.setFrameShape(QFrame.Shape.StyledPanel)
        self._stack = QStackedLayout(below)
        self.words.setMargin(3 * SPACE)
        self._stack.addWidget(self.words)
        self._stack.addWidget(self.facts)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.said)
        split.addWidget(below)
        split.setSizes([SIZE[1] // 3, SIZE[1]])
        buttons = QHBoxLayout()
        buttons.setSpacing(2 * SPACE)
        buttons.addWidget(self.paste)
        buttons.addWidget(self.copy)
        buttons.addStretch(1)
        buttons.addWidget(self.close_)
        icons.set_icon(self.copy, "copy")
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        column.setSpacing(2 * SPACE)
        column.addWidget(split, 1)
        column.addLayout(buttons)
        for button in (self.paste, self.copy, self.close_):
            button.setAutoDefault(False)

    def explain(self, said: str) -> None:
        """Explain this message, in the place of another."""
        self.said.setPlainText(said)
        self._explain()

    def _explain(self) -> None:
        self._soon.stop()
        said = self.said.toPlainText().strip()[:LONGEST]
        if not said:
            self._tasks.drop("explain")
            self._say(NOTHING)
            return
        found = {side: self._workspace.document(side) for side in self._workspace.open_sides}
        documents = {side: one for side, one in found.items() if one is not None}
        self._tasks.run(
            lambda _task: tell(said, documents),
            done=self._show,
            failed=self._fail,
            lane="explain",
        )

    def _show(self, told: Told) -> None:
        # First the place, then what fills it: texts measure themselves by the room they get.
        self._stack.setCurrentWidget(self.facts)
        self.facts.show_sheet(explain_sheet(told))
        self.copy.setEnabled(True)
        self.ended.emit()

    def _fail(self, error: StudioError) -> None:
        self._say(str(error))
        self.ended.emit()

    def _say(self, text: str) -> None:
        self.facts.show_sheet(Sheet(""))
        self.words.setText(text)
        self._stack.setCurrentWidget(self.words)
        self.copy.setEnabled(False)

    def _follow(self, target: object) -> None:
        if isinstance(target, Place):
            self._workspace.select(target.side, target.ref)

    def _paste(self) -> None:
        self.explain(QGuiApplication.clipboard().text())

    def _copy(self) -> None:
        """What was said, and what it means."""
        text = f"{self.said.toPlainText().strip()}\n\n{self.facts.sheet.text()}\n"
        QGuiApplication.clipboard().setText(text)


def _box() -> QPlainTextEdit:
    box = QPlainTextEdit()
    box.setAccessibleName("What ONNX Runtime said")
    box.setPlaceholderText("[ONNXRuntimeError] : 1 : FAIL : …")
    box.setFont(theme.mono())
    box.setTabChangesFocus(True)
    return box
