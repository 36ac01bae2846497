"""Hands whole arrays to QPainter: one call instead of one for each rectangle or line.

Qt's `drawRects(QRectF *, int)` reads an array of four doubles each, and so is a float64[n, 4].
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter
from shiboken6 import Shiboken

Floats = NDArray[np.float64]


def draw_rects(painter: QPainter, rects: Floats) -> None:
    """Draw float64[n, 4]: left, top, width, height."""
    if len(rects):
        data = np.ascontiguousarray(rects, np.float64)
        first = cast(QRectF, Shiboken.wrapInstance(data.ctypes.data, QRectF))
        painter.drawRects(first, len(data))


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """Draw float64[n, 4]: x, y of one end, x, y of the other."""
    if len(lines):
        data = np.ascontiguousarray(lines, np.float64)
        first = cast(QLineF, Shiboken.wrapInstance(data.ctypes.data, QLineF))
        painter.drawLines(first, len(data))


def draw_points(painter: QPainter, points: Floats) -> None:
    """Draw float64[n, 2]."""
    if len(points):
        data = np.ascontiguousarray(points, np.float64)
        first = cast(QPointF, Shiboken.wrapInstance(data.ctypes.data, QPointF))
        painter.drawPoints(first, len(data))
