"""A tensor's elements in a table: the right ones in every cell, read as they are looked at."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QSpinBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ortstudio.errors import ChangedError
from ortstudio.ui.views.tensor_grid import MOST_COLUMNS, MOST_ROWS, grid
from ortstudio.ui.views.tensor_model import BLOCK, Run, TensorModel, Window, element_text
from ortstudio.ui.views.tensor_view import MOST_COPIED, TensorView

Array = NDArray[np.generic]


def window_of(array: Array) -> Window:
    flat = array.reshape(-1)
    return lambda first, end: flat[first:end]


def shown(qtbot: QtBot, array: Array) -> TensorView:
    view = TensorView(array.shape, window_of(array))
    qtbot.addWidget(view)
    view.resize(600, 500)
    view.show()
    QApplication.processEvents()
    return view


def text(view: TensorView, row: int, column: int) -> str:
    return str(view.model.index(row, column).data())


def wait_for(qtbot: QtBot, view: TensorView, row: int, column: int, expected: str) -> None:
    qtbot.waitUntil(lambda: text(view, row, column) == expected)


@given(st.lists(st.integers(0, 6), max_size=5), st.data())
def test_every_element_has_one_cell(dims: list[int], data: st.DataObject) -> None:
    laid = grid(tuple(dims))
    assert laid.count == math.prod(dims)
    if not laid.count:
        assert laid.rows == 0
        return
    index = tuple(data.draw(st.integers(0, size - 1)) for size in dims)
    leading, row, column = laid.cell(index)
    assert 0 <= row < laid.rows
    assert 0 <= column < laid.columns
    element = int(np.ravel_multi_index(index, dims)) if dims else 0
    moved = type(laid)(laid.dims, laid.rows, laid.columns, laid.flat, leading)
    assert moved.element(row, column) == element
    assert laid.index(element) == index


@pytest.mark.parametrize(
    ("dims", "rows", "columns"),
    [
        ((), 1, 1),
        ((5,), 1, 5),
        ((20,), 3, 8),
        ((2, 3, 4, 5), 4, 5),
        ((0, 4), 0, 1),
        ((MOST_ROWS + 1, 2), 4194305, 8),
        ((1, MOST_COLUMNS + 1), 131073, 8),
        ((1 << 31,), 1 << 24, 128),
    ],
)
def test_any_shape_fits_into_a_table(dims: tuple[int, ...], rows: int, columns: int) -> None:
    laid = grid(dims)
    assert (laid.rows, laid.columns) == (rows, columns)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.1), "0.1"),
        (np.float64(1 / 3), "0.333333"),
        (np.float16("nan"), "nan"),
        (np.int64(-1234567890123), "-1234567890123"),
        (np.bool_(True), "True"),
        (np.complex64(1 + 2j), "1+2j"),
        ("a\nb", r"'a\nb'"),
    ],
)
def test_elements_read_well(value: object, expected: str) -> None:
    assert element_text(value) == expected


def test_cells_hold_their_elements(qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    array = np.arange(60, dtype=np.float32).reshape(5, 12) / 7
    view = shown(qtbot, array)
    wait_for(qtbot, view, 4, 11, "8.42857")
    assert text(view, 0, 0) == "0"
    assert text(view, 2, 3) == f"{array[2, 3]:.6g}"
    tip = view.model.index(2, 3).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == f"<qt>[2, 3] = {array[2, 3]}</qt>"
    assert view.model.headerData(11, Qt.Orientation.Horizontal) == "11"
    qtmodeltester.check(view.model)


def test_a_vector_runs_on_over_the_rows(qtbot: QtBot) -> None:
    view = shown(qtbot, np.arange(20))
    wait_for(qtbot, view, 2, 3, "19")
    assert view.model.index(2, 4).data() is None
    assert view.model.headerData(1, Qt.Orientation.Horizontal) == "+1"
    assert view.model.headerData(2, Qt.Orientation.Vertical) == "16"


def test_spin_boxes_choose_the_matrix(qtbot: QtBot) -> None:
    array = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    view = shown(qtbot, array)
    first, second = view.findChildren(QSpinBox)
    first.setValue(1)
    second.setValue(2)
    wait_for(qtbot, view, 3, 4, str(array[1, 2, 3, 4]))
    second.stepUp()
    assert second.value() == 0


def test_an_index_is_gone_to(qtbot: QtBot) -> None:
    array = np.arange(2 * 300 * 400).reshape(2, 300, 400)
    view = shown(qtbot, array)
    goto = view.findChild(QLineEdit, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert goto is not None
    qtbot.keyClicks(goto, "[1, 250, 399]")
    qtbot.keyClick(goto, Qt.Key.Key_Return)
    current = view.table.currentIndex()
    assert (current.row(), current.column()) == (250, 399)
    assert view.findChildren(QSpinBox)[0].value() == 1
    assert view.table.viewport().rect().intersects(view.table.visualRect(current))
    wait_for(qtbot, view, 250, 399, str(array[1, 250, 399]))
    goto.setText("1, 300, 0")
    qtbot.keyClick(goto, Qt.Key.Key_Return)
    assert notes(view) == ["Axis 1 goes from 0 to 299"]
    goto.setText("7")
    qtbot.keyClick(goto, Qt.Key.Key_Return)
    assert notes(view) == ["3 indices are needed, as in 1, 299, 399"]


def test_an_index_stays_in_view_when_columns_take_their_width(qtbot: QtBot) -> None:
    array = np.arange(100 * 100, dtype=np.uint8).reshape(100, 100)
    view = TensorView(array.shape, window_of(array))
    qtbot.addWidget(view)
    view.resize(300, 400)
    view.show()
    view.select(50, 99)
    wide = view.table.columnWidth(0)
    qtbot.waitUntil(lambda: view.table.columnWidth(0) < wide)
    cell = view.table.visualRect(view.table.currentIndex())
    assert view.table.viewport().rect().contains(cell)


def notes(view: TensorView) -> list[str]:
    """What is said under the table."""
    labels = view.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible() and label.wordWrap()]


def test_only_what_is_seen_is_read(qtbot: QtBot) -> None:
    asked: list[tuple[int, int]] = []

    def window(first: int, end: int) -> Run:
        asked.append((first, end))
        return np.arange(first, end)

    view = TensorView((1 << 24, 16), window)
    qtbot.addWidget(view)
    view.resize(600, 500)
    view.show()
    wait_for(qtbot, view, 0, 3, "3")
    view.select((1 << 24) - 1, 15)
    QApplication.processEvents()
    wait_for(qtbot, view, (1 << 24) - 1, 15, str((1 << 28) - 1))
    assert all(end - first == BLOCK for first, end in asked)
    assert len(asked) < 20


def test_a_cell_waits_without_holding_the_window_up(qtbot: QtBot) -> None:
    gate = threading.Event()

    def window(first: int, end: int) -> Run:
        gate.wait(10)
        return np.arange(first, end)

    view = TensorView((4, 4), window)
    qtbot.addWidget(view)
    view.show()
    assert text(view, 0, 0) == "…"
    gate.set()
    wait_for(qtbot, view, 3, 3, "15")


def test_a_file_that_changed_is_said_once_and_cells_stay_empty(qtbot: QtBot) -> None:
    def window(_first: int, _end: int) -> Run:
        raise ChangedError("The file was cut")

    view = TensorView((4, 4), window)
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.model.failed):
        view.show()
    assert notes(view) == ["The file was cut"]
    assert view.model.index(0, 0).data() is None


def test_a_tensor_without_elements_says_so(qtbot: QtBot) -> None:
    view = shown(qtbot, np.zeros((3, 0)))
    assert notes(view) == ["No elements"]
    assert not view.table.isVisible()


def test_selected_elements_are_copied_with_all_digits(qtbot: QtBot, qapp: QApplication) -> None:
    array = (np.arange(24, dtype=np.float64) / 7).reshape(2, 3, 4)
    view = shown(qtbot, array)
    view.select(1, 1, 2)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view.table, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qapp.clipboard().clear()
    qtbot.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    block = array[1, 1:3, 2:4]
    expected = "\n".join("\t".join(str(value) for value in row) for row in block)
    qtbot.waitUntil(lambda: qapp.clipboard().text() == expected)


def test_more_than_a_clipboard_holds_is_refused(qtbot: QtBot, qapp: QApplication) -> None:
    view = shown(qtbot, np.zeros((1001, 1000), np.int8))
    qapp.clipboard().setText("before")
    view.table.selectAll()
    view.copy()
    assert notes(view) == [f"At most {MOST_COPIED:,} elements are copied at a time"]
    qtbot.wait(20)
    assert qapp.clipboard().text() == "before"


def test_old_blocks_are_forgotten(qapp: QApplication, qtbot: QtBot) -> None:
    model = TensorModel(grid((2000, BLOCK)), range, qapp)
    for start in range(0, 2000, 100):
        for row in range(start, start + 100):
            model.index(row, 0).data()
        with qtbot.waitSignal(model.dataChanged):
            pass
    assert model.index(1999, 5).data() == str(1999 * BLOCK + 5)
    assert model.index(0, 0).data() == "…"
