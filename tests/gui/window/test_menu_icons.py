from __future__ import annotations

from PySide6.QtWidgets import QMenu

from ortstudio.ui.main_window import MainWindow


def test_a_menu_gets_its_icons_when_it_is_opened(window: MainWindow) -> None:
    made = window.actions_
    assert not made.open.icon().isNull()
    assert made.find.icon().isNull()
    view = next(m for m in window.findChildren(QMenu) if made.find in m.actions())
    view.aboutToShow.emit()
    assert not made.find.icon().isNull()
    assert not made.close.icon().isNull()
