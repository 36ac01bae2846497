"""The page that says whether source and result compute the same, and from which node on not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import RefKind
from ortstudio.ui import theme
from ortstudio.ui.canvas.overlay import Overlay
from ortstudio.ui.layers.page import LayersPage
from ortstudio.ui.main_window import MainWindow
from tests.builders.faults import FAULTS
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
Compare = Callable[[MainWindow, Sequence[Path]], LayersPage]


@pytest.fixture
def compare(qtbot: QtBot, open_in: Open) -> Compare:
    """Opens two files, has them compared and waits for the answer."""

    def act(window: MainWindow, paths: Sequence[Path]) -> LayersPage:
        open_in(window, paths)
        window.studio.show_page("layers")
        page = window.studio.pages.searching.page
        page.start.click()
        qtbot.waitUntil(lambda: window.studio.pages.searching.is_idle, timeout=PATIENCE_MS)
        return page

    return act


@pytest.fixture
def wrong(window: MainWindow, compare: Compare, tmp_path: Path) -> LayersPage:
    """A model and its conversion, in which one weight is another."""
    fault = next(fault for fault in FAULTS if fault.name == "encoder-v_matmul-all")
    return compare(window, fault.written(tmp_path))


def overlay(window: MainWindow, side: int) -> Overlay | None:
    return window.studio.pair.panes[side].overlay


def test_nothing_runs_before_it_is_asked_for(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    open_in(window, [corpus / "sources" / "cnn.onnx"])
    assert window.studio.docks["layers"].widget() is None
    window.studio.show_page("layers")
    page = window.studio.pages.searching.page
    assert page.about.text().startswith("Open a source and its result")
    assert not page.start.isEnabled()


def test_the_first_wrong_node_is_named_selected_and_coloured(
    window: MainWindow, wrong: LayersPage
) -> None:
    assert "Wrong from MatMul 'v_matmul' on" in wrong.words.text()
    studio = window.studio
    for side in (0, 1):
        ref, document = studio.workspace.selection(side), studio.workspace.document(side)
        assert ref is not None
        assert document is not None
        assert document.graphs[0].nodes.names[ref.row] == "v_matmul"
        laid = overlay(window, side)
        assert laid is not None
        assert laid.entries[0].text == "the difference begins here"
    assert wrong.values.currentIndex().isValid()
    verdicts = [line.verdict for line in wrong.values.model().rows]
    assert verdicts.count("the difference begins here") == 1
    assert {"equal", "differs"} <= set(verdicts)


def test_the_chip_says_that_outputs_differ(window: MainWindow, wrong: LayersPage) -> None:
    assert [line.name for line in wrong.outputs.model().rows] == ["y"]
    texts = [chip.text for chip in window.studio.verdicts.chips()]
    assert "outputs differ" in texts


def test_a_row_leads_to_its_node_and_a_node_to_its_row(
    window: MainWindow, wrong: LayersPage
) -> None:
    workspace = window.studio.workspace
    wrong.values.selectRow(0)
    ref = workspace.selection(1)
    assert ref is not None
    assert ref.kind is RefKind.NODE
    line = wrong.values.model().rows[-1]
    document = workspace.document(1)
    assert document is not None
    place = document.find_node(line.value.node_b)
    workspace.select(1, place)
    assert wrong.values.model().row(wrong.values.currentIndex()) is line


def test_the_pictures_show_changes_again_when_nobody_looks_at_the_page(
    window: MainWindow, wrong: LayersPage, qtbot: QtBot
) -> None:
    def shows(title: str) -> bool:
        laid = overlay(window, 1)
        return laid is not None and laid.title == title

    assert wrong.isVisible()
    window.studio.show_page("changes")
    qtbot.waitUntil(lambda: shows("Where it came from"))
    window.studio.show_page("layers")
    qtbot.waitUntil(lambda: shows("Values"))


def test_a_sound_pair_agrees(window: MainWindow, compare: Compare, corpus: Path) -> None:
    pair = [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"]
    page = compare(window, pair)
    assert "All values agree." in page.words.text()
    assert {line.verdict for line in page.values.model().rows} <= {"equal", "agrees"}


def test_what_cannot_be_compared_is_said(
    window: MainWindow, compare: Compare, corpus: Path
) -> None:
    page = compare(window, [corpus / "sources" / "cnn.onnx", corpus / "sources" / "mlp.onnx"])
    assert "take other inputs" in page.about.text()
    assert page.start.text() == "Compare"


def test_it_can_be_cancelled_and_begun_again(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    pair = [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"]
    open_in(window, pair)
    window.studio.show_page("layers")
    page, work = window.studio.pages.searching.page, window.studio.pages.searching
    page.start.click()
    assert page.start.text() == "Cancel"
    page.start.click()
    qtbot.waitUntil(lambda: work.is_idle, timeout=PATIENCE_MS)
    assert page.state.text() == "Cancelled"
    page.start.click()
    qtbot.waitUntil(lambda: work.is_idle, timeout=PATIENCE_MS)
    assert "All values agree." in page.words.text()


def test_the_answer_is_saved_as_the_command_line_gives_it(
    window: MainWindow, wrong: LayersPage, tmp_path: Path, qtbot: QtBot
) -> None:
    assert wrong.isVisible()
    work, target = window.studio.pages.searching, tmp_path / "out.json"
    with qtbot.waitSignal(work.saved, timeout=PATIENCE_MS):
        work.save(target)
    found = json.loads(target.read_text())
    assert found["schema"] == "ortstudio/compare@1"
    assert found["first_difference"]["a"][0]["name"] == "v_matmul"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1360, 860), (720, 560)])
def test_no_text_is_cut(
    window: MainWindow,
    wrong: LayersPage,
    qapp: QApplication,
    scheme: theme.Scheme,
    size: tuple[int, int],
) -> None:
    theme.apply(qapp, scheme)
    window.resize(*size)
    qapp.processEvents()
    assert cut_texts(wrong) == []
    assert cut_texts(wrong.tools) == []
    assert wrong.words.mapTo(wrong, QPoint()).x() == 3 * theme.SPACE


def test_other_models_have_an_answer_of_their_own(
    window: MainWindow, wrong: LayersPage, open_in: Open, corpus: Path
) -> None:
    pair = [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"]
    open_in(window, pair)
    assert wrong.about.text().startswith("Nothing was compared yet")
    laid = overlay(window, 1)
    assert laid is None or laid.title != "Values"
