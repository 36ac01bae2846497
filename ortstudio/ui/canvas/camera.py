"""Where a view looks: pure arithmetic between scene and view coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

MIN_SCALE = 1e-5
MAX_SCALE = 4.0


class Point(NamedTuple):
    """A place, in scene units or view pixels."""

    x: float
    y: float


class Size(NamedTuple):
    """Extent of a view in logical pixels."""

    width: float
    height: float


class Box(NamedTuple):
    """A rectangle by its edges."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def grown(self, by: float) -> Box:
        """The box with `by` added on every side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def contains(self, other: Box) -> bool:
        """Whether all of `other` lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Camera:
    """The scene point in the middle of the view, and how many view pixels a scene unit takes."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0

    def to_scene(self, point: Point, size: Size) -> Point:
        """The scene point under a view pixel."""
        return Point(
            self.x + (point.x - size.width / 2) / self.scale,
            self.y + (point.y - size.height / 2) / self.scale,
        )

    def to_view(self, point: Point, size: Size) -> Point:
        """The view pixel over a scene point."""
        return Point(
            (point.x - self.x) * self.scale + size.width / 2,
            (point.y - self.y) * self.scale + size.height / 2,
        )

    def box(self, size: Size) -> Box:
        """The part of the scene that the view shows."""
        half_width, half_height = size.width / 2 / self.scale, size.height / 2 / self.scale
        return Box(
            self.x - half_width, self.y - half_height, self.x + half_width, self.y + half_height
        )

    def origin(self, size: Size, pixel_ratio: float) -> Point:
        """Where the scene's origin is drawn: the middle of a device pixel, so lines are sharp."""
        at = self.to_view(Point(0.0, 0.0), size)
        x, y = math.floor(at.x * pixel_ratio), math.floor(at.y * pixel_ratio)
        return Point((x + 0.5) / pixel_ratio, (y + 0.5) / pixel_ratio)

    def panned(self, dx: float, dy: float) -> Camera:
        """Moved so that the drawing goes along with (dx, dy) view pixels."""
        return replace(self, x=self.x - dx / self.scale, y=self.y - dy / self.scale)

    def zoomed(self, factor: float, point: Point, size: Size) -> Camera:
        """Zoomed so that the scene point under `point` stays there."""
        scale = min(max(self.scale * factor, MIN_SCALE), MAX_SCALE)
        fixed = self.to_scene(point, size)
        return Camera(
            fixed.x - (point.x - size.width / 2) / scale,
            fixed.y - (point.y - size.height / 2) / scale,
            scale,
        )

    def kept_over(self, bounds: Box) -> Camera:
        """Moved back where the middle of the view has left the drawing."""
        x = min(max(self.x, bounds.left), bounds.right)
        y = min(max(self.y, bounds.top), bounds.bottom)
        return replace(self, x=x, y=y)

    def between(self, other: Camera, share: float) -> Camera:
        """On the way to `other`: the scale grows evenly, and the middle goes straight."""
        if share >= 1.0:
            return other
        scale = self.scale * (other.scale / self.scale) ** share
        way = share
        if abs(other.scale - self.scale) > 1e-9:
            way = (1 / scale - 1 / self.scale) / (1 / other.scale - 1 / self.scale)
        return Camera(self.x + (other.x - self.x) * way, self.y + (other.y - self.y) * way, scale)

    @staticmethod
    def fitted(bounds: Box, size: Size, largest: float = 1.0) -> Camera:
        """The camera that shows all of `bounds`, at most `largest` times its actual size."""
        scale = min(
            size.width / max(bounds.width, 1e-9), size.height / max(bounds.height, 1e-9), largest
        )
        return Camera(
            (bounds.left + bounds.right) / 2,
            (bounds.top + bounds.bottom) / 2,
            min(max(scale, MIN_SCALE), MAX_SCALE),
        )
