"""Brushes and pens of a theme, made once, and which of them each node takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPen

from ortstudio.ui.canvas.columns import FAMILIES
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.theme import Family, Theme


@dataclass(frozen=True, slots=True)
class Style:
    """How a node is painted.

    `rim` is its border's width in pixels, `dot` its colour in a raster, `corner` an overlay's mark.
    """

    fill: QBrush
    border: QBrush
    rim: float
    chip: QBrush
    line: QPen
    ink: QPen
    dot: int
    corner: str = ""


@dataclass(frozen=True, eq=False)
class Styles:
    """The looks in use; node `i` takes `looks[of_node[i]]`. `marks` are letters by family."""

    looks: tuple[Style, ...]
    of_node: NDArray[np.uint8]
    marks: tuple[str, ...]

    @staticmethod
    def of(scene: Scene, theme: Theme, overlay: Overlay | None) -> Styles:
        """By the overlay's classes, without one by operator family."""
        families = [theme.families[family] for family in FAMILIES]
        marks = tuple(family.mark for family in families)
        if overlay is None:
            looks = tuple(_style(family, theme, 1.0) for family in families)
            return Styles(looks, scene.families, marks)
        background = Family(theme.surface, theme.hairline, theme.text_muted, "")
        classes = [entry.look(theme) for entry in overlay.entries]
        looks = (
            _style(background, theme, 1.0),
            *(_style(family, theme, 2.0, family.mark) for family in classes),
        )
        return Styles(looks, (overlay.classes + 1).astype(np.uint8), marks)


def _style(family: Family, theme: Theme, rim: float, corner: str = "") -> Style:
    return Style(
        fill=QBrush(family.fill),
        border=QBrush(family.border),
        rim=rim,
        chip=QBrush(mixed(family.fill, theme.canvas, 0.55)),
        line=thin_pen(mixed(family.fill, family.ink, 0.5), 1.0),
        ink=QPen(family.ink),
        dot=family.border.rgb(),
        corner=corner,
    )


def thin_pen(colour: QColor, width: float) -> QPen:
    """A pen of so many pixels, whatever the zoom."""
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen


def mixed(colour: QColor, other: QColor, share: float) -> QColor:
    """The colour on its way to another one."""
    return QColor.fromRgbF(
        colour.redF() + (other.redF() - colour.redF()) * share,
        colour.greenF() + (other.greenF() - colour.greenF()) * share,
        colour.blueF() + (other.blueF() - colour.blueF()) * share,
    )


NO_PEN = QPen(Qt.PenStyle.NoPen)
NO_BRUSH = QBrush(Qt.BrushStyle.NoBrush)
