# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""Text that is as high as it needs to be: selectable, with links, never cut at the side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QTextBrowser, QToolTip, QWidget

from ortstudio.ui import theme
from ortstudio.ui.plain import shortened, tip
from ortstudio.ui.theme import SPACE, Tone
from ortstudio.ui.views.facts import LONGEST, Fact, Link, Prose, Run, run_text

LONGEST_NOTE = 4000
"""Characters of words in a table; of names fewer are shown."""
LONGEST_PROSE = 20_000
"""Characters of a text: a file may hold megabytes where a sentence is meant."""


class RichText(QTextBrowser):
    """A run of text of the height that its width asks for; scrolling is left to what holds it."""

    link_activated = Signal(object)
    """The target of a `Link`, or the address of a link in Markdown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._targets: list[object] = []
        self._facts: Sequence[Fact] = ()
        self._heights: dict[int, int] = {}
        self.document().contentsChanged.connect(self._heights.clear)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.setUndoRedoEnabled(False)
        self.viewport().setAutoFillBackground(False)
        self.anchorClicked.connect(self._activate)

    def write_line(self, runs: Sequence[Run], font: QFont, tone: Tone = "text") -> None:
        """Append a paragraph."""
        cursor = self._end()
        cursor.beginEditBlock()
        for run in runs:
            self._write(cursor, run, _format(font, tone))
        cursor.endEditBlock()

    def write_prose(self, prose: Prose) -> None:
        """Append text, or set Markdown; Markdown cannot follow anything."""
        if prose.markdown:
            self.document().setDefaultFont(theme.font())
            self.document().setMarkdown(shortened(prose.text, LONGEST_PROSE))
            if any(look.toCharFormat().isAnchor() for look in self.document().allFormats()):
                self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        else:
            cursor = self._end()
            look = _format(theme.font(), prose.tone)
            cursor.insertText(shortened(prose.text, LONGEST_PROSE), look)

    def write_facts(self, facts: Sequence[Fact], key_width: int) -> None:
        """Append a table of keys and values; keys take `key_width` pixels."""
        self._facts = facts
        cursor = self._end()
        cursor.beginEditBlock()
        table = cursor.insertTable(len(facts), 2, _table_format(key_width))
        looks = _Looks()
        for row, fact in enumerate(facts):
            key, value = (table.cellAt(row, column).firstCursorPosition() for column in (0, 1))
            for cell in (key, value):
                cell.insertText(" ", looks.strut)
            self._write(key, fact.key, looks.aside)
            look, longest = (looks.name, LONGEST) if fact.mono else (looks.words, LONGEST_NOTE)
            for run in fact.runs():
                self._write(value, run, look, longest, fact.tip)
            if fact.note:
                gap = "  " if fact.whole() else ""
                value.insertText(gap + shortened(fact.note, LONGEST_NOTE), looks.aside)
            if fact.detail:
                self._write(value, "\N{LINE SEPARATOR}" + fact.detail, looks.name_aside)
        cursor.endEditBlock()

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        if width not in self._heights:  # A layout asks for the same few widths again and again.
            self.document().setTextWidth(width)
            self._heights[width] = max(1, math.ceil(self.document().size().height()))
        return self._heights[width]

    def sizeHint(self) -> QSize:
        return QSize(0, 0)  # It is the width that decides.

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        # Measuring for another width leaves the text laid out for that one.
        width = self.viewport().width()
        if self.document().textWidth() != width:
            self.document().setTextWidth(width)
        super().paintEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # There is nothing to scroll here; what holds this scrolls.

    def viewportEvent(self, event: QEvent) -> bool:
        if not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        says = self.cursorForPosition(event.pos()).charFormat().toolTip()
        QToolTip.showText(event.globalPos(), tip(says), self)
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu(event.pos())
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu(self, place: QPoint) -> QMenu:
        """What can be done there: copying, and the actions that were added to this widget."""
        menu = QMenu(self)
        menu.addAction("Copy", self.copy).setEnabled(self.textCursor().hasSelection())
        fact = self.fact_at(place)
        if fact is not None:
            clipboard = QGuiApplication.clipboard()
            menu.addAction("Copy Value", lambda: clipboard.setText(fact.whole()))
        menu.addAction("Select All", self.selectAll)
        menu.addActions(self.actions())
        return menu

    def fact_at(self, place: QPoint) -> Fact | None:
        """The fact whose row is there."""
        cursor = self.cursorForPosition(place)
        table = cursor.currentTable()
        # Qt answers with nothing outside a table, which its annotations leave out.
        return None if table is None else self._facts[table.cellAt(cursor).row()]  # type: ignore[redundant-expr]

    def _end(self) -> QTextCursor:
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not self.document().isEmpty():
            cursor.insertBlock()
        return cursor

    def _write(
        self,
        cursor: QTextCursor,
        run: Run,
        look: QTextCharFormat,
        longest: int = LONGEST,
        more: str = "",
    ) -> None:
        text = run_text(run)
        shown = shortened(text, longest)
        if isinstance(run, Link) and run.tip:
            more = run.tip
        if more or shown != text:
            look = QTextCharFormat(look)
            look.setToolTip(more or text)
        if isinstance(run, Link):
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            look = QTextCharFormat(look)
            look.setAnchor(True)
            look.setAnchorHref(str(len(self._targets)))
            look.setForeground(theme.current().accent)
            self._targets.append(run.target)
        cursor.insertText(shown, look)

    def _activate(self, url: QUrl) -> None:
        name = url.toString()
        self.link_activated.emit(self._targets[int(name)] if name.isdecimal() else name)


class _Looks:
    """The four ways text looks in a table, made once for all its cells."""

    def __init__(self) -> None:
        self.words = _format(theme.font(), "text")
        self.aside = _format(theme.font(), "muted")
        self.name = _format(theme.mono(), "text")
        self.name_aside = _format(theme.mono(), "muted")
        self.strut = _strut(theme.font(), theme.mono())


def _strut(*fonts: QFont) -> QTextCharFormat:
    """For a space of no width as high as the highest of the fonts: cells share their base line."""
    highest = max(fonts, key=lambda font: QFontMetricsF(font).ascent())
    look = QTextCharFormat()
    look.setFont(highest)
    look.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
    look.setFontLetterSpacing(-QFontMetricsF(highest).horizontalAdvance(" "))
    return look


def _format(font: QFont, tone: Tone) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setFont(font)
    look.setForeground(theme.current().tone(tone))
    return look


def _table_format(key_width: int) -> QTextTableFormat:
    look = QTextTableFormat()
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    look.setBorder(0)
    look.setCellSpacing(0)
    look.setCellPadding(SPACE / 2)
    look.setMargin(0)
    look.setLeftMargin(-SPACE / 2)  # So that what stands in the cells lines up with other text.
    look.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    look.setColumnWidthConstraints(
        [
            QTextLength(QTextLength.Type.FixedLength, key_width),
            QTextLength(QTextLength.Type.VariableLength, 0),
        ]
    )
    return look
