"""A line of widgets goes on below where it is too short."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.ui.views.flow import Flow


def test_widgets_stand_in_a_line_or_below_each_other(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    first, second, hidden = QPushButton("First"), QPushButton("Second"), QPushButton("Hidden")
    holder.setLayout(Flow(first, hidden, second))
    holder.show()
    hidden.hide()
    holder.resize(400, 100)
    QApplication.processEvents()
    assert first.y() == second.y()
    assert second.x() == first.geometry().right() + 1 + 8
    holder.resize(second.sizeHint().width() + 4, 100)
    QApplication.processEvents()
    assert (first.x(), second.x()) == (0, 0)
    assert second.y() == first.geometry().bottom() + 1 + 8
    layout = holder.layout()
    assert layout is not None
    assert layout.heightForWidth(400) == first.height()
    assert layout.heightForWidth(80) == first.height() + 8 + second.height()
