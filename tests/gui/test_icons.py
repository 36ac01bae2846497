"""Icons: one family, drawn in the theme's colours and following them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from ortstudio.services import resources
from ortstudio.ui import icons, theme
from ortstudio.ui.theme import DARK, LIGHT

FILES = sorted(resources.find("icons").glob("*.svg"))


def inks(image: QImage) -> set[str]:
    """The colours of all pixels that are fully covered."""
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_icon_is_one_of_the_family(path: Path) -> None:
    root = ET.parse(path).getroot()
    assert root.get("viewBox") == "0 0 16 16"
    assert root.get("stroke") == "currentColor"
    assert root.get("fill") == "none"
    assert root.get("stroke-width") == str(icons.STROKE)
    for size in icons.SIZES:
        image = icons.pixmap(path.stem, QColor("#123456"), size).toImage()
        assert image.width() == size
        covered = sum(image.pixelColor(x, y).alpha() > 0 for x in range(size) for y in range(size))
        # Something is there, and nothing is filled in.
        assert 0.03 < covered / size**2 < 0.7


def test_an_icon_has_the_colours_of_the_theme(qapp: QApplication) -> None:
    for scheme, look in (("dark", DARK), ("light", LIGHT)):
        theme.apply(qapp, "dark" if scheme == "dark" else "light")
        made = icons.icon("tensor")
        for mode, colour in (
            (QIcon.Mode.Normal, look.text),
            (QIcon.Mode.Disabled, look.text_muted),
            (QIcon.Mode.Selected, look.selection_ink),
        ):
            assert inks(made.pixmap(24, mode).toImage()) == {colour.name()}


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0, 3.0])
def test_an_icon_is_as_sharp_as_the_screen(qapp: QApplication, ratio: float) -> None:
    del qapp
    made = icons.icon("open").pixmap(QSize(16, 16), ratio)
    assert made.width() == 16 * ratio
    assert made.deviceIndependentSize().width() == 16


def test_what_wears_an_icon_follows_the_theme(qapp: QApplication, qtbot: QtBot) -> None:
    button, action = QPushButton(), QAction()
    qtbot.addWidget(button)
    for target in (button, action):
        icons.set_icon(target, "open")
        icons.set_icon(target, "tensor")
    theme.apply(qapp, "dark")
    for target in (button, action):
        assert inks(target.icon().pixmap(24).toImage()) == {DARK.text.name()}
    del button, target, action
    theme.apply(qapp, "light")


def test_the_program_has_an_icon_of_its_own(qapp: QApplication) -> None:
    del qapp
    for size in (16, 24, 32, 64, 256):
        assert icons.application().pixmap(size, size).width() == size


@pytest.mark.usefixtures("qapp")
def test_an_icon_with_a_meaning_keeps_its_colour_until_its_row_is_selected() -> None:
    made = icons.toned("good", LIGHT.good)
    normal, chosen = (made.pixmap(QSize(16, 16), mode) for mode in (NORMAL, SELECTED))
    assert inks(normal.toImage()) == {LIGHT.good.name()}
    assert inks(chosen.toImage()) == {LIGHT.selection_ink.name()}


NORMAL, SELECTED = QIcon.Mode.Normal, QIcon.Mode.Selected
