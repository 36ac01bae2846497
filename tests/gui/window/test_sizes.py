"""Windows from very small to very large: nothing is cut, and what is open is in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDockWidget
from pytestqt.qtbot import QtBot

from ortstudio.errors import JobError
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.main_window import MainWindow
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
    window: MainWindow, open_in: Open, source: Path, size: tuple[int, int]
) -> None:
    sized(window, *size)
    open_in(window, [source])
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    assert cut_texts(window.studio.converting.offer_pane) == []
    panes = window.studio.pair.panes
    assert panes[0].canvas.width() >= 100
    docks = window.studio.docks
    assert docks["contents"].isVisible() == (size[0] >= 560)
    assert docks["inspector"].isVisible() == (size[0] >= 760)
    inner = [docks["contents"], docks["inspector"], window.studio.pair]
    assert all(window.rect().contains(widget.geometry()) for widget in inner if _is_in(widget))


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
