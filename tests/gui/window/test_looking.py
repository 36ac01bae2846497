"""Looking around in what is open: selection, subgraphs, search, links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import Ref, RefKind
from ortstudio.services import describe
from ortstudio.services.document import Document
from ortstudio.ui.main_window import MainWindow

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture
def pair(window: MainWindow, open_in: Open, corpus: Path) -> MainWindow:
    """A source with control flow beside its result."""
    names = "sources/control.onnx", "v6_ort1.32.0_control_fixed_disable.ort"
    open_in(window, [corpus / name for name in names])
    return window


def documents(window: MainWindow) -> tuple[Document, Document]:
    first, second = (window.studio.workspace.document(side) for side in (0, 1))
    assert first is not None
    assert second is not None
    return first, second


def test_selecting_on_one_side_selects_the_counterpart(pair: MainWindow) -> None:
    workspace = pair.studio.workspace
    ours, theirs = documents(pair)
    for row in range(len(ours.graphs[0].nodes)):
        workspace.select(0, Ref(RefKind.NODE, 0, row))
        other = workspace.selection(1)
        assert other is not None
        names = [
            graph.value_names(graph.nodes.outputs.row(found).tolist())
            for graph, found in ((ours.graphs[0], row), (theirs.graphs[0], other.row))
        ]
        assert names[0] == names[1]
        pane = pair.studio.pair.panes[1]
        assert pane.pictured is not None
        assert pane.canvas.selection == pane.pictured.picture.box_of(other.row)


def test_the_tree_follows_the_picture(pair: MainWindow) -> None:
    navigator = pair.studio.navigator
    pair.studio.workspace.select(1, Ref(RefKind.NODE, 0, 1))
    current = navigator.tree.currentIndex()
    assert navigator.model.item(current).ref == (1, Ref(RefKind.NODE, 0, 1))


def test_the_picture_follows_the_tree(pair: MainWindow) -> None:
    navigator = pair.studio.navigator
    nodes = next(index for index in _rows(pair) if navigator.model.item(index).text == "Nodes")
    navigator.model.fetchMore(nodes)
    navigator.tree.setCurrentIndex(navigator.model.index(2, 0, nodes))
    assert pair.studio.workspace.selection(0) == Ref(RefKind.NODE, 0, 2)


def _rows(window: MainWindow) -> list[QModelIndex]:
    model = window.studio.navigator.model
    found, queue = [], [model.index(0, 0)]
    while queue:
        index = queue.pop(0)
        found.append(index)
        model.fetchMore(index)
        if len(found) < 60:
            queue += [model.index(row, 0, index) for row in range(model.rowCount(index))]
    return found


def test_a_subgraph_opens_from_its_node_on_both_sides_and_leads_back(
    pair: MainWindow, qtbot: QtBot
) -> None:
    ours, _ = documents(pair)
    pane = pair.studio.pair.panes[0]
    loop = ours.graphs[0].nodes.op_types.index("Loop")
    assert pane.pictured is not None
    with qtbot.waitSignal(pair.studio.settled):
        pane.canvas.activated.emit(pane.pictured.picture.box_of(loop))
    shown = [pair.studio.workspace.graph(side) for side in (0, 1)]
    paths = [d.graphs[n].path for d, n in zip(documents(pair), shown, strict=True)]
    assert paths[0] == paths[1] != "/"
    with qtbot.waitSignal(pair.studio.settled):
        pane.go_back()
    assert pair.studio.workspace.graph(0) == 0
    assert pair.studio.workspace.selection(0) == Ref(RefKind.NODE, 0, loop)


def test_backspace_leads_back_on_the_side_with_the_keyboard(pair: MainWindow, qtbot: QtBot) -> None:
    pair.activateWindow()
    ours, _ = documents(pair)
    inner = next(i for i, graph in enumerate(ours.graphs) if graph.path.startswith("/loop"))
    with qtbot.waitSignal(pair.studio.settled):
        pair.studio.workspace.show_graph(0, inner)
    assert pair.studio.workspace.graph(1) != 0
    canvas = pair.studio.pair.panes[1].canvas
    canvas.setFocus()
    with qtbot.waitSignal(pair.studio.settled):
        qtbot.keyClick(canvas, Qt.Key.Key_Backspace)
    assert [pair.studio.workspace.graph(side) for side in (0, 1)] == [0, 0]


def test_a_function_opens_from_where_it_is_called_and_leads_back(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "sources" / "functions.onnx"])
    workspace, pane = window.studio.workspace, window.studio.pair.panes[0]
    document = workspace.document(0)
    assert document is not None
    paths = []
    for row in (1, 1):
        assert pane.pictured is not None
        with qtbot.waitSignal(window.studio.settled):
            pane.canvas.activated.emit(pane.pictured.picture.box_of(row))
        paths.append(document.graphs[workspace.graph(0)].path)
    assert paths == ["local.fn:Block", "local.fn:ScaleShift"]
    with qtbot.waitSignal(window.studio.settled):
        pane.go_back()
    assert workspace.selection(0) == Ref(RefKind.NODE, document.graph_numbers["local.fn:Block"], 1)
    with qtbot.waitSignal(window.studio.settled):
        pane.go_back()
    assert workspace.selection(0) == Ref(RefKind.NODE, 0, 1)
    with qtbot.waitSignal(window.studio.settled):
        workspace.show_graph(0, document.graph_numbers["local.fn:Block"])
    pane.go_back()
    assert workspace.graph(0) == 0


def test_search_marks_every_hit_and_goes_from_one_to_the_next(
    pair: MainWindow, qtbot: QtBot
) -> None:
    find = pair.studio.find
    marks: dict[int, list[int]] = {}
    find.found.connect(lambda side, rows: marks.__setitem__(side, rows.tolist()))
    find.box.setText("if")
    qtbot.waitUntil(lambda: bool(marks.get(0)) and bool(marks.get(1)))
    ours, _ = documents(pair)
    assert marks[0] == [row for row, op in enumerate(ours.graphs[0].nodes.op_types) if op == "If"]
    find.step(1)
    assert pair.studio.workspace.selection(0) == Ref(RefKind.NODE, 0, marks[0][0])
    find.box.clear()
    qtbot.waitUntil(lambda: marks == {0: [], 1: []})


def test_nothing_can_be_found_where_nothing_is_open(pair: MainWindow) -> None:
    assert pair.studio.find.box.isEnabled()
    pair.studio.find.box.setText("identity")
    pair.close_models()
    assert not pair.studio.find.box.isEnabled()
    assert not pair.studio.find.box.text()


def test_hits_are_marked_in_a_graph_that_is_opened_later(pair: MainWindow, qtbot: QtBot) -> None:
    pair.studio.find.box.setText("identity")
    ours, _ = documents(pair)
    body = next(i for i, graph in enumerate(ours.graphs) if "Loop" in graph_titles(ours)[i])
    with qtbot.waitSignal(pair.studio.settled):
        pair.studio.workspace.show_graph(0, body)
    pane = pair.studio.pair.panes[0]
    found = [row for row, op in enumerate(ours.graphs[body].nodes.op_types) if op == "Identity"]
    assert pane.pictured is not None
    boxes = [pane.pictured.picture.box_of(row) for row in found]
    assert found
    qtbot.waitUntil(lambda: pane.canvas.marked.tolist() == boxes)


def graph_titles(document: Document) -> list[str]:
    return [document.graph_title(i) for i in range(len(document.graphs))]


@pytest.mark.parametrize(
    "name",
    [
        "v6_ort1.32.0_qdq_conv_runtime_all.ort",
        "v4_ort1.11.1_cnn_runtime_all.ort",
        "v6_ort1.32.0_control_fixed_disable.ort",
        "v6_ort1.32.0_sparse_init_fixed_disable.ort",
        "sources/functions.onnx",
        "sources/seqmap.onnx",
    ],
)
def test_everything_in_a_model_can_be_described(
    window: MainWindow, open_in: Open, corpus: Path, name: str
) -> None:
    open_in(window, [corpus / name])
    document = window.studio.workspace.document(0)
    assert document is not None
    for ref in every_ref(document):
        assert all(section.facts or section.text for section in describe.describe(document, ref))
        title, subtitle = describe.heading(document, ref)
        assert title
        assert subtitle
        window.studio.workspace.select(0, ref)
        assert window.studio.workspace.selection(0) == ref


def every_ref(document: Document) -> list[Ref]:
    refs = [Ref(RefKind.MODEL), Ref(RefKind.OPSETS), Ref(RefKind.METADATA)]
    refs += [Ref(RefKind.RESOLVER, 0, row) for row in range(len(document.resolver))]
    refs += [Ref(RefKind.OPTIMIZATION, 0, row) for row in range(len(document.optimizations))]
    for number, graph in enumerate(document.graphs):
        sizes = (
            (RefKind.NODE, len(graph.nodes)),
            (RefKind.VALUE, len(graph.values)),
            (RefKind.INITIALIZER, len(graph.initializers)),
            (RefKind.SPARSE_INITIALIZER, len(graph.sparse_initializers)),
        )
        refs.append(Ref(RefKind.GRAPH, number))
        refs += [Ref(kind, number, row) for kind, size in sizes for row in range(size)]
    return refs


def test_every_link_of_the_inspector_leads_to_something(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_qdq_conv_runtime_all.ort"])
    document = window.studio.workspace.document(0)
    assert document is not None
    known = set(every_ref(document))
    for ref in known:
        for section in describe.describe(document, ref):
            assert all(fact.ref in known for fact in section.facts if fact.ref is not None)


def test_findings_have_room_in_a_narrow_window(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "v4_ort1.8.0_meta_fixed_disable.ort"])
    window.studio.show_page("findings")
    page = window.studio.findings
    qtbot.waitUntil(lambda: page.model.rowCount() > 0)
    last = page.model.columnCount() - 1
    page.table.resize(640, page.table.height())
    assert page.table.isColumnHidden(1)
    room = sum(page.table.columnWidth(column) for column in range(last))
    assert room < 640 / 2
