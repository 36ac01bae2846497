"""The canvas' few fonts, without kerning, ligatures and hinting: so widths add up and scale."""

from __future__ import annotations

from enum import Enum

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication


class Role(Enum):
    """What a text is for. The value: pixels, heavy, monospace."""

    LABEL = (13, True, False)
    DETAIL = (11, False, True)
    SMALL = (10, False, False)
    MARK = (11, True, False)
    COMPACT = (18, False, False)
    BIG_MARK = (26, True, False)
    EDGE = (10, False, True)
    LEGEND = (12, False, False)


def make_font(role: Role) -> QFont:
    """The font of a role, in the system's families."""
    pixels, heavy, monospace = role.value
    if monospace:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    else:
        font = QFont(QGuiApplication.font())
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if heavy else QFont.Weight.Normal)
    font.setKerning(False)
    for ligatures in ("liga", "clig", "calt"):
        font.setFeature(QFont.Tag.fromString(ligatures), 0)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
