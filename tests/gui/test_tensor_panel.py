"""The elements of a tensor summed up: what is shown of which tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from PySide6.QtWidgets import QLabel, QTableView
from pytestqt.qtbot import QtBot

from ortstudio.services.reading import read_model
from ortstudio.ui.views.plots import HistogramPlot
from ortstudio.ui.views.tensor_panel import TensorPanel


def panel(qtbot: QtBot, folder: Path, array: NDArray[np.generic]) -> TensorPanel:
    """The panel of a tensor from a file, when it has nothing left to do."""
    graph = helper.make_graph([], "g", [], [], [numpy_helper.from_array(array, "t")])
    path = folder / "tensor.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    model = read_model(path)
    made = TensorPanel(model.source, model.main.initializers[0])
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(made.is_settled)
    return made


def words(made: TensorPanel) -> list[str]:
    return [label.text() for label in made.findChildren(QLabel) if label.isVisible()]


def test_elements_are_summed_up_and_plotted(qtbot: QtBot, tmp_path: Path) -> None:
    made = panel(qtbot, tmp_path, np.array([1.0, 3.0, np.nan], np.float32))
    qtbot.waitUntil(lambda: words(made)[:4] == ["Smallest", "1", "Largest", "3"])
    plot = made.findChild(HistogramPlot)
    assert plot is not None
    assert not plot.grab().isNull()


@pytest.mark.parametrize(
    ("array", "names"),
    [
        (np.array([1, 2]), ["Smallest", "Largest", "Mean", "Deviation", "Zeros", "Elements"]),
        (np.array(["a", "b"], object), ["Elements"]),
        (np.array([1j, 2]), ["Zeros", "NaN", "Infinite", "Elements"]),
    ],
)
def test_only_what_the_type_can_have_is_counted(
    qtbot: QtBot, tmp_path: Path, array: NDArray[np.generic], names: list[str]
) -> None:
    made = panel(qtbot, tmp_path, array)
    qtbot.waitUntil(lambda: words(made)[::2][: len(names)] == names)


def test_elements_are_as_wide_as_their_columns(qtbot: QtBot, tmp_path: Path) -> None:
    made = panel(qtbot, tmp_path, np.array([True, False]))
    table = made.findChildren(QTableView)[0]
    qtbot.waitUntil(lambda: table.model().index(0, 0).data() == "True")
    for column in range(2):
        needed = table.fontMetrics().horizontalAdvance("False")
        assert table.columnWidth(column) >= needed + 8


@pytest.mark.parametrize("array", [np.full(4, 0.1, np.float32), np.zeros((2, 0)), np.array(7)])
def test_elements_that_are_all_the_same_have_no_histogram(
    qtbot: QtBot, tmp_path: Path, array: NDArray[np.generic]
) -> None:
    made = panel(qtbot, tmp_path, array)
    assert made.findChild(HistogramPlot) is None
    assert not made.grab().isNull()
