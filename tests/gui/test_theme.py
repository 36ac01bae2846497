"""The theme keeps its promises on contrast, colour blindness and following the system."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ortstudio.ui import icons, theme
from ortstudio.ui.theme import DARK, DIFF_MARKS, FAMILY_MARKS, LIGHT, Family, Theme
from tests.gui.colours import EYES, contrast, difference

BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
TEXTS = ["text", "text_muted", "accent", "good", "warning", "error"]
GROUNDS = ["canvas", "chrome", "surface", "hover"]
LEAST_DIFFERENCE = 7.0
"""CIEDE2000; about 2 is just noticeable side by side, and two nodes rarely touch."""


def sets(look: Theme) -> list[Mapping[str, Family]]:
    return [look.families, look.diff]


def test_difference_agrees_with_published_pairs() -> None:
    assert difference(QColor("#777777"), QColor("#777777"), "usual") == 0
    assert difference(QColor("#ffffff"), QColor("#000000"), "usual") == pytest.approx(100, abs=0.1)
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(21)
    # Red and green of equal weight: far apart for most, close for deutan eyes.
    red, green = QColor("#b06050"), QColor("#808040")
    assert difference(red, green, "usual") > 3 * difference(red, green, "deutan")


@BOTH
def test_text_is_readable_on_every_ground(look: Theme) -> None:
    for text in TEXTS:
        for ground in GROUNDS:
            ratio = contrast(getattr(look, text), getattr(look, ground))
            assert ratio >= 4.5, (text, ground)
    assert contrast(look.selection_ink, look.selection) >= 4.5


@BOTH
def test_families_are_readable_and_stand_out_from_the_canvas(look: Theme) -> None:
    for group in sets(look):
        for name, family in group.items():
            assert contrast(family.ink, family.fill) >= 4.5, name
            assert contrast(family.border, look.canvas) >= 3, name
    assert contrast(look.selection, look.canvas) >= 3
    assert contrast(look.edge_strong, look.canvas) >= 4.5


@BOTH
@pytest.mark.parametrize("eyes", EYES)
def test_families_differ_for_all_eyes(look: Theme, eyes: str) -> None:
    for group in sets(look):
        for (name, a), (other, b) in combinations(group.items(), 2):
            assert difference(a.fill, b.fill, eyes) >= LEAST_DIFFERENCE, (name, other)


@BOTH
def test_every_family_and_change_is_there_with_a_mark_of_its_own(look: Theme) -> None:
    assert look.families.keys() == FAMILY_MARKS.keys()
    assert look.diff.keys() == DIFF_MARKS.keys()
    for group in sets(look):
        marks = [family.mark for family in group.values() if family.mark]
        assert len(set(marks)) == len(marks)
        assert all(len(mark) == 1 for mark in marks)


def test_asked_theme_reaches_palette_and_widgets(qapp: QApplication, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    watcher = PaletteWatcher(widget)
    for scheme, look in (("dark", DARK), ("light", LIGHT)):
        theme.apply(qapp, scheme)  # type: ignore[arg-type]
        assert theme.current() is look
        assert qapp.palette().color(QPalette.ColorRole.Window) == look.chrome
        qapp.processEvents()
    assert watcher.changes >= 2


def test_system_theme_follows_the_system(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme.apply(qapp, "system")
    hints = qapp.styleHints()
    monkeypatch.setattr(type(hints), "colorScheme", lambda _: Qt.ColorScheme.Dark)
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.current() is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base) == DARK.surface
    monkeypatch.undo()


@pytest.mark.usefixtures("qapp")
def test_fonts_come_in_three_sizes_and_two_weights() -> None:
    sizes = [theme.font(size).pointSizeF() for size in (theme.SMALL, theme.BODY, theme.TITLE)]
    assert sizes == sorted(set(sizes))
    assert theme.font(strong=True).weight() > theme.font().weight()
    assert theme.mono().pointSizeF() == theme.font().pointSizeF()
    assert theme.mono().families() != theme.font().families()


class PaletteWatcher(QObject):
    """Counts the palette changes that a widget is told of."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.changes = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802, ARG002
        self.changes += event.type() == QEvent.Type.PaletteChange
        return False


def test_buttons_and_fields_in_one_row_are_equally_high(qtbot: QtBot) -> None:
    plain, dressed, field = QPushButton("Take In"), QPushButton("Copy"), QLineEdit()
    icons.set_icon(dressed, "copy")
    editable = QComboBox()
    editable.setEditable(True)
    row = [plain, dressed, field, QSpinBox(), QComboBox(), editable]
    for widget in row:
        qtbot.addWidget(widget)
        widget.ensurePolished()
    heights = {max(widget.sizeHint().height(), widget.minimumHeight()) for widget in row}
    assert len(heights) == 1
