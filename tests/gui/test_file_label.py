"""The name of an open file as a way to it: dragging it out, its menu."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDrag
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.views.file_label import FileLabel


@pytest.fixture
def label(qtbot: QtBot, tmp_path: Path) -> FileLabel:
    made = FileLabel()
    qtbot.addWidget(made)
    made.resize(200, 20)
    made.show_path(tmp_path / "model.ort")
    made.show()
    return made


def test_the_file_can_be_dragged_out(
    label: FileLabel, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragged: list[QUrl] = []

    def note(drag: QDrag, _action: Qt.DropAction) -> Qt.DropAction:
        dragged.extend(drag.mimeData().urls())
        return Qt.DropAction.CopyAction

    monkeypatch.setattr(QDrag, "exec", note)
    qtbot.mousePress(label, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.mouseMove(label, QPoint(8, 5))
    assert dragged == []
    for x in (30, 60, 90):
        qtbot.mouseMove(label, QPoint(x, 5))
    assert dragged == [QUrl.fromLocalFile(str(tmp_path / "model.ort"))]


def test_its_menu_leads_to_the_file(
    label: FileLabel, tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    for action in label.menu().actions():
        action.trigger()
    assert qapp.clipboard().text() == str(tmp_path / "model.ort")
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
