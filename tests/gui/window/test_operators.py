"""The page on what a build must have: the matrix, the config, the flags, what to know."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import RefKind
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.operators.page import CONFIG, FLAGS, NOTES, OPERATORS, OperatorsPage
from tests.gui.cuts import cut_texts
from tests.oracles import upstream_config

Open = Callable[[MainWindow, Sequence[Path]], None]
PATIENCE_MS = 60_000
SOURCE = Path("sources", "cnn.onnx")
RESULT = "v6_ort1.32.0_cnn_runtime_all.ort"


@pytest.fixture
def shown(window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot) -> MainWindow:
    """A network beside its result, with the page in front."""
    open_in(window, [corpus / SOURCE, corpus / RESULT])
    gathered(window, qtbot, lambda: window.studio.show_page("operators"))
    return window


def gathered(window: MainWindow, qtbot: QtBot, act: Callable[[], object]) -> None:
    with qtbot.waitSignal(window.studio.pages.gathering.ended, timeout=PATIENCE_MS):
        act()


def page(window: MainWindow) -> OperatorsPage:
    return window.studio.pages.gathering.page


def cells(window: MainWindow) -> list[list[str]]:
    table = page(window).matrix
    assert table is not None
    model = table.model()
    return [model.copied(model.index(row, 0)) for row in range(model.rowCount())]


def test_nothing_is_looked_for_before_somebody_looks(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    open_in(window, [corpus / RESULT])
    assert window.studio.docks["operators"].widget() is None


def test_the_matrix_shows_which_file_needs_what(shown: MainWindow) -> None:
    rows = {row[0]: row[1:] for row in cells(shown)}
    assert rows["Conv"] == ["11", "ai.onnx", "✓", "✓"]
    assert rows["BatchNormalization"] == ["9", "ai.onnx", "✓", ""]
    assert rows["FusedConv"] == ["1", "com.microsoft", "", "✓"]


def test_the_config_is_for_the_result_and_not_for_its_source(shown: MainWindow) -> None:
    text = page(shown).config.toPlainText()
    assert f"# For {RESULT}" in text
    assert "BatchNormalization" not in text
    assert "FusedConv" in text


def test_types_are_told_when_they_are_wanted(shown: MainWindow, qtbot: QtBot) -> None:
    gathered(shown, qtbot, lambda: page(shown).types.setChecked(True))
    rows = {row[0]: row[-1] for row in cells(shown)}
    assert rows["Conv"] == "input 0 float"
    assert 'Conv{"inputs": {"0": ["float"]}}' in page(shown).config.toPlainText()


def test_an_operator_leads_to_its_first_node(shown: MainWindow) -> None:
    table = page(shown).matrix
    assert table is not None
    place = [row[0] for row in cells(shown)].index("MaxPool")
    table.activated.emit(table.model().index(place, 0))
    ref = shown.studio.workspace.selection(1)
    assert ref is not None
    assert ref.kind is RefKind.NODE
    document = shown.studio.workspace.document(1)
    assert document is not None
    assert document.graphs[0].nodes.op_types[ref.row] == "MaxPool"


def test_what_is_shown_can_be_copied(shown: MainWindow) -> None:
    texts = []
    for part in (OPERATORS, CONFIG, FLAGS, NOTES):
        page(shown).show_part(part)
        page(shown).copy.click()
        texts.append(QApplication.clipboard().text())
    assert texts[0].startswith("Operator\tVersion\tDomain\tcnn.onnx\t")
    assert "Conv\t11\tai.onnx\t✓\t✓" in texts[0].splitlines()
    assert texts[1] == page(shown).config.toPlainText()
    assert texts[2].startswith("--minimal_build extended --include_ops_by_config")
    assert "Saved optimizations are counted in" in texts[3]


def test_a_config_is_saved_where_the_dialog_says(
    shown: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "o.config"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    with qtbot.waitSignal(shown.studio.pages.gathering.saved, timeout=PATIENCE_MS):
        page(shown).save.click()
    found = upstream_config.operators(target)
    assert found is not None
    assert found["com.microsoft"] == {1: {"FusedConv"}}


def test_files_are_added_until_others_are_opened(
    shown: MainWindow,
    open_in: Open,
    qtbot: QtBot,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, broken = tmp_path / "more.config", tmp_path / "broken.ort"
    config.write_text("ai.onnx;7;Sin")
    broken.write_bytes(b"\x08\0\0\0ORTM")
    names = [str(config), str(broken)]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))
    gathered(shown, qtbot, page(shown).add.click)
    assert ["Sin", "7", "ai.onnx", "", "", "✓"] in cells(shown)
    assert "# Not covered: broken.ort" in page(shown).config.toPlainText()
    assert "Not covered" in page(shown).notes.sheet.text()
    open_in(shown, [corpus / RESULT])
    qtbot.waitUntil(lambda: "Sin" not in [row[0] for row in cells(shown)], timeout=PATIENCE_MS)
    assert len(cells(shown)[0]) == 3


def test_of_a_folder_that_was_converted_the_results_are_asked_of(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    for name in ("mlp", "cnn", "meta"):
        shutil.copy(corpus / "sources" / f"{name}.onnx", tmp_path)
    open_in(window, [tmp_path])
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
    gathered(window, qtbot, lambda: window.studio.show_page("operators"))
    rows = {row[0]: row[3:6] for row in cells(window)}
    assert rows["Softmax"] == ["", "", "✓"]
    assert rows["FusedConv"] == ["✓", "", ""]


def test_what_speaks_against_a_build_is_said_first(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "v4_ort1.12.1_mlp_fixed_basic.ort"])
    gathered(window, qtbot, lambda: window.studio.show_page("operators"))
    sheet = page(window).flags.sheet
    assert sheet.sections[0].title == "Against it"
    assert "format before 5" in sheet.text()
    assert "1 contradiction" in page(window).state.text()


def test_what_has_no_operators_is_told_so(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    cut = tmp_path / "cut.onnx"
    cut.write_bytes((Path("tests") / "corpus" / SOURCE).read_bytes()[:4000])
    open_in(window, [cut])
    gathered(window, qtbot, lambda: window.studio.show_page("operators"))
    assert "cut short" in page(window).words.text()
    assert not page(window).save.isEnabled()


@pytest.mark.parametrize("size", [(480, 400), (800, 600), (1360, 860)])
def test_the_tools_fit(shown: MainWindow, size: tuple[int, int]) -> None:
    shown.resize(*size)
    QApplication.processEvents()
    assert (shown.width(), shown.height()) == size
    for part in (OPERATORS, FLAGS, NOTES):
        page(shown).show_part(part)
        QApplication.processEvents()
        assert cut_texts(page(shown).tools) == []
