"""Texts from a file in the window: as they stand, whatever they look like."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.errors import StudioError, Where
from ortstudio.ui import messages
from ortstudio.ui.plain import LONGEST_LINE, LONGEST_TIP, one_line, tip
from ortstudio.ui.views.labels import ElidedLabel, PlainLabel

MARKUP = "<b>bold</b> & <img src='x.png'>"


def test_a_line_has_no_breaks_and_does_not_turn_around() -> None:
    assert one_line("a\nb\u202ec\td") == r"a\nb\u202ec\td"
    assert one_line("Größe 値 שלום") == "Größe 値 שלום"
    assert len(one_line("x" * 5000)) == LONGEST_LINE
    assert one_line("x" * 400 + "end").endswith("end")


def test_a_tool_tip_is_no_markup_and_ends_somewhere() -> None:
    assert tip("") == ""
    assert tip("a < b\nc") == "<qt>a &lt; b<br>c</qt>"
    assert len(tip("y" * 5000)) < LONGEST_TIP + 20


def test_labels_take_nothing_for_markup(qtbot: QtBot) -> None:
    for label in (PlainLabel(MARKUP), ElidedLabel()):
        qtbot.addWidget(label)
        label.setText(MARKUP)
        assert label.text() == MARKUP
        assert label.textFormat() is Qt.TextFormat.PlainText
        assert "<b>" not in label.toolTip()


def test_an_error_is_said_as_it_stands(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    messages.show_error(parent, StudioError(MARKUP, where=Where(MARKUP), hint=MARKUP))
    box = parent.findChild(QMessageBox)
    assert box is not None
    shown = [label for label in box.findChildren(QLabel) if "bold" in label.text()]
    assert len(shown) == 2
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in shown)
    box.close()
