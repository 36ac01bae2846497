"""Painting 50 000 nodes: frames of two canvases, and one canvas against one item for each node."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTransform
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsRectItem,
    QGraphicsScene,
    QGraphicsSimpleTextItem,
    QGraphicsView,
)

from ortstudio.ui.canvas.camera import Camera
from ortstudio.ui.canvas.canvas import Canvas
from ortstudio.ui.canvas.scene import Scene
from tests.bench.measure import Claim
from tests.gui.canvas import graphs

NODES = 50_000
WIDTH, HEIGHT = 1200, 800
BUDGET_MS = 16.0
"""One frame at 60 in a second."""
FRAMES = 40
SKIPPED = 4
"""Items are slow enough to be told from fewer frames."""

Show = Callable[[Camera], None]


def claims() -> Iterator[Claim]:
    """Two views of a dense and of a long graph; then against items, where they are slowest."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication([])
    assert app is not None
    dense = graphs.grid(NODES)
    for name, scene in (("dense", dense), ("long", graphs.transformer(NODES).scene())):
        yield _two_views(name, scene)
    start = time.thread_time()
    canvas = _canvas(dense, WIDTH)
    own_first = time.thread_time() - start
    start = time.thread_time()
    view = _items(dense)
    items_first = time.thread_time() - start
    yield _ratio("first painting", items_first, own_first, 5.0)
    whole = Camera.fitted(dense.bounds, canvas.extent)
    ways = {
        "all in view": ([whole] * FRAMES, 10.0),
        "moving at a twentieth": (_moving(dense, 0.05), 10.0),
        # Here items show a box and a name, the canvas also marks, details, labels and bent edges.
        "moving at actual size": (_moving(dense, 1.0), 0.3),
        "zooming": (_zooming(dense, whole.scale), 5.0),
    }
    for name, (cameras, limit) in ways.items():
        own = _slowest(_frames(_show_canvas(canvas), cameras))
        other = _slowest(_frames(_show_items(view), cameras[::SKIPPED]))
        yield _ratio(f"{name}, 95 of 100 frames", other, own, limit)


def _two_views(name: str, scene: Scene) -> Claim:
    """Both halves of a window, at every zoom and moving."""
    pair = [_canvas(scene, WIDTH // 2) for _ in range(2)]
    shows = [_show_canvas(canvas) for canvas in pair]
    whole = Camera.fitted(scene.bounds, pair[0].extent).scale
    cameras = _zooming(scene, whole)
    for scale in (1.0, 0.75, 0.5, 0.3, 0.15, 0.1, 0.05):
        cameras += _moving(scene, scale)

    def both(camera: Camera) -> None:
        for show in shows:
            show(camera)

    frame = _slowest(_frames(both, cameras)) * 1e3
    text = f"two views of {NODES:,} nodes, {name}: 95 of 100 frames"
    return Claim(text, frame, BUDGET_MS, at_most=True, unit="ms")


def _ratio(name: str, items: float, own: float, limit: float) -> Claim:
    detail = f"{items * 1e3:.1f} ms against {own * 1e3:.1f} ms"
    return Claim(f"items against canvas: {name}", items / own, limit, at_most=False, detail=detail)


def _canvas(scene: Scene, width: int) -> Canvas:
    canvas = Canvas()
    canvas.resize(width, HEIGHT)
    canvas.set_scene(scene)
    canvas.show()
    QApplication.processEvents()  # A widget is painted from its first exposure on.
    return canvas


def _items(scene: Scene) -> QGraphicsView:
    """What Qt offers for this: an item for each node, with a text, and one for each edge."""
    items = QGraphicsScene()
    fill = QColor("#9db9f7")
    for row, (left, top, width, height) in enumerate(scene.rects.tolist()):
        box = QGraphicsRectItem(QRectF(left, top, width, height))
        box.setBrush(fill)
        QGraphicsSimpleTextItem(scene.columns.labels[row], box).setPos(left + 8, top + 8)
        items.addItem(box)
    for x0, y0, x1, y1 in scene.routes.pieces.tolist():
        items.addLine(x0, y0, x1, y1)
    view = QGraphicsView(items)
    # The view does not own its scene, and Python would let go of it.
    items.setParent(view)
    view.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.resize(WIDTH, HEIGHT)
    view.show()
    QApplication.processEvents()
    return view


def _show_canvas(canvas: Canvas) -> Show:
    def show(camera: Camera) -> None:
        canvas.look(camera)
        canvas.repaint()

    return show


def _show_items(view: QGraphicsView) -> Show:
    def show(camera: Camera) -> None:
        view.setTransform(QTransform.fromScale(camera.scale, camera.scale))
        view.centerOn(QPointF(camera.x, camera.y))
        view.viewport().repaint()

    return show


def _frames(show: Show, cameras: list[Camera]) -> list[float]:
    """Seconds of CPU for each frame, the first one, which prepares texts, left out."""
    show(cameras[0])
    taken = []
    for camera in cameras:
        start = time.thread_time()
        show(camera)
        taken.append(time.thread_time() - start)
    return taken


def _slowest(frames: list[float]) -> float:
    """What 95 of 100 frames do not exceed."""
    return float(np.percentile(frames, 95))


def _middle(scene: Scene) -> tuple[float, float]:
    box = scene.box(len(scene) // 2)
    return box.left, box.top


def _moving(scene: Scene, scale: float) -> list[Camera]:
    x, y = _middle(scene)
    return [Camera(x + i * 23 / scale, y + i * 17 / scale, scale) for i in range(FRAMES)]


def _zooming(scene: Scene, smallest: float) -> list[Camera]:
    x, y = _middle(scene)
    steps = np.geomspace(smallest, 2.0, 2 * FRAMES)
    return [Camera(x, y, float(scale)) for scale in steps]
