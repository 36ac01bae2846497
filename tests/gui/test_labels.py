"""Labels for what comes from a file."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.views.labels import PlainLabel

NAME = "model.encoder.layer_of_many_words" * 6


def test_a_name_that_never_ends_is_broken_and_read_and_copied_as_it_is(qtbot: QtBot) -> None:
    label = PlainLabel(f"The operator {NAME} is not known")
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 300
    assert label.text() == f"The operator {NAME} is not known"
    label.setSelection(0, 100)
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    by_keys = QApplication.clipboard().text()
    (copy,) = label.actions()
    copy.trigger()
    copied = QApplication.clipboard().text()
    assert by_keys == copied
    assert label.text().startswith(copied)
    assert len(copied) > 90
    label.setText("short")
    assert label.actions() == [copy]
    assert label.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu


def test_usual_words_are_left_to_the_system(qtbot: QtBot) -> None:
    label = PlainLabel("Every optimization whose result runs on any processor.")
    qtbot.addWidget(label)
    assert label.actions() == []
