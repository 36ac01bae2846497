"""The three things that can stand where a result will: the offer, its progress, its failure."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.words import count
from ortstudio.errors import JobError, StudioError
from ortstudio.services.conversion import Converted
from ortstudio.services.sessions import Level, Style
from ortstudio.ui import theme
from ortstudio.ui.theme import SPACE
from ortstudio.ui.views.labels import PlainLabel

MOST_REASONS = 6
"""Failures of one run that are written out on the card."""

LEVELS = (
    (Level.ALL, "All", "Every optimization whose result runs on any CPU."),
    (Level.LAYOUT, "Layout", "Extended, and data laid out for the runtime's own kernels."),
    (Level.EXTENDED, "Extended", "Basic, and nodes fused into the runtime's own operators."),
    (
        Level.BASIC,
        "Basic",
        "Only rewrites that keep ONNX operators: what another runtime can read, too.",
    ),
    (Level.DISABLE, "None", "The graph as it is in the source."),
)
STYLES = (
    (Style.FIXED, "Fixed", "Optimizations are baked in. For running on the CPU."),
    (
        Style.RUNTIME,
        "Runtime",
        "Some are saved beside the graph, so that an accelerator can still take its nodes.",
    ),
)


class Card(QWidget):
    """A column of widgets under a title."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = PlainLabel(title)
        self.title.setFont(theme.font(theme.TITLE, strong=True))
        self.column = QVBoxLayout(self)
        self.column.setSpacing(3 * SPACE)
        self.column.addWidget(self.title)

    def text(self, text: str = "", *, muted: bool = False) -> PlainLabel:
        """A paragraph, added to the column."""
        label = PlainLabel(text, muted=muted)
        self.column.addWidget(label)
        return label

    def noted(self, choice: QWidget | QHBoxLayout, note: str, indent: int = 0) -> PlainLabel:
        """A choice and what is said about it, close together; gives the note."""
        group = QVBoxLayout()
        group.setSpacing(SPACE)
        if isinstance(choice, QWidget):
            group.addWidget(choice)
        else:
            group.addLayout(choice)
        label = PlainLabel(note, muted=True)
        label.setContentsMargins(indent, 0, 0, 0)
        group.addWidget(label)
        self.column.addLayout(group)
        return label

    def buttons(self, *buttons: QPushButton) -> None:
        """Buttons in a row, from the left."""
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE)
        for button in buttons:
            row.addWidget(button)
        row.addStretch(1)
        self.column.addLayout(row)


class OfferCard(Card):
    """Level, style, and the button."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__("Convert to ORT")
        self._target = self.text(muted=True)
        self._add_level()
        self._add_styles()
        self.verify = QCheckBox("Verify that the outputs agree")
        self.verify.setToolTip("Runs source and result on the same inputs")
        self.verify.setChecked(True)
        self.replace = QCheckBox("Replace the file that is there")
        self.column.addWidget(self.verify)
        self.column.addWidget(self.replace)
        self.convert = QPushButton("Convert")
        self.convert.setDefault(True)
        self.not_now = QPushButton("Not now")
        self.buttons(self.convert, self.not_now)
        self.column.addStretch(1)
        self.replace.toggled.connect(self._allow)

    def _add_level(self) -> None:
        label = QLabel("&Optimization level")
        self._level = QComboBox()
        for _, name, _ in LEVELS:
            self._level.addItem(name)
        label.setBuddy(self._level)
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE)
        row.addWidget(label)
        row.addWidget(self._level, 1)
        self._level_note = self.noted(row, LEVELS[0][2])
        self._level.currentIndexChanged.connect(self._level_chosen)

    def _add_styles(self) -> None:
        style = self.style()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_ExclusiveIndicatorWidth)
        indent += style.pixelMetric(QStyle.PixelMetric.PM_RadioButtonLabelSpacing)
        self._styles = QButtonGroup(self)
        for number, (_, name, note) in enumerate(STYLES):
            button = QRadioButton(name)
            self._styles.addButton(button, number)
            self.noted(button, note, indent)
        self._styles.button(0).setChecked(True)
        self._styles.idClicked.connect(lambda _number: self.changed.emit())

    def _level_chosen(self, number: int) -> None:
        self._level_note.setText(LEVELS[number][2])
        self.changed.emit()

    @property
    def level(self) -> Level:
        """The chosen level."""
        return LEVELS[self._level.currentIndex()][0]

    @property
    def style_chosen(self) -> Style:
        """The chosen style."""
        return STYLES[self._styles.checkedId()][0]

    def choose(self, level: str, style: str) -> None:
        """Choose by the names of a level and a style."""
        for number, (found, _, _) in enumerate(LEVELS):
            if found.value == level:
                self._level.setCurrentIndex(number)
        for number, (chosen, _, _) in enumerate(STYLES):
            if chosen.value == style:
                self._styles.button(number).setChecked(True)

    def say_target(self, title: str, text: str, exists: bool) -> None:
        """What will be written; what `exists` is only replaced when that is asked for."""
        self.title.setText(title)
        self._target.setText(text)
        self.replace.setVisible(exists)
        self.replace.setChecked(False)
        self._allow()

    def _allow(self) -> None:
        self.convert.setEnabled(self.replace.isHidden() or self.replace.isChecked())


class RunningCard(Card):
    """What is being done, and a way to stop it."""

    def __init__(self) -> None:
        super().__init__("Converting")
        self._now = self.text()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self.column.addWidget(self._bar)
        self.cancel = QPushButton("Cancel")
        self.buttons(self.cancel)
        self.column.addStretch(1)

    def show_progress(self, text: str, done: int, total: int) -> None:
        """What is done now; of one source nobody knows how far it is."""
        self._now.setText(text)
        self._bar.setRange(0, total if total > 1 else 0)
        self._bar.setValue(done)


class OutcomeCard(Card):
    """Why there is no single result to show: what, where, what next; the runtime's words below."""

    def __init__(self) -> None:
        super().__init__("Not converted")
        self._message = self.text()
        self._hint = self.text(muted=True)
        self._more = QPushButton("Show the runtime's words")
        self._more.setCheckable(True)
        self._words = QPlainTextEdit()
        self._words.setReadOnly(True)
        self._words.setAccessibleName("The runtime's words")
        self._words.setFont(theme.mono(theme.SMALL))
        self._words.setMinimumHeight(30 * SPACE)
        self.again = QPushButton("Choose again")
        self.buttons(self.again)
        self.buttons(self._more)
        self.column.addWidget(self._words)
        self.column.addStretch(1)
        self._more.toggled.connect(self._words.setVisible)

    def show_error(self, error: StudioError) -> None:
        """Say why the only source was not converted."""
        place = str(error.where)
        message = error.message + (f"\n{place}" if place else "")
        self._say("Not converted", message, error.hint, details(error))

    def show_several(self, rows: Sequence[Converted]) -> None:
        """Say how several went, with the reason of each that failed."""
        failed = [(row.source.name, row.error) for row in rows if row.error is not None]
        title = f"{len(rows) - len(failed)} of {count(len(rows), 'model')} converted"
        reasons = [f"{name}: {error.message}" for name, error in failed[:MOST_REASONS]]
        if len(failed) > MOST_REASONS:
            reasons.append(f"and {count(len(failed) - MOST_REASONS, 'more failure')}")
        words = [f"{name}\n{details(error)}" for name, error in failed if details(error)]
        hint = "Results stand beside their sources. The list below opens each."
        self._say(title, "\n".join(reasons), hint, "\n\n".join(words))

    def _say(self, title: str, message: str, hint: str, words: str) -> None:
        self.title.setText(title)
        for label, text in ((self._message, message), (self._hint, hint)):
            label.setText(text)
            label.setVisible(bool(text))
        self._words.setPlainText(words)
        self._more.setVisible(bool(words))
        self._more.setChecked(False)
        self._words.setVisible(False)


def details(error: StudioError) -> str:
    """The runtime's own words, where it said any."""
    return error.details if isinstance(error, JobError) else ""
