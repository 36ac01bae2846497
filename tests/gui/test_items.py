"""Trees: what they show, that they stay lazy, and that Qt finds no fault with them."""

from __future__ import annotations

from textwrap import dedent

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from ortstudio.ui.item_views import TreeView, selection_text
from ortstudio.ui.items import Item, RefRole, Rows, TreeModel, cell_text, filtered
from tests.gui.dumps import dump


def numbered(length: int, asked: set[int]) -> Rows:
    """Rows that note which of them were made."""

    def make(row: int) -> Item:
        asked.add(row)
        return Item(f"node {row}", ref=row, children=list if row == 7 else None)

    return Rows(length, make, parents=[7])


def small() -> list[Item]:
    return [
        Item("graph", children=[Item("Conv_0", 1), Item("if_0", children=lambda: [Item("Add_1")])]),
        Item("initializers", 1234, children=list),
        Item("metadata", 0, icon="metadata", tip="key and value"),
    ]


TREE = dedent("""\
    graph
      Conv_0 | 1
      if_0
        Add_1
    initializers | 1,234
    metadata | 0""")


def test_tree_shows_every_row_below_its_parent(qtmodeltester: ModelTester) -> None:
    model = TreeModel(small())
    qtmodeltester.check(model)
    assert dump(model) == TREE
    qtmodeltester.check(model)


def test_tree_can_be_replaced(qtmodeltester: ModelTester) -> None:
    model = TreeModel(small())
    dump(model)
    model.set_items([Item("other", children=[Item("one")])])
    qtmodeltester.check(model)
    assert dump(model) == "other\n  one"


def test_children_are_found_when_first_opened(qtbot: QtBot) -> None:
    asked = []

    def find() -> list[Item]:
        asked.append(1)
        return [Item("inside")]

    view = TreeView(TreeModel([Item("closed", children=find)]))
    qtbot.addWidget(view)
    view.show()
    top = view.model().index(0, 0)
    assert view.model().hasChildren(top)
    assert not asked
    view.expand(top)
    assert view.model().rowCount(top) == 1
    assert asked == [1]


def test_a_row_that_turns_out_empty_stops_inviting() -> None:
    model = TreeModel([Item("empty", children=list)])
    top = model.index(0, 0)
    assert model.hasChildren(top)
    assert model.rowCount(top) == 0
    assert not model.hasChildren(top)


def test_only_rows_that_are_seen_are_made(qtbot: QtBot) -> None:
    asked: set[int] = set()
    view = TreeView(TreeModel([Item("nodes", 50_000, children=numbered(50_000, asked))]))
    qtbot.addWidget(view)
    view.resize(300, 400)
    view.show()
    view.expand(view.model().index(0, 0))
    QApplication.processEvents()
    assert view.model().rowCount(view.model().index(0, 0)) == 50_000
    assert len(asked) < 500


def test_rows_made_on_demand_are_a_sequence() -> None:
    rows = numbered(10, set())
    assert [item.ref for item in rows] == list(range(10))
    assert [item.ref for item in rows[2:6:3]] == [2, 5]
    assert rows[-1].ref == 9
    assert [row for row in range(10) if rows.may_have_children(row)] == [7]


def test_index_at_opens_the_way() -> None:
    model = TreeModel([Item("nodes", children=lambda: numbered(50_000, set()))])
    index = model.index_at([0, 25_000])
    assert index.data() == "node 25000"
    assert index.data(RefRole) == 25_000
    assert index.parent().data() == "nodes"
    assert not model.index_at([0, 50_000, 0]).isValid()


def test_counts_stand_at_the_right_and_muted() -> None:
    model = TreeModel(small())
    alignment = model.index(1, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert alignment & Qt.AlignmentFlag.AlignRight
    assert model.index(2, 0).data(Qt.ItemDataRole.ToolTipRole) == "<qt>key and value</qt>"
    assert not model.index(2, 0).data(Qt.ItemDataRole.DecorationRole).isNull()


def test_filter_keeps_the_way_to_each_match() -> None:
    model = TreeModel(filtered(small(), "ADD"))
    assert dump(model) == "graph\n  if_0\n    Add_1"
    assert dump(TreeModel(filtered(small(), "graph"))).startswith("graph\n  Conv_0")
    assert filtered(small(), "absent") == []


def test_selection_is_copied_as_the_rows_stand(qtbot: QtBot, qapp: QApplication) -> None:
    view = TreeView(TreeModel(small()))
    qtbot.addWidget(view)
    view.expand(view.model().index(0, 0))
    view.selectAll()
    expected = "graph\t\nConv_0\t1\nif_0\t\ninitializers\t1234\nmetadata\t0"
    assert selection_text(view) == expected
    view.clearSelection()
    view.setCurrentIndex(view.model().index(2, 0))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert qapp.clipboard().text() == "metadata\t0"


def test_cells_read_as_a_person_writes_numbers() -> None:
    assert cell_text(1234567) == "1,234,567"
    assert cell_text(0.1 + 0.2) == "0.3"
    assert cell_text(None) == ""
    assert cell_text(True) == "yes"
    assert TreeModel().index(0, 0, QModelIndex()).isValid() is False
