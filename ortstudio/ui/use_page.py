"""The page below with code that loads and runs what is open, in a language of choice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QWidget,
)

from ortstudio.errors import StudioError
from ortstudio.services.snippet import (
    LANGUAGES,
    Loading,
    Way,
    language,
)
from ortstudio.services.whole_file import write_text
from ortstudio.ui import icons
from ortstudio.ui.plain import tip
from ortstudio.ui.tasks import Tasks
from ortstudio.ui.theme import SPACE
from ortstudio.ui.use_sheet import FIND_SIZES, Written, use_sheet, written
from ortstudio.ui.views.code_view import CodeView
from ortstudio.ui.views.dock_title import ToolPage
from ortstudio.ui.views.facts_view import FactsView
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.workspace import Workspace

NOTHING = "Open a model to see how to use it."
BESIDE = 200 * SPACE
"""Pixels of a page that has room for the notes beside the code."""
_SAID_MS = 1500
_WAYS = {
    Way.PATH: ("By path", "The runtime reads the file"),
    Way.MAPPED: ("Mapped", "The file is mapped, and its weights are used where they lie"),
    Way.BYTES: ("From bytes", "The code reads the file and hands over its bytes"),
}


class UsePage(ToolPage):
    """Code and what to know of it; the tools choose file, language and way of loading."""

    shown = Signal()
    """Somebody looks at it."""
    language_chosen = Signal(str)
    """The name of a language that was chosen."""
    failed = Signal(object)
    """A `StudioError`: the code could not be saved."""
    ended = Signal()
    """There is code, or there will be none."""

    def __init__(self, workspace: Workspace, lang: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._tasks = Tasks(self)
        self._is_known = False
        self._way: Way | Loading | None = None
        self._found: Written | None = None
        self._sizes: dict[int, Mapping[str, int]] = {}
        self.words = PlainLabel(NOTHING, self)
        self.words.setMargin(3 * SPACE)
        self.code, self.notes = CodeView(self), FactsView()
        self._split = QSplitter(self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.code)
        self._split.addWidget(self.notes)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.words)
        self._stack.addWidget(self._split)
        self.notes.link_activated.connect(lambda _target: self.find_sizes())
        self.tools = self._make_tools(lang)
        workspace.changed.connect(self._forget)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being written."""
        return self._tasks.is_idle()

    def _make_tools(self, lang: str) -> QWidget:
        tools = QWidget(self)
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, SPACE, 0, SPACE)
        row.setSpacing(SPACE)
        self.files = _choice("File")
        self.languages = _choice("Language")
        self.ways = _choice("Way of loading")
        for found in LANGUAGES:
            self.languages.addItem(found.title, found.name)
        self.languages.setCurrentIndex(max(0, self.languages.findData(lang)))
        self.copy, self.save = QPushButton("Copied"), QPushButton("Save…")
        icons.set_icon(self.copy, "copy")
        icons.set_icon(self.save, "save")
        self.copy.setMinimumWidth(self.copy.sizeHint().width())
        self.copy.setText("Copy")
        for choice in (self.files, self.languages, self.ways):
            row.addWidget(choice)
        row.addStretch(1)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        self.files.activated.connect(self._write)
        self.languages.activated.connect(self._choose_language)
        self.ways.activated.connect(self._choose_way)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._save)
        self._allow(False)
        return tools

    def showEvent(self, event: QShowEvent) -> None:
        """Write the code once somebody looks."""
        super().showEvent(event)
        self.shown.emit()
        if not self._is_known:
            self._fill_files()
            self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the notes beside the code where there is room, else below it."""
        super().resizeEvent(event)
        is_wide = self.width() >= BESIDE
        self._split.setOrientation(
            Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        )
        whole = self.width() if is_wide else self.height()
        self._split.setSizes([round(whole * 0.7), round(whole * 0.3)])

    def _forget(self) -> None:
        self._tasks.drop("code")
        self._tasks.drop("sizes")
        self._is_known = False
        self._sizes = {}
        self._say(NOTHING)
        if self.isVisible():
            self._fill_files()
            self._write()

    def _fill_files(self) -> None:
        """The open files, the result of two before its source."""
        self.files.clear()
        for side in reversed(self._workspace.open_sides):
            document = self._workspace.document(side)
            if document is not None:
                self.files.addItem("Result" if side else "Source", side)
                place = self.files.count() - 1
                self.files.setItemData(place, tip(str(document.path)), Qt.ItemDataRole.ToolTipRole)
        self.files.setVisible(self.files.count() > 1)

    def show_loading(self, side: int, loading: Loading, *, native: bool) -> None:
        """Show code that loads a file in just this way; `native` ones are shown in C++."""
        self._is_known = True
        self._fill_files()
        self.files.setCurrentIndex(max(0, self.files.findData(side)))
        if native:
            self.languages.setCurrentIndex(self.languages.findData("cpp"))
        elif self.languages.currentData() != "python":
            self.languages.setCurrentIndex(self.languages.findData("python"))
        self._way = loading
        self._write()

    def _choose_language(self) -> None:
        self.language_chosen.emit(self.languages.currentData())
        if isinstance(self._way, Loading):  # What was safe in one language need not be in another.
            self._way = self._way.way
        self._write()

    def _choose_way(self) -> None:
        self._way = self.ways.currentData()
        self._write()

    def _write(self) -> None:
        side = self.files.currentData()
        document = None if side is None else self._workspace.document(side)
        if document is None:
            return
        self._is_known = True
        lang, way = self.languages.currentData(), self._way
        sizes = self._sizes.get(side, {})
        self._tasks.run(
            lambda _task: written(document, lang, way, sizes),
            done=self._show,
            failed=self._refuse,
            lane="code",
        )

    def _show(self, found: Written) -> None:
        self.ways.clear()
        for place, way in enumerate(found.ways):
            name, what = _WAYS[way]
            self.ways.addItem(name, way)
            self.ways.setItemData(place, what, Qt.ItemDataRole.ToolTipRole)
        self.ways.setCurrentIndex(found.ways.index(found.way))
        self.ways.setEnabled(len(found.ways) > 1)
        made = found.snippet
        # First the place, then what fills it: texts measure themselves by the room they get.
        self._stack.setCurrentWidget(self._split)
        self.code.show_code(made.code, made.lang)
        self._found = found
        self.notes.show_sheet(use_sheet(found, FIND_SIZES))
        self._allow(True)
        self.ended.emit()

    def find_sizes(self) -> None:
        """Run the model in a child process, to find open sizes that it accepts."""
        from ortstudio.services.snippet.sizes import accepted_sizes

        side = self.files.currentData()
        document = None if side is None else self._workspace.document(side)
        if document is None or self._found is None:
            return
        self.notes.show_sheet(use_sheet(self._found, "Running the model…"))

        def found(sizes: Mapping[str, int]) -> None:
            self._sizes[side] = sizes
            self._write()

        self._tasks.run(
            lambda task: accepted_sizes(document, cancelled=task.cancelled),
            done=found,
            failed=self._say_no_sizes,
            lane="sizes",
        )

    def _say_no_sizes(self, error: StudioError) -> None:
        if self._found is not None:
            self.notes.show_sheet(use_sheet(self._found, error.message))
        self.ended.emit()

    def _refuse(self, error: StudioError) -> None:
        self._say(str(error))
        self.ended.emit()

    def _say(self, text: str) -> None:
        self.words.setText(text)
        self._stack.setCurrentWidget(self.words)
        self._allow(False)

    def _allow(self, has_code: bool) -> None:
        for button in (self.copy, self.save):
            button.setEnabled(has_code)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code.toPlainText())
        self.copy.setText("Copied")
        QTimer.singleShot(_SAID_MS, self.copy, lambda: self.copy.setText("Copy"))

    def _save(self) -> None:
        side = self.files.currentData()
        document = None if side is None else self._workspace.document(side)
        name = language(self.languages.currentData()).file_name
        start = name if document is None else str(document.path.parent / name)
        target, _ = QFileDialog.getSaveFileName(self, "Save Code", start)
        if not target:
            return
        try:
            # The dialog has asked whether to replace what is there.
            write_text(Path(target), self.code.toPlainText(), overwrite=True)
        except StudioError as error:
            self.failed.emit(error)


def _choice(name: str) -> QComboBox:
    """A choice as wide as the longest of its texts."""
    made = QComboBox()
    made.setAccessibleName(name)
    made.setToolTip(name)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return made
