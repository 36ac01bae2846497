"""Where the result will stand: offers the conversion, shows it going, or says why it failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from ortstudio.analysis.words import count, listed
from ortstudio.errors import JobError, StudioError
from ortstudio.services.convert import CancelledError, Conversion
from ortstudio.services.convert_plan import ConvertSettings, output_name
from ortstudio.services.sessions import Level, Style
from ortstudio.ui import theme
from ortstudio.ui.conversions import Conversions
from ortstudio.ui.views.labels import PlainLabel

CARD_WIDTH = 460

LEVELS = (
    (Level.ALL, "All", "All optimizations that are portable between CPUs. The fastest on a CPU."),
    (Level.LAYOUT, "Layout", "Extended, and data laid out for the runtime's own kernels."),
    (Level.EXTENDED, "Extended", "Basic, and nodes fused into the runtime's own operators."),
    (Level.BASIC, "Basic", "Only rewrites that keep standard ONNX operators."),
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


class OfferPane(QWidget):
    """A card in the place of the result."""

    convert_requested = Signal(object)
    """The user wants it, with these `ConvertSettings`."""

    def __init__(self, conversions: Conversions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversions = conversions
        self._sources: tuple[Path, ...] = ()
        self._stack = QStackedLayout()
        self._offer = _Offer(self)
        self._running = _Running(self)
        self._failed = _Failed(self)
        for card in (self._offer, self._running, self._failed):
            self._stack.addWidget(card)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        middle = QHBoxLayout()
        middle.addStretch(1)
        holder = QFrame(self)
        holder.setLayout(self._stack)
        holder.setMaximumWidth(CARD_WIDTH)
        holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        middle.addWidget(holder, 8)
        middle.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(3)
        self._offer.convert.clicked.connect(self._ask)
        self._offer.changed.connect(self._say_target)
        self._running.cancel.clicked.connect(self._cancel)
        self._failed.again.clicked.connect(self._offer_again)
        conversions.progressed.connect(self._running.show_progress)
        conversions.ended.connect(self._ended)
        conversions.failed.connect(self._show_error)

    def offer(self, sources: Sequence[Path], level: str, style: str) -> None:
        """Offer to convert these, with what was chosen last."""
        self._sources = tuple(sources)
        self._offer.choose(level, style)
        self._say_target()
        if not self._conversions.is_running:
            self._stack.setCurrentWidget(self._offer)

    @property
    def shows_failure(self) -> bool:
        """Whether the last conversion failed and its reason stands here."""
        return self._stack.currentWidget() is self._failed

    def focus(self) -> None:
        """Put the keyboard on the button that starts."""
        self._offer.convert.setFocus()

    def _say_target(self) -> None:
        level, style = self._offer.level, self._offer.style_chosen
        if len(self._sources) == 1:
            name = output_name(self._sources[0], level, style)
            exists = (self._sources[0].parent / name).exists()
            self._offer.say_target("Convert to ORT", f"Writes {name} beside the source.", exists)
        else:
            names = listed([path.name for path in self._sources], 3)
            title = f"Convert {count(len(self._sources), 'model')}"
            exists = any(
                (path.parent / output_name(path, level, style)).exists() for path in self._sources
            )
            self._offer.say_target(title, names, exists)

    def _ask(self) -> None:
        settings = ConvertSettings(
            level=self._offer.level,
            styles=(self._offer.style_chosen,),
            overwrite=self._offer.replace.isVisible() and self._offer.replace.isChecked(),
            verify=self._offer.verify.isChecked(),
        )
        self._running.show_progress("Starting", 0, 0)
        self._stack.setCurrentWidget(self._running)
        self.convert_requested.emit(settings)

    def _cancel(self) -> None:
        self._running.show_progress("Cancelling", 0, 0)
        self._conversions.cancel()

    def _ended(self, conversion: Conversion) -> None:
        errors = [row.error for row in conversion.results if row.error is not None]
        if not errors or isinstance(errors[0], CancelledError):
            self._offer_again()
        else:
            self._show_error(errors[0])

    def _show_error(self, error: StudioError) -> None:
        self._failed.show_error(error)
        self._stack.setCurrentWidget(self._failed)

    def _offer_again(self) -> None:
        self._say_target()
        self._stack.setCurrentWidget(self._offer)


class _Card(QWidget):
    """A column of widgets under a title."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.title = QLabel(title, self)
        self.title.setFont(theme.font(theme.TITLE, strong=True))
        self.column = QVBoxLayout(self)
        self.column.setSpacing(2 * theme.SPACE)
        self.column.addWidget(self.title)

    def text(self, text: str = "", muted: bool = False) -> PlainLabel:
        """A paragraph, added to the column."""
        label = PlainLabel(text, self, muted=muted)
        self.column.addWidget(label)
        return label


class _Offer(_Card):
    """Level, style, and the button."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Convert to ORT")
        self._target = self.text(muted=True)
        self.column.addSpacing(2 * theme.SPACE)
        self._add_level()
        self._add_styles()
        self.column.addSpacing(2 * theme.SPACE)
        self.verify = QCheckBox("Verify: run source and result on the same inputs", self)
        self.verify.setChecked(True)
        self.replace = QCheckBox("Replace the file that is there", self)
        self.column.addWidget(self.verify)
        self.column.addWidget(self.replace)
        self.column.addSpacing(2 * theme.SPACE)
        self.convert = QPushButton("Convert", self)
        self.convert.setDefault(True)
        row = QHBoxLayout()
        row.addWidget(self.convert)
        row.addStretch(1)
        self.column.addLayout(row)
        self.replace.toggled.connect(self._allow)

    def _add_level(self) -> None:
        label = QLabel("&Optimization level", self)
        self._level = QComboBox(self)
        for _, name, _ in LEVELS:
            self._level.addItem(name)
        label.setBuddy(self._level)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self._level, 1)
        self.column.addLayout(row)
        self._level_note = self.text(muted=True)
        self._level.currentIndexChanged.connect(self._level_chosen)
        self._level_chosen(0)

    def _add_styles(self) -> None:
        self._styles = QButtonGroup(self)
        for number, (_, name, note) in enumerate(STYLES):
            button = QRadioButton(name, self)
            self._styles.addButton(button, number)
            self.column.addWidget(button)
            label = self.text(note, muted=True)
            label.setIndent(6 * theme.SPACE)
        self._styles.button(0).setChecked(True)
        self._styles.idClicked.connect(self._style_clicked)

    def _style_clicked(self, _number: int) -> None:
        self.changed.emit()

    def _level_chosen(self, number: int) -> None:
        self._level_note.setText(LEVELS[number][2])
        self.changed.emit()

    @property
    def level(self) -> Level:
        return LEVELS[self._level.currentIndex()][0]

    @property
    def style_chosen(self) -> Style:
        return STYLES[self._styles.checkedId()][0]

    def choose(self, level: str, style: str) -> None:
        for number, (found, _, _) in enumerate(LEVELS):
            if found.value == level:
                self._level.setCurrentIndex(number)
        for number, (chosen, _, _) in enumerate(STYLES):
            if chosen.value == style:
                self._styles.button(number).setChecked(True)

    def say_target(self, title: str, text: str, exists: bool) -> None:
        self.title.setText(title)
        self._target.setText(text)
        self.replace.setVisible(exists)
        self.replace.setChecked(False)
        self._allow()

    def _allow(self) -> None:
        self.convert.setEnabled(self.replace.isHidden() or self.replace.isChecked())


class _Running(_Card):
    """What is being done, and a way to stop it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Converting")
        self._now = self.text()
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self.column.addWidget(self._bar)
        self.cancel = QPushButton("Cancel", self)
        row = QHBoxLayout()
        row.addWidget(self.cancel)
        row.addStretch(1)
        self.column.addLayout(row)
        self.column.addStretch(1)

    def show_progress(self, text: str, done: int, total: int) -> None:
        self._now.setText(text)
        self._bar.setRange(0, total if total > 1 else 0)
        self._bar.setValue(done)


class _Failed(_Card):
    """Why there is no result: what, where, what next; the runtime's own words one click away."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Not converted")
        self._message = self.text()
        self._hint = self.text(muted=True)
        self._more = QPushButton("Show the runtime's own words", self)
        self._more.setCheckable(True)
        self._words = QPlainTextEdit(self)
        self._words.setReadOnly(True)
        self._words.setFont(theme.mono(theme.SMALL))
        self._words.setMinimumHeight(30 * theme.SPACE)
        self.again = QPushButton("Choose again", self)
        row = QHBoxLayout()
        row.addWidget(self.again)
        row.addWidget(self._more)
        row.addStretch(1)
        self.column.addLayout(row)
        self.column.addWidget(self._words)
        self.column.addStretch(1)
        self._more.toggled.connect(self._words.setVisible)

    def show_error(self, error: StudioError) -> None:
        place = str(error.where)
        self._message.setText(f"{error.message}" + (f"\n{place}" if place else ""))
        self._hint.setText(error.hint)
        self._hint.setVisible(bool(error.hint))
        details = error.details if isinstance(error, JobError) else ""
        self._words.setPlainText(details)
        self._more.setVisible(bool(details))
        self._more.setChecked(False)
        self._words.setVisible(False)
