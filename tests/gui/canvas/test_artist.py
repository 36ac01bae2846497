from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPicture
from PySide6.QtWidgets import QApplication

from ortstudio.ui import theme
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.artist import NO_MARKS, Artist, Marks
from ortstudio.ui.canvas.camera import Camera, Point, Size
from ortstudio.ui.canvas.legend import draw_legend
from ortstudio.ui.canvas.overlay import Entry, Overlay
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.texts import Texts
from tests.gui.canvas import graphs

SIZE = Size(640, 480)


def picture(
    scene: Scene,
    camera: Camera,
    size: Size = SIZE,
    marks: Marks = NO_MARKS,
    *,
    overlay: Overlay | None = None,
    look: theme.Theme = theme.LIGHT,
    ratio: float = 1.0,
) -> QImage:
    """What the camera sees."""
    width, height = max(int(size.width * ratio), 1), max(int(size.height * ratio), 1)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    Artist(scene, look, overlay).paint(painter, camera, size, marks, grid=True)
    painter.end()
    return image


def over(scene: Scene, row: int, scale: float) -> Camera:
    """A camera that looks at a node's middle."""
    box = scene.box(row)
    return Camera((box.left + box.right) / 2, (box.top + box.bottom) / 2, scale)


def overlay_of(scene: Scene) -> Overlay:
    """Every third node is one class, every third another."""
    entries = (
        Entry("Added", lambda look: look.diff["added"]),
        Entry("Removed", lambda look: look.diff["removed"]),
    )
    return Overlay("Changes", entries, np.arange(len(scene)) % 3 - 1)


@pytest.fixture(scope="module")
def crowd(qapp: QApplication) -> Scene:  # noqa: ARG001
    """More nodes than are painted one by one."""
    return graphs.grid(dim.RASTER_NODES * 2)


@settings(suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(["residual", "transformer", "crowd"]),
    aside=st.floats(-2.0, 2.0),
    scale=st.floats(-5, 0.6).map(lambda power: 10.0**power),
    size=st.builds(Size, st.integers(1, 700), st.integers(1, 500)),
    ratio=st.sampled_from([1.0, 1.25, 2.0]),
    dark=st.booleans(),
    layered=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_painting_never_fails(
    request: pytest.FixtureRequest,
    kind: str,
    aside: float,
    scale: float,
    size: Size,
    ratio: float,
    dark: bool,
    layered: bool,
    seed: int,
) -> None:
    scene: Scene = request.getfixturevalue(kind)
    random = np.random.default_rng(seed)
    rows = random.integers(0, len(scene), 40)
    marks = Marks(int(rows[0]), int(rows[1]), 0, np.unique(rows))
    image = picture(
        scene,
        over(scene, int(rows[2]), scale).panned(aside * size.width, aside * size.height),
        size,
        marks,
        overlay=overlay_of(scene) if layered else None,
        look=theme.DARK if dark else theme.LIGHT,
        ratio=ratio,
    )
    assert not image.isNull()


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 0.5, 0.3])
def test_a_node_has_the_colour_of_its_family(
    residual: Scene, look: theme.Theme, scale: float
) -> None:
    row = residual.columns.labels.index("Conv")
    box, camera = residual.box(row), over(residual, row, scale)
    x, y = camera.to_view(Point(box.right - 5, box.bottom - 5), SIZE)
    seen = picture(residual, camera, look=look).pixelColor(int(x), int(y))
    assert seen.rgb() == look.families["convolution"].fill.rgb()


def test_the_ground_is_the_canvas_colour(residual: Scene) -> None:
    image = picture(residual, Camera(-1e6, -1e6, 0.1))
    assert QColor(image.pixel(10, 10)) == theme.LIGHT.canvas


def test_a_crowd_is_painted_as_its_nodes_are_one_by_one(crowd: Scene) -> None:
    camera = Camera.fitted(crowd.bounds, SIZE)
    image = picture(crowd, camera)
    origin = camera.origin(SIZE, 1.0)
    for row in range(0, len(crowd), 97):
        left, top, width, height = crowd.rects[row].tolist()
        x = int(origin.x + (left + width / 2) * camera.scale)
        y = int(origin.y + (top + height / 2) * camera.scale)
        family = crowd.columns.families[row]
        assert QColor(image.pixel(x, y)) == theme.LIGHT.families[family].border


def test_what_is_selected_stands_out_from_any_distance(crowd: Scene) -> None:
    row = len(crowd) // 2
    for scale in (1.0, 0.3, 0.05, 1e-3):
        camera = over(crowd, row, scale)
        plain = picture(crowd, camera)
        chosen = picture(crowd, camera, marks=Marks(selected=row))
        found = picture(crowd, camera, marks=Marks(found=np.array([row])))
        assert plain != chosen
        assert plain != found


def test_a_vector_picture_holds_no_image(crowd: Scene) -> None:
    record = QPicture()
    painter = QPainter(record)
    camera = Camera.fitted(crowd.bounds, SIZE)
    Artist(crowd, theme.LIGHT).paint(painter, camera, SIZE, vector=True)
    painter.end()
    again = QImage(640, 480, QImage.Format.Format_RGB32)
    painter = QPainter(again)
    painter.drawPicture(0, 0, record)
    painter.end()
    assert record.size() > len(crowd) * 4 * 8
    assert QColor(again.pixel(320, 240)) != theme.LIGHT.canvas


def test_a_vector_picture_leaves_no_text_out(crowd: Scene) -> None:
    for scale, least in ((1.0, 3), (0.5, 1)):
        size = Size(crowd.bounds.width * scale, crowd.bounds.height * scale)
        record = QPicture()
        painter = QPainter(record)
        camera = Camera.fitted(crowd.bounds, size)
        Artist(crowd, theme.LIGHT).paint(painter, camera, size, vector=True)
        painter.end()
        # A text item takes more than 60 bytes, two rounded boxes more than 400.
        assert record.size() > len(crowd) * (400 + 60 * least)


def test_an_overlay_colours_its_classes_and_quiets_the_rest(residual: Scene) -> None:
    overlay = overlay_of(residual)
    for row in (0, 1, 2):
        box, camera = residual.box(row), over(residual, row, 1.0)
        x, y = camera.to_view(Point(box.left + 14, box.bottom - 4), SIZE)
        seen = picture(residual, camera, overlay=overlay).pixelColor(int(x), int(y))
        expected = (theme.LIGHT.surface, theme.LIGHT.diff["added"].fill)
        kind = int(overlay.classes[row])
        fill = expected[kind + 1] if kind < 1 else theme.LIGHT.diff["removed"].fill
        assert seen.rgb() == fill.rgb()


def test_an_overlay_refuses_classes_without_an_entry() -> None:
    with pytest.raises(ValueError, match="no entry"):
        Overlay("x", (), np.array([0]))
    entry = Entry("x", lambda look: look.diff["kept"])
    with pytest.raises(ValueError, match="at most"):
        Overlay("x", (entry,) * 300, np.array([0]))


def test_the_legend_stays_in_the_view_or_away(residual: Scene) -> None:
    overlay, texts = overlay_of(residual), Texts()
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    shown = 0
    for width in range(1, 500, 23):
        for height in range(1, 300, 23):
            painter = QPainter(image)
            panel = draw_legend(painter, Size(width, height), overlay, theme.LIGHT, texts)
            painter.end()
            assert panel is None or QRectF(0, 0, width, height).contains(panel)
            shown += panel is not None
    assert shown


PROGRAM = """
import sys
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
app = QApplication([])
from ortstudio.ui import theme
from ortstudio.ui.canvas.artist import Artist, Marks
from ortstudio.ui.canvas.camera import Camera, Size
from tests.gui.canvas import graphs
scene = graphs.residual(12).scene()
image = QImage(64, 64, QImage.Format.Format_RGB32)
artist = Artist(scene, theme.LIGHT)
cameras = [Camera(60.0, 90.0, scale) for scale in (1.0, 0.5, 0.3, 0.1)]
marks = Marks(selected=1, hovered=2)
def paint(times):
    for number in range(times):
        painter = QPainter(image)
        artist.paint(painter, cameras[number % 4], Size(64, 64), marks, grid=True)
        painter.end()
paint(100)
before = sys.getrefcount(None)
paint(20_000)
print(sys.getrefcount(None) - before)
"""


@pytest.mark.long
def test_twenty_thousand_paintings_take_no_reference_off_none(checkout: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True, cwd=checkout
    )
    assert child.returncode == 0, child.stderr
    assert abs(int(child.stdout)) < 200
