"""Edges as smooth lines with arrow heads, for views that show few of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainterPath

from ortstudio.ui.canvas import dimensions as dim

Floats = NDArray[np.float64]


def curve(x0: float, y0: float, x1: float, y1: float) -> QPainterPath:
    """A slanting segment, bent so that it begins and ends upright.

    So it meets the upright pieces before and after it smoothly, and stays inside its own gap.
    """
    path = QPainterPath()
    path.moveTo(x0, y0)
    middle = (y0 + y1) / 2
    path.cubicTo(x0, middle, x1, middle, x1, y1)
    return path


def flattened(segments: Floats, parts: int) -> Floats:
    """The same lines as straight pieces, so many for each segment: float64[m * parts, 4]."""
    t = np.linspace(0.0, 1.0, parts + 1)
    across, down = 3 * t**2 - 2 * t**3, 1.5 * t * (1 - t) + t**3
    start, way = segments[:, :2, np.newaxis], (segments[:, 2:] - segments[:, :2])[:, :, np.newaxis]
    x, y = np.moveaxis(start + way * np.stack([across, down]), 1, 0)
    return np.stack([x[:, :-1], y[:, :-1], x[:, 1:], y[:, 1:]], axis=2).reshape(-1, 4)


def arrow_heads(tips: Floats) -> QPainterPath:
    """Triangles that point down to places (float64[k, 2])."""
    path = QPainterPath()
    half = dim.ARROW / 2
    for x, y in tips.tolist():
        path.moveTo(x, y)
        path.lineTo(x - half, y - dim.ARROW)
        path.lineTo(x + half, y - dim.ARROW)
        path.closeSubpath()
    return path
