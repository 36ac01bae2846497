"""Thousands of nodes as one image, made by numpy: cheaper than as many calls, and just as sharp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from ortstudio.model.arrays import Ints
from ortstudio.ui.canvas.camera import Point, Size

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint32]

MAX_SAMPLES = 400_000
"""Pixels spent on edges. Where there are more, every second, third … of each edge is left out."""


def draw_raster(
    painter: QPainter,
    size: Size,
    scale: float,
    origin: Point,
    ground: QColor,
    edges: tuple[Floats, QColor],
    nodes: tuple[Floats, Pixels],
) -> None:
    """Paint edges (float64[m, 4]) and nodes (float64[n, 4], with a colour each) over the view.

    `painter` is in view coordinates; `origin` is where the scene's origin lies in them.
    """
    ratio = painter.device().devicePixelRatioF()
    width, height = max(round(size.width * ratio), 1), max(round(size.height * ratio), 1)
    pixels = np.full((height, width), ground.rgb(), np.uint32)
    segments, edge = edges
    rects, colours = nodes
    shift = np.array([origin.x, origin.y]) * ratio
    put_lines(pixels, segments * (scale * ratio) + np.tile(shift, 2), edge.rgb())
    corners = np.hstack([rects[:, :2], rects[:, :2] + rects[:, 2:]])
    put_rects(pixels, corners * (scale * ratio) + np.tile(shift, 2), colours)
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(0.0, 0.0), image)


def put_rects(pixels: Pixels, boxes: Floats, colours: Pixels) -> None:
    """Fill boxes (left, top, right, bottom, in pixels); each covers one pixel at least."""
    height, width = pixels.shape
    left, top, right, bottom = np.floor(boxes.T).astype(np.int64)
    right, bottom = np.maximum(right, left + 1), np.maximum(bottom, top + 1)
    seen = (right > 0) & (left < width) & (bottom > 0) & (top < height)
    left, right = np.clip(left[seen], 0, width), np.clip(right[seen], 0, width)
    top, bottom = np.clip(top[seen], 0, height), np.clip(bottom[seen], 0, height)
    if not len(left):
        return
    at, owner = _runs(top * width + left, right - left)
    colour, rows = colours[seen][owner], (bottom - top)[owner]
    flat, lowest = pixels.reshape(-1), int(rows.min())
    for line in range(int(rows.max())):
        if line < lowest:
            flat[at] = colour
        else:
            covers = rows > line
            flat[at[covers]] = colour[covers]
        at += width


def put_lines(pixels: Pixels, lines: Floats, colour: int) -> None:
    """Draw lines (x, y, x, y, in pixels) by as many samples as they are long."""
    height, width = pixels.shape
    lines = _clipped(lines, height)
    way = lines[:, 2:] - lines[:, :2]
    length = np.abs(way).max(axis=1, initial=0.0)
    thinning = max(1.0, length.sum() / MAX_SAMPLES)
    count = np.ceil(length / thinning).astype(np.int64)
    step, owner = _runs(np.zeros(len(lines), np.int64), count)
    share = (step + 0.5) / count[owner]
    x = np.floor(lines[owner, 0] + way[owner, 0] * share).astype(np.int64)
    y = np.floor(lines[owner, 1] + way[owner, 1] * share).astype(np.int64)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    pixels.reshape(-1)[(y * width + x)[inside]] = colour


def _runs(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """starts[i], starts[i] + 1, … for each i, and the i of each."""
    owner = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    return np.arange(len(owner)) + (starts - before)[owner], owner


def _clipped(lines: Floats, height: int) -> Floats:
    """The parts of the lines between the first and the last row: the others may be very long."""
    y0, way = lines[:, 1], lines[:, 3] - lines[:, 1]
    flat = way == 0
    safe = np.where(flat, 1.0, way)
    a, b = -y0 / safe, (height - y0) / safe
    first = np.where(flat, 0.0, np.clip(np.minimum(a, b), 0.0, 1.0))[:, np.newaxis]
    last = np.where(flat, 1.0, np.clip(np.maximum(a, b), 0.0, 1.0))[:, np.newaxis]
    delta = lines[:, 2:] - lines[:, :2]
    return np.hstack([lines[:, :2] + delta * first, lines[:, :2] + delta * last])
