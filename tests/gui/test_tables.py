"""Tables: order, filter, selection and copying."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ortstudio.ui.item_views import TableView, selection_text
from ortstudio.ui.items import RefRole
from ortstudio.ui.tables import Column, TableModel
from tests.gui.dumps import dump

Op = tuple[str, str, int | None]
ROWS: list[Op] = [("Conv_10", "Conv", 1500), ("Conv_2", "Conv", None), ("add\t1", "Add", 20)]
COLUMNS: list[Column[Op]] = [
    Column("Name", lambda row: row[0], mono=True, tip=lambda row: f"node {row[0]}"),
    Column("Operator", lambda row: row[1]),
    Column("Bytes", lambda row: row[2], numeric=True),
]


def names(model: TableModel[Op]) -> list[str]:
    return [model.row(model.index(row, 0))[0] for row in range(model.rowCount())]


def test_a_row_is_found_wherever_it_stands() -> None:
    model = TableModel(COLUMNS, ROWS)
    for column, order in ((-1, Qt.SortOrder.AscendingOrder), (0, Qt.SortOrder.DescendingOrder)):
        model.sort(column, order)
        for row in ROWS:
            assert model.row(model.find(row)) is row
    model.set_filter("add")
    assert [model.find(row).isValid() for row in ROWS] == [
        "add" in str(row).casefold() for row in ROWS
    ]


def test_table_shows_rows_as_they_come(qtmodeltester: ModelTester) -> None:
    model = TableModel(COLUMNS, ROWS)
    qtmodeltester.check(model)
    assert dump(model) == "Conv_10 | Conv | 1,500\nConv_2 | Conv\nadd\\t1 | Add | 20"
    assert model.headerData(2, Qt.Orientation.Horizontal) == "Bytes"
    assert model.index(0, 0).data(RefRole) == ROWS[0]
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "<qt>node Conv_10</qt>"


def test_numbers_are_right_aligned_with_their_header() -> None:
    model = TableModel(COLUMNS, ROWS)
    role = Qt.ItemDataRole.TextAlignmentRole
    assert model.index(0, 2).data(role) & Qt.AlignmentFlag.AlignRight
    header = model.headerData(2, Qt.Orientation.Horizontal, role)
    assert header == model.index(0, 2).data(role)
    assert model.index(0, 0).data(role) is None


def test_names_sort_by_their_numbers_and_nothing_sorts_last(qtmodeltester: ModelTester) -> None:
    model = TableModel(COLUMNS, ROWS)
    model.sort(0)
    assert names(model) == ["add\t1", "Conv_2", "Conv_10"]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert names(model) == ["Conv_10", "add\t1", "Conv_2"]
    model.sort(2)
    assert names(model) == ["add\t1", "Conv_10", "Conv_2"]
    model.sort(-1)
    assert names(model) == [row[0] for row in ROWS]
    qtmodeltester.check(model)


def test_nan_does_not_disturb_the_order() -> None:
    columns: list[Column[float]] = [Column("Difference", lambda value: value, numeric=True)]
    model = TableModel(columns, [3.0, math.nan, 1.0, 2.0])
    model.sort(0)
    shown = [model.row(model.index(row, 0)) for row in range(3)]
    assert shown == [1.0, 2.0, 3.0]


def test_selection_stays_on_its_row_when_the_order_changes(qtbot: QtBot) -> None:
    model = TableModel(COLUMNS, ROWS)
    view = TableView(model)
    qtbot.addWidget(view)
    view.selectRow(0)
    view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [model.row(index) for index in view.selectionModel().selectedRows()] == [ROWS[0]]
    assert view.currentIndex().row() == 2


def test_filter_asks_for_every_word_in_text_columns(qtmodeltester: ModelTester) -> None:
    model = TableModel(COLUMNS, ROWS)
    model.set_filter("CONV _2")
    assert names(model) == ["Conv_2"]
    qtmodeltester.check(model)
    model.set_filter("1500")
    assert names(model) == []
    model.sort(0)
    model.set_filter("conv")
    assert names(model) == ["Conv_2", "Conv_10"]
    model.set_rows([("Conv_1", "Conv", 1), ("Relu", "Relu", 2)])
    assert names(model) == ["Conv_1"]
    model.set_filter("")
    assert names(model) == ["Conv_1", "Relu"]


def test_selection_is_copied_in_the_order_shown(qtbot: QtBot, qapp: QApplication) -> None:
    view = TableView(TableModel(COLUMNS, ROWS))
    qtbot.addWidget(view)
    view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    view.selectAll()
    assert selection_text(view) == "add 1\tAdd\t20\nConv_2\tConv\t\nConv_10\tConv\t1500"
    view.clearSelection()
    view.selectRow(2)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert qapp.clipboard().text() == "Conv_10\tConv\t1500"


def test_a_third_click_brings_the_first_order_back(qtbot: QtBot) -> None:
    model = TableModel(COLUMNS, ROWS)
    view = TableView(model)
    qtbot.addWidget(view)
    assert names(model) == [row[0] for row in ROWS]
    header = view.horizontalHeader()
    view.show()
    for _ in range(3):
        point = header.viewport().rect().topLeft()
        point.setX(header.sectionViewportPosition(0) + 20)
        point.setY(header.height() // 2)
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert names(model) == [row[0] for row in ROWS]
    assert view.horizontalHeader().sortIndicatorSection() == -1


def test_rows_that_change_keep_order_filter_and_selection(qtbot: QtBot) -> None:
    model = TableModel(COLUMNS, ROWS)
    view = TableView(model)
    qtbot.addWidget(view)
    model.sort(2, Qt.SortOrder.AscendingOrder)
    view.selectRow(0)
    assert model.row(view.currentIndex()) == ROWS[2]
    resets: list[bool] = []
    model.modelReset.connect(lambda: resets.append(True))
    changed = [("Conv_10", "Conv", 5), ("Conv_2", "Conv", 7), ("add\t1", "Add", 9)]
    model.update_rows(changed)
    assert names(model) == ["Conv_10", "Conv_2", "add\t1"]
    assert [model.row(index) for index in view.selectionModel().selectedRows()] == [changed[2]]
    assert resets == []
    model.set_filter("conv")
    resets.clear()
    model.update_rows([("Conv_10", "Relu", 5), ("x", "Relu", 7), ("add\t1", "Add", 9)])
    assert names(model) == ["Conv_10"]
    assert resets == [True]
    model.set_filter("")
    model.update_rows([*changed, ("new", "Add", 6)])
    assert names(model) == ["Conv_10", "new", "Conv_2", "add\t1"]
