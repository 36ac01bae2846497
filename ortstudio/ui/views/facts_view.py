# ruff: noqa: D102 - Qt calls some of these methods, and documents them
"""The inspector's building block: everything about one thing, scrolled, with links and sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ortstudio.ui import theme
from ortstudio.ui.items import cell_text
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.facts import Embed, Fact, Prose, Section, Sheet, run_text
from ortstudio.ui.views.rich_text import RichText
from ortstudio.ui.views.section_title import SectionTitle

WIDEST_KEY = 28 * SPACE
"""Pixels; a longer key wraps."""


class FactsView(QScrollArea):
    """Shows a `Sheet`. It is cheap to show another: everything is made anew."""

    link_activated = Signal(object)
    """A name was clicked, or opened with the keyboard: its `Link.target`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sheet = Sheet("")
        self._folded: dict[str, bool] = {}
        self._remake = QTimer(self, singleShot=True)
        self._remake.timeout.connect(lambda: self.show_sheet(self._sheet))
        self._copy = QAction("Copy All", self)
        self._copy.triggered.connect(self.copy_all)
        self.addAction(self._copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def sheet(self) -> Sheet:
        """What is shown."""
        return self._sheet

    def show_sheet(self, sheet: Sheet) -> None:
        """Show another thing, from its top."""
        self._sheet = sheet
        page = QWidget()
        page.setBackgroundRole(QPalette.ColorRole.Base)
        layout = _column(page, 3 * SPACE)
        layout.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        layout.addWidget(self._heading(sheet))
        layout.addStretch(1)
        self._fill(layout, sheet.sections)
        self.setWidget(page)

    def add_sections(self, sections: Sequence[Section]) -> None:
        """Show more about the same thing, below what is there."""
        self._sheet = replace(self._sheet, sections=(*self._sheet.sections, *sections))
        page = self.widget()
        layout = page.layout() if page is not None else None
        if isinstance(layout, QVBoxLayout):
            self._fill(layout, sections)

    def _fill(self, layout: QVBoxLayout, sections: Sequence[Section]) -> None:
        """Add sections before the stretch at the end."""
        key_width = _key_width(self._sheet.sections)
        for section in sections:
            layout.insertWidget(layout.count() - 1, self._section(section, key_width))

    def copy_all(self) -> None:
        """Put the whole sheet on the clipboard."""
        QGuiApplication.clipboard().setText(self._sheet.text())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._remake.start()  # Not now: Qt is on its way through the widgets that would go.

    def _heading(self, sheet: Sheet) -> QWidget:
        text = self._text()
        name, words = theme.mono(theme.TITLE, strong=True), theme.font(strong=True)
        text.write_line((sheet.title,), name if sheet.mono else words)
        if sheet.subtitle:
            text.write_line(sheet.subtitle, theme.font(), "muted")
        return text

    def _section(self, section: Section, key_width: int) -> QWidget:
        opened = not self._folded.get(section.title, section.folded)
        made = _SectionBox(section, opened, lambda: self._parts(section.rows, key_width))
        made.toggled.connect(lambda now: self._folded.update({section.title: not now}))
        return made

    def _parts(self, rows: Sequence[Fact | Prose | Embed], key_width: int) -> Iterator[QWidget]:
        for part in _grouped(rows):
            if isinstance(part, Embed):
                yield part.make()
                continue
            text = self._text()
            if isinstance(part, Prose):
                text.write_prose(part)
            else:
                text.write_facts(part, key_width)
            yield text

    def _text(self) -> RichText:
        text = RichText()
        text.addAction(self._copy)
        text.link_activated.connect(self.link_activated)
        return text


class _SectionBox(QWidget):
    """A title over what it folds; that is made when it is first unfolded."""

    toggled = Signal(bool)

    def __init__(
        self, section: Section, opened: bool, make: Callable[[], Iterable[QWidget]]
    ) -> None:
        super().__init__()
        self._make = make
        self._parts: list[QWidget] = []
        title = SectionTitle(section.title, cell_text(section.count))
        title.setChecked(opened)
        title.toggled.connect(self._unfold)
        title.toggled.connect(self.toggled)
        self._column = _column(self, SPACE)
        self._column.addWidget(title)
        if opened:
            self._unfold(opened)

    def _unfold(self, opened: bool) -> None:
        if not self._parts:
            self._parts = list(self._make())
            for part in self._parts:
                self._column.addWidget(part)
        for part in self._parts:
            part.setVisible(opened)


def _column(owner: QWidget, spacing: int) -> QVBoxLayout:
    layout = QVBoxLayout(owner)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    return layout


def _grouped(rows: Sequence[Fact | Prose | Embed]) -> Iterator[list[Fact] | Prose | Embed]:
    """The rows with each run of facts as one table."""
    facts: list[Fact] = []
    for row in rows:
        if isinstance(row, Fact):
            facts.append(row)
            continue
        if facts:
            yield facts
            facts = []
        yield row
    if facts:
        yield facts


def _key_width(sections: Sequence[Section]) -> int:
    """One width for the keys of all sections, so that values stand in one line."""
    metrics = QFontMetrics(theme.font())
    keys = (run_text(r.key) for s in sections for r in s.rows if isinstance(r, Fact))
    widest = max(map(metrics.horizontalAdvance, keys), default=0)
    return min(widest, WIDEST_KEY) + 3 * SPACE
