"""Verdict chips: never cut, reachable, and honest while nothing is known."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.views.chips import Chip, ChipBar

CHIPS = [
    Chip("compatibility", "ORT v6", "text"),
    Chip("findings", "2 findings", "warning", "Two things to look at"),
    Chip("agreement", "outputs not compared yet"),
]


def bar(qtbot: QtBot) -> ChipBar:
    made = ChipBar()
    qtbot.addWidget(made)
    made.show_chips(CHIPS)
    made.show()
    QApplication.processEvents()
    return made


def buttons(made: ChipBar) -> list[QAbstractButton]:
    return [b for b in made.findChildren(QAbstractButton) if b.isVisible()]


def test_every_chip_is_as_wide_as_its_text(qtbot: QtBot) -> None:
    made = bar(qtbot)
    assert [button.text() for button in buttons(made)] == [chip.text for chip in CHIPS]
    for button in buttons(made):
        assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 16
    assert made.sizeHint().width() >= sum(button.width() for button in buttons(made))


def test_where_room_is_short_the_last_chips_are_icons_with_their_words_in_the_tip(
    qtbot: QtBot,
) -> None:
    made = bar(qtbot)
    made.resize(made.sizeHint().width() - 1, made.height())
    QApplication.processEvents()
    *whole, last = buttons(made)
    assert last.width() < 40
    assert last.toolTip() == "<qt>outputs not compared yet</qt>"
    assert all(button.width() > 40 for button in whole)
    made.resize(made.minimumSizeHint())
    QApplication.processEvents()
    assert all(button.width() < 40 for button in buttons(made))
    assert buttons(made)[1].toolTip() == "<qt>2 findings<br>Two things to look at</qt>"
    made.resize(made.sizeHint())
    QApplication.processEvents()
    assert all(button.width() > 40 for button in buttons(made))
    assert last.toolTip() == ""


def test_click_and_keyboard_lead_to_the_page(qtbot: QtBot) -> None:
    made = bar(qtbot)
    keys: list[str] = []
    made.activated.connect(keys.append)
    qtbot.mouseClick(buttons(made)[1], Qt.MouseButton.LeftButton)
    qtbot.keyClick(buttons(made)[2], Qt.Key.Key_Space)
    assert keys == ["findings", "agreement"]


def test_chips_change_in_place(qtbot: QtBot) -> None:
    made = bar(qtbot)
    first = buttons(made)[0]
    made.show_chips([Chip("compatibility", "ORT v4, made by 1.10", "warning", "older")])
    QApplication.processEvents()
    assert buttons(made) == [first]
    assert first.toolTip() == "<qt>older</qt>"
    assert made.chips() == (Chip("compatibility", "ORT v4, made by 1.10", "warning", "older"),)
    assert first.width() >= first.fontMetrics().horizontalAdvance(first.text()) + 16
    made.show_chips(CHIPS)
    assert len(made.chips()) == 3
