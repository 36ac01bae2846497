"""The first page: what it offers, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.views.empty_page import RECENT, EmptyPage
from tests.gui.cuts import cut_texts

PATHS = [Path(f"/models/{'deep/' * 20}model_{number}.ort") for number in range(5)]


@pytest.fixture
def page(qtbot: QtBot) -> EmptyPage:
    made = EmptyPage()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.set_recent(PATHS)
    made.show()
    QApplication.processEvents()
    return made


def offers(page: EmptyPage) -> list[QAbstractButton]:
    return [b for b in page.findChildren(QAbstractButton) if b.isVisible()]


def offer(page: EmptyPage, text: str) -> QAbstractButton:
    return next(button for button in offers(page) if button.text() == text)


def test_newest_three_files_the_sample_and_open_are_offered(page: EmptyPage) -> None:
    names = [button.text() for button in offers(page)]
    assert sorted(names) == ["Open…", "Sample", "model_0.ort", "model_1.ort", "model_2.ort"]
    assert RECENT == 3
    page.set_recent(PATHS[4:])
    assert "model_0.ort" not in [button.text() for button in offers(page)]
    page.set_recent([])
    assert [button.text() for button in offers(page)] == ["Open…", "Sample"]


def test_a_recent_file_is_opened_by_a_click(page: EmptyPage, qtbot: QtBot) -> None:
    chosen = offer(page, "model_1.ort")
    assert chosen.toolTip() == f"<qt>{PATHS[1]}</qt>"
    with qtbot.waitSignal(page.open_requested) as heard:
        qtbot.mouseClick(chosen, Qt.MouseButton.LeftButton)
    assert heard.args == [(PATHS[1],)]


def test_everything_is_reached_with_the_keyboard(page: EmptyPage, qtbot: QtBot) -> None:
    heard: list[str] = []
    page.open_requested.connect(lambda paths: heard.append(paths[0].name))
    page.sample_requested.connect(lambda: heard.append("sample"))
    page.choose_requested.connect(lambda: heard.append("choose"))
    page.activateWindow()
    page.setFocus()
    for _ in range(len(offers(page))):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert sorted(heard) == ["choose", "model_0.ort", "model_1.ort", "model_2.ort", "sample"]


@pytest.mark.parametrize("size", [(320, 180), (200, 120), (900, 600)])
def test_nothing_is_cut_in_a_small_window(page: EmptyPage, size: tuple[int, int]) -> None:
    page.resize(*size)
    QApplication.processEvents()
    assert cut_texts(page) == []
    for button in offers(page):
        page.ensureWidgetVisible(button)
        corner = button.mapTo(page.viewport(), button.rect().center())
        assert page.viewport().rect().contains(corner)
