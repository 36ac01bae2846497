"""Windows from very small to very large: nothing is cut, and what is open is in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QToolButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from ortstudio.errors import JobError
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.page import Page
from tests.gui.cuts import cut_texts

Open = Callable[[MainWindow, Sequence[Path]], None]
SIZES = [(320, 240), (640, 480), (800, 600), (1024, 600), (1360, 860), (2560, 1440)]


def sized(window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (width, height)


@pytest.mark.parametrize("size", SIZES)
def test_the_empty_window_fits(window: MainWindow, size: tuple[int, int]) -> None:
    sized(window, *size)
    assert cut_texts(window.empty) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_picture_beside_the_offer_fits(
    window: MainWindow, open_in: Open, source: Path, size: tuple[int, int], qtbot: QtBot
) -> None:
    sized(window, *size)
    open_in(window, [source])
    pane = window.studio.converting.offer_pane
    qtbot.waitUntil(lambda: bool(pane.card.plan.lines))
    qtbot.waitUntil(lambda: cut_texts(pane) == [])
    assert (window.width(), window.height()) == size
    panes = window.studio.pair.panes
    page = pane.findChild(Page)
    assert page is not None
    assert page.horizontalScrollBar().maximum() == 0
    assert panes[0].isVisible() == (size[0] >= 640)
    assert panes[0].isHidden() or panes[0].canvas.width() >= 100
    docks = window.studio.docks
    assert docks["contents"].isVisible() == (size[0] >= 560)
    assert docks["inspector"].isVisible() == (size[0] >= 760)
    assert not overflows(window)
    inner = [docks["contents"], docks["inspector"], window.studio.pair]
    assert all(window.rect().contains(widget.geometry()) for widget in inner if _is_in(widget))


def test_pages_below_fit_into_a_low_window(window: MainWindow, open_in: Open, source: Path) -> None:
    open_in(window, [source])
    for page in ("findings", "compatibility", "advice", "operators", "lab"):
        window.studio.show_page(page)
    sized(window, 640, 480)


def overflows(window: MainWindow) -> bool:
    """Whether the tool bar has hidden something behind its arrow."""
    toolbar = window.actions_.toolbar
    more = toolbar.findChild(QToolButton, "qt_toolbar_ext_button")
    return more is not None and more.isVisible()


def test_the_tool_bar_of_an_empty_window_ends_with_its_last_button(window: MainWindow) -> None:
    assert not window.actions_.toolbar.actions()[-1].isSeparator()


def test_a_panel_that_shares_its_place_says_its_name_on_its_tab_only(
    window: MainWindow, open_in: Open, source: Path
) -> None:
    def names(page: str) -> list[str]:
        title = window.studio.docks[page].titleBarWidget()
        return [label.text() for label in title.findChildren(QLabel) if label.isVisible()]

    open_in(window, [source])
    window.studio.show_page("findings")
    QApplication.processEvents()
    assert names("findings") == ["Findings"]
    window.studio.show_page("jobs")
    QApplication.processEvents()
    assert names("jobs") == []
    window.studio.docks["findings"].close()
    QApplication.processEvents()
    assert names("jobs") == ["Jobs"]


def test_panels_go_quietly_with_their_window(qtbot: QtBot, source: Path) -> None:
    window = MainWindow(None)
    window.show()
    with qtbot.waitSignal(window.settled, timeout=60_000):
        window.open_paths([source])
    window.studio.show_page("findings")
    window.studio.show_page("jobs")
    with qtbot.captureExceptions() as exceptions:
        delete(window)
    assert exceptions == []


def _is_in(widget: object) -> bool:
    return isinstance(widget, QDockWidget) and widget.isVisible()


def test_a_failure_fits_beside_the_picture(window: MainWindow, open_in: Open, source: Path) -> None:
    sized(window, 800, 600)
    open_in(window, [source])
    pane = window.studio.converting.offer_pane
    error = JobError("The model cannot be loaded " * 8, hint="Try " * 40, details="said\n" * 50)
    window.studio.converting.conversions.failed.emit(error)
    QApplication.processEvents()
    assert pane.shows_outcome
    assert cut_texts(pane) == []


def test_an_offer_that_is_put_off_leaves_the_room_to_the_pictures(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    with qtbot.waitSignal(window.settled, timeout=60_000):
        window.studio.converting.start(ConvertSettings(verify=False))
    first, second = window.studio.pair.panes
    window.offer()
    offer = window.studio.converting.offer_pane
    assert offer.isVisible()
    assert not second.isVisible()
    offer.dismissed.emit()
    QApplication.processEvents()
    assert not offer.isVisible()
    assert abs(first.width() - second.width()) <= 1
