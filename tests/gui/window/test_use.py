"""Code that runs what is open: chosen, coloured, copied and saved in the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from ortstudio.services import settings as stored
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.document import open_document
from ortstudio.services.snippet import LANGUAGES, Way, snippet, snippet_model
from ortstudio.ui import theme
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.use_page import UsePage
from tests.builders.picky import write_picky_model, write_stubborn_model
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture
def result(corpus: Path) -> Path:
    return corpus / "v6_ort1.32.0_cnn_runtime_all.ort"


def shown(window: MainWindow, qtbot: QtBot) -> UsePage:
    """The page, once it has code."""
    window.actions_.use.trigger()
    page = window.studio.pages.use
    qtbot.waitUntil(lambda: page.is_idle and page.copy.isEnabled())
    return page


def choose(page: UsePage, qtbot: QtBot, lang: str) -> None:
    page.languages.setCurrentIndex(page.languages.findData(lang))
    page.languages.activated.emit(page.languages.currentIndex())
    qtbot.waitUntil(lambda: page.is_idle)


def test_the_code_is_that_of_the_command_line(
    window: MainWindow, open_in: Open, result: Path, qtbot: QtBot
) -> None:
    open_in(window, [result])
    page = shown(window, qtbot)
    model = snippet_model(open_document(result))
    for found in LANGUAGES:
        choose(page, qtbot, found.name)
        made = snippet(model, found.name)
        assert page.code.toPlainText() == made.code
        for text in (*made.notes, *made.requires):
            assert text in page.notes.sheet.text()
        assert page.code.isReadOnly()


def test_the_result_of_a_pair_comes_before_its_source(
    window: MainWindow, open_in: Open, corpus: Path, result: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "sources" / "cnn.onnx", result])
    page = shown(window, qtbot)
    assert result.name in page.code.toPlainText()
    page.files.setCurrentIndex(1)
    page.files.activated.emit(1)
    qtbot.waitUntil(lambda: "cnn.onnx" in page.code.toPlainText())
    assert [page.ways.itemData(i) for i in range(page.ways.count())] == [Way.PATH, Way.BYTES]


def test_a_way_of_loading_stays_chosen_where_the_language_has_it(
    window: MainWindow, open_in: Open, result: Path, qtbot: QtBot
) -> None:
    open_in(window, [result])
    page = shown(window, qtbot)
    assert page.ways.currentData() is Way.MAPPED
    page.ways.setCurrentIndex(page.ways.findData(Way.BYTES))
    page.ways.activated.emit(page.ways.currentIndex())
    qtbot.waitUntil(lambda: "file.read()" in page.code.toPlainText())
    choose(page, qtbot, "java")
    assert page.ways.currentData() is Way.BYTES
    choose(page, qtbot, "swift")
    assert page.ways.currentData() is Way.MAPPED
    choose(page, qtbot, "rust")
    assert page.ways.currentData() is Way.BYTES


def test_another_model_takes_the_place_of_the_code(
    window: MainWindow, open_in: Open, corpus: Path, result: Path, qtbot: QtBot
) -> None:
    open_in(window, [result])
    page = shown(window, qtbot)
    open_in(window, [corpus / "v6_ort1.32.0_control_fixed_disable.ort"])
    qtbot.waitUntil(lambda: '"flag"' in page.code.toPlainText())
    window.close_models()
    assert not page.copy.isEnabled()
    assert not window.actions_.use.isEnabled()


def test_what_no_session_loads_is_said(
    window: MainWindow, open_in: Open, tmp_path: Path, result: Path, qtbot: QtBot
) -> None:
    damaged = tmp_path / "damaged.ort"
    damaged.write_bytes(result.read_bytes()[:12_000])
    open_in(window, [damaged])
    window.actions_.use.trigger()
    page = window.studio.pages.use
    qtbot.waitUntil(lambda: page.is_idle and "cut short" in page.words.text())
    assert not page.save.isEnabled()


def test_the_code_is_copied_and_saved(
    window: MainWindow,
    open_in: Open,
    result: Path,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_in(window, [result])
    page = shown(window, qtbot)
    choose(page, qtbot, "java")
    page.copy.click()
    code = page.code.toPlainText()
    assert QApplication.clipboard().text() == code
    asked = []

    def answer(_parent: object, _title: str, start: str) -> tuple[str, str]:
        asked.append(Path(start).name)
        return str(tmp_path / "RunModel.java"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    page.save.click()
    page.save.click()
    assert asked == ["RunModel.java"] * 2
    assert (tmp_path / "RunModel.java").read_text("utf-8") == code
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path), ""))
    page.save.click()
    assert window.last_error is not None


def test_the_language_is_remembered(
    window: MainWindow, open_in: Open, result: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [result])
    choose(shown(window, qtbot), qtbot, "rust")
    assert stored.load(tmp_path / "config" / "settings.json").language == "rust"


def test_it_is_offered_for_what_was_just_converted(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    with qtbot.waitSignal(window.studio.opened, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
    window.studio.pair.notice.use.click()
    page = window.studio.pages.use
    result = source.with_suffix(".ort").name
    qtbot.waitUntil(lambda: result in page.code.toPlainText())


def test_strings_comments_and_keywords_have_colours_in_both_themes(
    window: MainWindow, open_in: Open, result: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    open_in(window, [result])
    page = shown(window, qtbot)
    for look in (theme.LIGHT, theme.DARK):
        theme.apply(qapp, "dark" if look.dark else "light")
        assert colour(page, "# Runs") == look.text_muted
        assert colour(page, "import numpy") == look.accent
        assert colour(page, '"scores"') == look.good
        assert colour(page, "16,") == look.warning
        assert colour(page, "np.zeros") is None


def colour(page: UsePage, text: str) -> QColor | None:
    """The colour that the text begins in, where it has one of its own."""
    place = page.code.toPlainText().index(text)
    block = page.code.document().findBlock(place)
    for part in block.layout().formats():
        if part.start <= place - block.position() < part.start + part.length:
            return part.format.foreground().color()
    return None


@pytest.mark.parametrize("size", [(640, 480), (800, 600), (1360, 860)])
def test_nothing_is_cut(
    window: MainWindow,
    open_in: Open,
    corpus: Path,
    result: Path,
    size: tuple[int, int],
    qtbot: QtBot,
) -> None:
    window.resize(*size)
    open_in(window, [corpus / "sources" / "cnn.onnx", result])
    page = shown(window, qtbot)
    for found in LANGUAGES:
        choose(page, qtbot, found.name)
        QApplication.processEvents()
        assert cut_texts(page.tools) == []
        assert cut_texts(page.notes) == []
        for choice in (page.files, page.languages, page.ways):
            assert choice.sizeHint().width() <= choice.width()
    beside = page.notes.mapTo(page, page.notes.rect().topLeft()).x() > 0
    assert beside == (page.width() >= 800)
    assert page.code.height() > 60
    assert page.code.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAsNeeded


def test_sizes_that_the_model_accepts_are_found_on_request(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [write_picky_model(tmp_path)])
    page = shown(window, qtbot)
    assert "\nH = 1\n" in page.code.toPlainText()
    page.notes.link_activated.emit("sizes")
    qtbot.waitUntil(lambda: "\nH = 8\n" in page.code.toPlainText(), timeout=PATIENCE_MS)
    choose(page, qtbot, "cpp")
    assert "kH = 8;" in page.code.toPlainText()


def test_a_model_that_accepts_no_size_says_why(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [write_stubborn_model(tmp_path)])
    page = shown(window, qtbot)
    page.find_sizes()
    qtbot.waitUntil(lambda: "accepts none" in page.notes.sheet.text(), timeout=PATIENCE_MS)
    assert page.copy.isEnabled()
