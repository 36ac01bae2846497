from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ortstudio.ui.canvas.camera import MAX_SCALE, MIN_SCALE, Box, Camera, Point, Size

places = st.floats(-1e6, 1e6)
sizes = st.builds(Size, st.floats(1, 4000), st.floats(1, 4000))
cameras = st.builds(Camera, places, places, st.floats(1e-4, 4.0))


@given(cameras, sizes, st.floats(-100, 4100), st.floats(-100, 4100))
def test_view_and_scene_are_inverse(camera: Camera, size: Size, x: float, y: float) -> None:
    back = camera.to_view(camera.to_scene(Point(x, y), size), size)
    assert math.isclose(back.x, x, abs_tol=1e-3)
    assert math.isclose(back.y, y, abs_tol=1e-3)


@given(cameras, sizes, st.floats(0, 4000), st.floats(0, 4000), st.floats(0.1, 10))
def test_zooming_keeps_the_point_under_the_cursor(
    camera: Camera, size: Size, x: float, y: float, factor: float
) -> None:
    fixed = camera.to_scene(Point(x, y), size)
    zoomed = camera.zoomed(factor, Point(x, y), size)
    after = zoomed.to_view(fixed, size)
    assert math.isclose(after.x, x, abs_tol=1e-3)
    assert math.isclose(after.y, y, abs_tol=1e-3)
    assert MIN_SCALE <= zoomed.scale <= MAX_SCALE


@given(places, places, st.floats(1, 1e6), st.floats(1, 1e6), sizes)
def test_fitting_shows_all_of_the_bounds(
    left: float, top: float, width: float, height: float, size: Size
) -> None:
    bounds = Box(left, top, left + width, top + height)
    camera = Camera.fitted(bounds, size)
    seen = camera.box(size).grown(1e-6 * max(width, height) / camera.scale)
    assert seen.contains(bounds) or camera.scale == MIN_SCALE
    assert camera.scale <= 1.0


def test_a_way_begins_and_ends_where_it_should() -> None:
    start, end = Camera(0.0, 0.0, 0.1), Camera(1000.0, -50.0, 2.0)
    first = start.between(end, 0.0)
    assert (first.x, first.y, first.scale) == (start.x, start.y, start.scale)
    assert start.between(end, 1.0) == end
    half = start.between(end, 0.5)
    assert math.isclose(half.scale, math.sqrt(0.2))
    assert 0.0 < half.x < 1000.0


def test_the_origin_is_drawn_in_the_middle_of_a_device_pixel() -> None:
    for ratio in (1.0, 1.25, 2.0):
        at = Camera(12.3, 4.56, 0.77).origin(Size(801, 333), ratio)
        assert math.isclose(math.modf(at.x * ratio)[0] % 1.0, 0.5)
        assert math.isclose(math.modf(at.y * ratio)[0] % 1.0, 0.5)
