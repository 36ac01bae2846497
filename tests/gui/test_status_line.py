"""The line at the bottom: two texts that share whatever room there is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from ortstudio.ui.views import status_line
from ortstudio.ui.views.status_line import StatusLine

LEFT, RIGHT = "Conv_12 · com.microsoft.FusedConv", "11 nodes, 3,050 parameters, 13.1 kB"


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[QRect, str]]:
    """Where which texts are painted."""
    texts: list[tuple[QRect, str]] = []

    def note(
        line: StatusLine, _painter: QPainter, room: QRect, side: Qt.AlignmentFlag, text: str
    ) -> None:
        width = line.fontMetrics().horizontalAdvance(text)
        left = room.left() if side is Qt.AlignmentFlag.AlignLeft else room.right() - width
        texts.append((QRect(left, 0, width, 1), text))

    monkeypatch.setattr(status_line.StatusLine, "_write", note)
    return texts


@pytest.mark.parametrize("width", [60, 200, 320, 900])
def test_texts_neither_overlap_nor_end_outside(
    qtbot: QtBot, painted: list[tuple[QRect, str]], width: int
) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.say_left(LEFT)
    line.say_right(RIGHT)
    line.resize(width, 20)
    line.grab()
    places = [place for place, _ in painted]
    assert all(place.left() >= 0 and place.right() < width for place in places)
    assert len(places) < 2 or not places[0].intersects(places[1])
    texts = [text for _, text in painted]
    assert (texts == [RIGHT, LEFT]) == (line.fontMetrics().horizontalAdvance(RIGHT + LEFT) < width)
    assert LEFT in line.toolTip()
    assert RIGHT in line.toolTip()
