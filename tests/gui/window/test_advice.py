"""The page on how to ship what is open: found out when looked at, and ready to be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.model.refs import RefKind
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Style
from ortstudio.services.uses import Use
from ortstudio.ui import theme
from ortstudio.ui.advice.bars import HEIGHT, WIDTH, pieces_bar
from ortstudio.ui.advice.page import PARTS, AdvicePage
from ortstudio.ui.main_window import MainWindow
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
ANSWER, USES, ACCELERATORS, CHOICES = range(4)


@pytest.fixture
def look(qtbot: QtBot, open_in: Open) -> Callable[[MainWindow, Sequence[Path]], AdvicePage]:
    """Opens files, shows the page and waits until it says something."""

    def act(window: MainWindow, paths: Sequence[Path]) -> AdvicePage:
        open_in(window, paths)
        window.studio.show_page("advice")
        page = window.studio.pages.advising.page
        qtbot.waitUntil(lambda: window.studio.pages.advising.is_idle, timeout=PATIENCE_MS)
        return page

    return act


Look = Callable[[MainWindow, Sequence[Path]], AdvicePage]


@pytest.fixture
def page(window: MainWindow, look: Look, corpus: Path) -> AdvicePage:
    return look(window, [corpus / "sources" / "cnn.onnx"])


def test_nothing_is_found_out_before_somebody_looks(
    window: MainWindow, open_in: Open, source: Path
) -> None:
    open_in(window, [source])
    assert window.studio.docks["advice"].widget() is None


def test_the_answer_comes_first_with_its_reasons(page: AdvicePage) -> None:
    assert page.parts.currentIndex() == ANSWER
    sheet = page.answer.sheet
    assert sheet.title.startswith("Ship it in ORT format")
    titles = [section.title for section in sheet.sections]
    assert titles == ["For ORT format", "Against it", "To know"]
    assert "measured here\tIts 11 nodes become 6" in sheet.text()


def test_the_settings_of_a_use_go_to_the_offer(window: MainWindow, page: AdvicePage) -> None:
    page.show_part(USES)
    row = [use.use for use in page.uses.model().rows].index(Use.NNAPI)
    page.uses.selectRow(row)
    assert page.use.sheet.title == "NNAPI device: ORT format."
    card = window.studio.converting.offer_pane.card
    assert card.settings.styles == ConvertSettings().styles
    page.use_settings.click()
    assert card.settings.styles == (Style.RUNTIME,)


def test_sizes_are_fixed_in_the_offer_as_soon_as_it_asks_for_them(
    window: MainWindow, look: Look, corpus: Path, qtbot: QtBot
) -> None:
    """Beside a result nothing is offered, and so nothing was asked yet."""
    pair = [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.22.1_cnn_fixed_all.ort"]
    page = look(window, pair)
    page.uses.selectRow([use.use for use in page.uses.model().rows].index(Use.NNAPI))
    page.use_settings.click()
    card = window.studio.converting.offer_pane.card
    qtbot.waitUntil(lambda: card.settings.fixed_dims == {"N": 1})


def test_a_node_that_is_not_taken_is_revealed(window: MainWindow, page: AdvicePage) -> None:
    page.show_part(ACCELERATORS)
    names = [row.as_is.accelerator.value for row in page.accelerators.model().rows]
    page.accelerators.selectRow(names.index("CoreML MLProgram"))
    first = page.left.model().rows[0]
    assert (first.text, first.why) == ("Flatten 'flatten'", "CoreML MLProgram has no Flatten")
    page.left.selectRow(0)
    ref = window.studio.workspace.selection(0)
    document = window.studio.workspace.document(0)
    assert ref is not None
    assert document is not None
    assert ref.kind is RefKind.NODE
    assert document.graphs[0].nodes.op_types[ref.row] == "Flatten"
    assert "CoreML MLProgram has no Flatten." in page.basis.text()


def test_what_was_not_looked_at_is_listed_below(page: AdvicePage) -> None:
    page.accelerators.selectRow(0)
    rows = page.left.model().rows
    assert rows[-1].row is None
    assert rows[-1].why.startswith("Taken, if this holds: ")
    assert page.basis.text().startswith("An estimate by the checker of onnxruntime")


def test_choices_say_what_each_does(page: AdvicePage) -> None:
    page.show_part(CHOICES)
    names = [row.choice.name for row in page.effects.model().rows]
    page.effects.selectRow(names.index("level extended"))
    assert page.effect.sheet.title == "level extended"
    assert "Conv and Relu become FusedConv." in page.effect.sheet.text()
    assert not page.try_all.isVisible()


def test_a_large_model_is_tried_when_asked(
    window: MainWindow, look: Look, corpus: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ortstudio.services.advice.UNASKED_BYTES", 100)
    page = look(window, [corpus / "sources" / "cnn.onnx"])
    page.show_part(CHOICES)
    assert page.words.isVisible()
    assert "9 conversions in a temporary folder" in page.words.text()
    assert page.try_all.isVisible()
    page.try_all.click()
    assert page.cancel.isVisible()
    assert page.bar.isVisible()
    qtbot.waitUntil(lambda: window.studio.pages.advising.is_idle, timeout=PATIENCE_MS)
    assert len(page.effects.model().rows) == 9
    assert not page.cancel.isVisible()


def test_it_can_be_cancelled_and_begun_again(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "sources" / "encoder.onnx"])
    window.studio.show_page("advice")
    page = window.studio.pages.advising.page
    page.cancel.click()
    qtbot.waitUntil(lambda: window.studio.pages.advising.is_idle, timeout=PATIENCE_MS)
    assert page.words.text() == "Cancelled."
    page.try_all.click()
    qtbot.waitUntil(lambda: window.studio.pages.advising.is_idle, timeout=PATIENCE_MS)
    assert page.answer.sheet.title.startswith("Ship it in ORT format")


def test_another_model_brings_other_advice(
    window: MainWindow, page: AdvicePage, look: Look, corpus: Path
) -> None:
    look(window, [corpus / "sources" / "optional.onnx"])
    assert page.answer.sheet.title.startswith("Stay with ONNX")
    page.show_part(USES)
    model = page.uses.model()
    settings = [model.index(row, 1).data() for row in range(model.rowCount())]
    assert set(settings) == {""}
    assert not page.use_settings.isEnabled()
    page.show_part(ACCELERATORS)
    assert "optional type" in page.words.text()
    window.close_models()
    assert page.words.text().startswith("Open a model")


def test_a_file_in_ort_format_has_no_settings_to_use(
    window: MainWindow, look: Look, corpus: Path
) -> None:
    page = look(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    page.show_part(USES)
    assert page.use_settings.isHidden()
    page.show_part(CHOICES)
    assert page.words.text().startswith("Only the source")


def test_the_page_is_high_enough_to_read(window: MainWindow, page: AdvicePage) -> None:
    assert window.studio.docks["advice"].height() >= window.height() // 3
    assert [page.parts.tabText(place) for place in range(4)] == list(PARTS)


def test_a_bar_shows_its_pieces_on_any_ground(page: AdvicePage) -> None:
    outlook = page.accelerators.model().rows[2]
    assert outlook.if_fixed is not None
    picture = pieces_bar(outlook.if_fixed).pixmap(WIDTH, HEIGHT).toImage()
    middle = picture.height() // 2
    line = [picture.pixelColor(x, middle) for x in range(picture.width())]
    assert line.count(theme.current().accent) > len(line) // 2
    assert theme.current().surface in line
    index = page.accelerators.model().index(2, 3)
    assert index.data(Qt.ItemDataRole.DisplayRole) == "8 of 9, 2 pieces"


def test_it_fits_into_a_small_window(window: MainWindow, look: Look, corpus: Path) -> None:
    window.resize(480, 420)
    page = look(window, [corpus / "sources" / "qdq.onnx"])
    for place in range(len(PARTS)):
        page.show_part(place)
        QApplication.processEvents()
        assert (window.width(), window.height()) == (480, 420)
    assert cut_texts(page.use_settings) == []
