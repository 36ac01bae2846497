"""The canvas' few fonts. Kerning and hinting are off, so that widths add up and scale exactly."""

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
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
