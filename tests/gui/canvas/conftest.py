"""Scenes and a canvas that shows one."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.ui.canvas.canvas import Canvas
from ortstudio.ui.canvas.scene import Scene
from tests.gui.canvas import graphs


@pytest.fixture(scope="session")
def residual(qapp: QApplication) -> Scene:  # noqa: ARG001
    """Sixty nodes with residual connections, an `If` and custom operators."""
    return graphs.residual(60).scene()


@pytest.fixture(scope="session")
def transformer(qapp: QApplication) -> Scene:  # noqa: ARG001
    """Three thousand nodes with portals."""
    return graphs.transformer(3000).scene()


@pytest.fixture
def canvas(qtbot: QtBot, residual: Scene) -> Canvas:
    """A shown canvas of 800 × 600 pixels with the residual graph."""
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    qtbot.waitExposed(made)
    made.set_scene(residual)
    return made
