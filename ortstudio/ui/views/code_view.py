"""Code to read and to take along, in the colours of its language."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from ortstudio.ui import theme
from ortstudio.ui.views.code_colours import CodeColours


class CodeView(QPlainTextEdit):
    """Shows code; it is selected and copied, never edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.mono())
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setAccessibleName("Code")
        self.document().setDocumentMargin(3 * theme.SPACE)
        self._colours = CodeColours(self.document())

    def show_code(self, code: str, lang: str) -> None:
        """Show code from its first line; where it was looked at stays, if that is there still."""
        if code == self.toPlainText():
            return
        place = self.verticalScrollBar().value()
        self._colours.set_language(lang)
        self.setPlainText(code)
        self.verticalScrollBar().setValue(place)

    def changeEvent(self, event: QEvent) -> None:
        """Colour anew in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_colours"):
            self._colours.rehighlight()
