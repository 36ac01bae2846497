"""What became of one source: what was written and what for, whether it agrees, or why it failed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from ortstudio.analysis.words import count, size_text
from ortstudio.errors import StudioError
from ortstudio.services.conversion import Converted, ConvertedModel, Output
from ortstudio.ui import theme
from ortstudio.ui.hints import in_window
from ortstudio.ui.job import as_sentence, details, verification_text
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.file_label import FileLabel
from ortstudio.ui.views.flow import Flow
from ortstudio.ui.views.labels import PlainLabel
from ortstudio.ui.views.outputs import OutputList, Written


class ResultView(QWidget):
    """A column, top to bottom: the heading, the files, the verification, the runtime's words."""

    open_requested = Signal(list)
    """Source and result, to be opened side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._result: Converted | None = None
        self.heading = PlainLabel()
        self.heading.setFont(theme.font(theme.TITLE, strong=True))
        self._source = FileLabel(self)
        self._source.setFont(theme.mono())
        self._message, self._hint = PlainLabel(), PlainLabel(muted=True)
        self.files = OutputList(self)
        self._notes, self.verification = PlainLabel(), PlainLabel()
        self.words = Words()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3 * SPACE)
        said = self._message, self._hint, self.files, self._notes, self.verification, self.words
        for part in (self.heading, self._source, *said):
            column.addWidget(part)
        self.files.open_requested.connect(self._open)

    def show_result(self, result: Converted) -> None:
        """What became of a source."""
        self._result = result
        self._name(result.source)
        if result.error is not None:
            self.show_error(result.error, keep=result)
            return
        folders = {str(output.path.absolute().parent) for output in result.outputs}
        where = f"{count(len(result.outputs), 'file')} in {', '.join(sorted(folders))}"
        self._say("Skipped" if result.skipped else "Converted", result.skipped or where)
        self._show_files(result)
        self.words.show_text("")

    def show_error(self, error: StudioError, keep: Converted | None = None) -> None:
        """What, where, why and what next; of what was written before, where that is."""
        if keep is None:
            self._name(None)
        where = str(error.where)
        message = error.message + (f"\n{where}" if where else "")
        self._say("Not converted", message, in_window(error.hint))
        self._show_files(keep)
        self.words.show_text(details(error))

    def _name(self, source: Path | None) -> None:
        self._source.setVisible(source is not None)
        if source is not None:
            self._source.show_path(source)

    def _say(self, heading: str, message: str, hint: str = "") -> None:
        self.heading.setText(heading)
        for label, text in ((self._message, message), (self._hint, hint)):
            label.setText(text)
            label.setVisible(bool(text))

    def _show_files(self, result: Converted | None) -> None:
        outputs = result.outputs if result else ()
        self.files.show_files([_written(output) for output in outputs])
        self.files.setVisible(bool(outputs))
        notes = result.notes if isinstance(result, ConvertedModel) else ()
        self._notes.setText("\n".join(as_sentence(note.message) for note in notes))
        self._notes.setVisible(bool(notes))
        said = ""
        if result is not None and result.verified is not None:
            said = verification_text(result.verified)
        elif result is not None and result.checks:
            said = f"Not verified: {result.verify_skipped}."
        self.verification.setText(said)
        self.verification.setVisible(bool(said))

    def _open(self, path: object) -> None:
        if self._result is not None:
            self.open_requested.emit([self._result.source, path])


class Words(QWidget):
    """The runtime's own words, one click below."""

    def __init__(self) -> None:
        super().__init__()
        self.more = QPushButton("Show the Runtime's Words")
        self.more.setCheckable(True)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName("The runtime's words")
        self._text.setFont(theme.mono(theme.SMALL))
        self._text.setMinimumHeight(30 * SPACE)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addLayout(Flow(self.more))
        column.addWidget(self._text)
        self.more.toggled.connect(self._text.setVisible)
        self.show_text("")

    def show_text(self, text: str) -> None:
        """Show these, folded; none where it said nothing."""
        self._text.setPlainText(text)
        self.more.setChecked(False)
        self._text.setVisible(False)
        self.setVisible(bool(text))


def _written(output: Output) -> Written:
    return Written(
        output.path, size_text(output.size_bytes), as_sentence(output.purpose), output.is_model
    )
