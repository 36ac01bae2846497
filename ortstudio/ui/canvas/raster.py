"""Thousands of nodes as one image, made by numpy: cheaper than as many calls, and just as sharp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas.camera import Point, Size

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint32]

MAX_SAMPLES = 200_000
"""Pixels spent on edges. Where there are more, every second, third … of each edge is left out."""
SHORTEST = 2.0
"""Pixels. Shorter pieces of edges, between neighbours, are not seen and not drawn."""


class Raster:
    """An image of the view's size, used again for each frame."""

    def __init__(self) -> None:
        self._pixels: Pixels = np.zeros((1, 1), np.uint32)

    def begin(self, size: Size, ratio: float, ground: QColor) -> Pixels:
        """The image's pixels, all of one colour."""
        shape = (max(round(size.height * ratio), 1), max(round(size.width * ratio), 1))
        if self._pixels.shape != shape:
            self._pixels = np.empty(shape, np.uint32)
        self._pixels.fill(ground.rgb())
        return self._pixels

    def end(self, painter: QPainter, ratio: float) -> None:
        """Paint the image; the painter is in view coordinates."""
        height, width = self._pixels.shape
        image = QImage(self._pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(0.0, 0.0), image)


def put_rects(pixels: Pixels, rects: Floats, scale: float, origin: Point, colours: Pixels) -> None:
    """Fill rectangles (left, top, width, height); each covers one pixel at least."""
    height, width = pixels.shape
    left, right = _pixels(rects[:, 0], rects[:, 2], scale, origin.x, width)
    top, bottom = _pixels(rects[:, 1], rects[:, 3], scale, origin.y, height)
    across, down = right - left, bottom - top
    at, colour = _runs(top * width + left, across), np.repeat(colours, across)
    rows = np.repeat(down, across)
    flat, lowest = pixels.reshape(-1), int(rows.min(initial=0))
    for line in range(int(rows.max(initial=0))):
        if line < lowest:
            flat[at] = colour
        else:
            covers = rows > line
            flat[at[covers]] = colour[covers]
        at += width


def _pixels(
    start: Floats, length: Floats, scale: float, origin: float, count: int
) -> tuple[Ints, Ints]:
    """First pixel and the one after the last, inside the image; equal for what is outside."""
    first = start * scale + origin
    last = first + length * scale
    a = np.floor(np.clip(first, 0, count)).astype(np.int64)
    b = np.maximum(np.floor(np.clip(last, 0, count)).astype(np.int64), a + 1)
    b[(last < 0) | (first >= count)] = 0
    return np.minimum(a, b), np.minimum(b, count, out=b)


def put_lines(pixels: Pixels, lines: Floats, scale: float, origin: Point, colour: int) -> None:
    """Draw lines (x, y, x, y) by as many samples as they are pixels long."""
    height, width = pixels.shape
    lines = _clipped(lines * scale + (origin.x, origin.y, origin.x, origin.y), height)
    way = lines[:, 2:] - lines[:, :2]
    length = np.abs(way).max(axis=1, initial=0.0)
    thinning = max(1.0, float(length.sum()) / MAX_SAMPLES)
    count = np.ceil(length / thinning).astype(np.int64)
    step = _runs(np.zeros(len(lines), np.int64), count)
    owner = np.repeat(np.arange(len(lines)), count)
    share = (step + 0.5) / count[owner]
    x = np.floor(lines[owner, 0] + way[owner, 0] * share).astype(np.int64)
    y = np.floor(lines[owner, 1] + way[owner, 1] * share).astype(np.int64)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    pixels.reshape(-1)[(y * width + x)[inside]] = colour


def _runs(starts: Ints, lengths: Ints) -> Ints:
    """starts[i], starts[i] + 1, …, so many as lengths[i], for each i."""
    ends = np.cumsum(lengths)
    runs = np.repeat(starts - ends + lengths, lengths)
    runs += np.arange(len(runs))
    return runs


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
