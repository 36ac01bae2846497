"""The page that measures what is open: chosen, watched, cancelled, opened again, exported."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ortstudio.services.lab.bench import CPU
from ortstudio.services.lab.modes import mode
from ortstudio.services.lab.reopening import reopen
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.saved import save
from ortstudio.services.runtimes import own
from ortstudio.services.sessions import Level
from ortstudio.ui import theme
from ortstudio.ui.lab.lab import Lab
from ortstudio.ui.lab.page import ANSWER, CHOOSE, MEASURED
from ortstudio.ui.main_window import MainWindow
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS
from tests.unit.services.lab.made import measured, result

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture
def pair(corpus: Path) -> list[Path]:
    return [corpus / "sources" / "cnn.onnx", corpus / "v6_ort1.32.0_cnn_runtime_all.ort"]


@pytest.fixture
def lab(window: MainWindow, open_in: Open, pair: list[Path]) -> Lab:
    """The page over a pair."""
    open_in(window, pair)
    window.studio.show_page("lab")
    return window.studio.pages.lab


def made(pair: list[Path]) -> Result:
    """A result with a clear winner and a way that crashed."""
    unsafe = "unsafe here: the child process crashed (SIGSEGV)"
    mapped = mode("mapped-in-place-no-prepacking")
    return result(
        measured(str(pair[0])),
        measured(str(pair[1]), 1, 12, mode=mapped),
        measured(str(pair[1]), mode=mode("bytes-in-place"), status="crashed", why=unsafe, rounds=0),
    )


def show(lab: Lab, qtbot: QtBot, found: Result, tmp_path: Path) -> None:
    save(found, tmp_path / "r.json", overwrite=True)
    with qtbot.waitSignal(lab.ended, timeout=PATIENCE_MS):
        lab.open_result(tmp_path / "r.json")


def test_it_offers_what_is_open_with_the_usual_way(lab: Lab, pair: list[Path]) -> None:
    choices = lab.page.choices
    assert choices.paths() == pair
    assert [one.name for one in choices.settings().chosen_modes] == ["path"]
    assert choices.settings().threads == (None,)


def test_more_ways_get_more_time_unless_somebody_said_how_much(lab: Lab) -> None:
    choices = lab.page.choices
    choices.every.click()
    assert (len(choices.chosen_modes()), choices.budget.value()) == (12, 600)
    choices.only_path.click()
    assert choices.budget.value() == 60
    choices.budget.setValue(90)
    choices.every.click()
    assert choices.budget.value() == 90


def test_several_levels_runtimes_and_providers_are_subjects_and_one_always_is_chosen(
    lab: Lab,
) -> None:
    choices = lab.page.choices
    other = replace(
        own(), name="other", onnxruntime="1.16.3", providers=("CoreMLExecutionProvider",)
    )
    choices.show_runtimes([own(), other], own())
    choices.levels.choose((Level.ALL, Level.DISABLE))
    choices.runtimes.choose((own(), other))
    choices.providers.choose((CPU, "CoreMLExecutionProvider"))
    choices.show_runtimes([own(), other], own())
    settings = choices.settings()
    assert settings.levels == (Level.ALL, Level.DISABLE)
    assert settings.runtimes == (own(), other)
    assert settings.providers == (CPU, "CoreMLExecutionProvider")
    choices.levels.choose(())
    assert choices.settings().levels == (Level.DISABLE,)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_click_in_the_menu_ticks_and_leaves_it_open(lab: Lab, qtbot: QtBot) -> None:
    field = lab.page.choices.levels
    menu = field.menu()
    menu.popup(field.mapToGlobal(field.rect().bottomLeft()))
    place = menu.actionGeometry(menu.actions()[4]).center()
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
    assert menu.isVisible()
    assert field.values == (Level.ALL, Level.DISABLE)
    assert field.text() == "all, disable"
    menu.close()


def test_numbers_that_are_none_are_told_and_nothing_starts(lab: Lab) -> None:
    lab.page.choices.threads.setText("many")
    lab.page.start.click()
    assert "no list of numbers" in lab.page.state.text()
    assert (lab.page.start.text(), lab.page.parts.currentIndex()) == ("Start", CHOOSE)


def test_rounds_come_in_and_a_cancel_keeps_them(lab: Lab, qtbot: QtBot) -> None:
    page = lab.page
    page.choices.files.item(1).setCheckState(Qt.CheckState.Unchecked)
    page.start.click()
    assert page.start.text() == "Cancel"
    # Not every round is shown: what has come in is looked at twice a second.
    qtbot.waitUntil(
        lambda: bool(re.match(r"Round [2-9]|Round \d\d", page.state.text())), timeout=PATIENCE_MS
    )
    assert page.plot.count() == 1
    with qtbot.waitSignal(lab.ended, timeout=PATIENCE_MS):
        page.start.click()
    assert page.start.text() == "Start"
    assert "cancelled" in page.state.text()
    assert page.plot.rows()[0].samples
    assert page.table is not None
    assert page.table.model().rowCount() == 1


def test_an_answer_names_the_best_its_cost_and_what_is_unsafe(
    lab: Lab, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    assert lab.page.parts.currentIndex() == MEASURED
    assert "100 times faster" in lab.page.words.text()
    said = lab.page.answer.sheet.text()
    assert "unsafe here: crashed (SIGSEGV)" in said
    assert "It costs 20 % more time" in said
    assert "Only 2 processors" in said
    assert f"{pair[0].name}, from a path: 10 bytes read." in said
    model = lab.page.plot.rows()
    assert [row.verdict for row in model] == ["", "faster", "unsafe here: crashed (SIGSEGV)"]


def test_another_measure_is_shown_when_it_is_chosen(
    lab: Lab, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    page = lab.page
    page.measures.setCurrentIndex(page.measures.findData("run_ns"))
    with qtbot.waitSignal(lab.ended, timeout=PATIENCE_MS):
        page.measures.activated.emit(page.measures.currentIndex())
    assert page.plot.rows()[1].verdict == "slower"
    assert len(page.plot.rows()[1].samples) == 36
    page.plot.select(1)
    assert "12.1 ms" in page.plot.accessibleDescription()


def test_the_code_of_the_best_way_is_shown(
    lab: Lab, window: MainWindow, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    lab.page.show_part(ANSWER)
    lab.page.answer.link_activated.emit(1)
    use = window.studio.pages.use
    qtbot.waitUntil(lambda: use.is_idle and use.copy.isEnabled(), timeout=PATIENCE_MS)
    code = use.code.toPlainText()
    assert 'options.add_session_config_entry("session.disable_prepacking", "1")' in code
    assert '# options.add_session_config_entry("session.disable_prepacking"' not in code
    assert use.files.currentText() == "Result"


def test_the_code_of_a_native_way_is_c_plus_plus(
    lab: Lab, window: MainWindow, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    native = measured(str(pair[1]), 1, mode=mode("c-bytes-in-place"))
    show(lab, qtbot, result(measured(str(pair[0])), native), tmp_path)
    lab.page.code_requested.emit(1)
    use = window.studio.pages.use
    qtbot.waitUntil(lambda: use.is_idle and use.copy.isEnabled(), timeout=PATIENCE_MS)
    assert use.languages.currentData() == "cpp"
    assert "session.use_ort_model_bytes_for_initializers" in use.code.toPlainText()


def test_an_earlier_result_stands_beside(
    lab: Lab, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    then = made(pair)
    then.environment = {**then.environment, "cpu": "another"}
    save(then, tmp_path / "then.json")
    with qtbot.waitSignal(lab.ended, timeout=PATIENCE_MS):
        lab.compare_with(tmp_path / "then.json")
    table = lab.page.table
    assert table is not None
    columns = range(table.model().columnCount())
    titles = [table.model().headerData(k, Qt.Orientation.Horizontal) for k in columns]
    assert titles[-2:] == ["Earlier", "Now to earlier"]
    assert "processor: another then" in lab.page.answer.sheet.text()


@pytest.mark.parametrize("kind", ["json", "csv", "html"])
def test_a_result_is_exported(
    lab: Lab, qtbot: QtBot, pair: list[Path], tmp_path: Path, kind: str
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    target = tmp_path / f"out.{kind}"
    with qtbot.waitSignal(lab.saved, timeout=PATIENCE_MS):
        lab.save(target, kind)
    if kind == "json":
        assert reopen(target).to_json() == made(pair).to_json()
    else:
        assert "cnn" in target.read_text(encoding="utf-8")


def test_what_is_no_result_is_refused_and_what_was_shown_stays(
    lab: Lab, qtbot: QtBot, pair: list[Path], tmp_path: Path
) -> None:
    show(lab, qtbot, made(pair), tmp_path)
    with qtbot.waitSignal(lab.failed, timeout=PATIENCE_MS):
        lab.open_result(pair[0])
    assert lab.page.plot.count() == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1360, 860), (620, 480)])
def test_no_text_is_cut(
    lab: Lab,
    window: MainWindow,
    qtbot: QtBot,
    qapp: QApplication,
    pair: list[Path],
    tmp_path: Path,
    size: tuple[int, int],
    scheme: theme.Scheme,
) -> None:
    theme.apply(qapp, scheme)
    show(lab, qtbot, made(pair), tmp_path)
    window.resize(*size)
    for part in (CHOOSE, MEASURED, ANSWER):
        lab.page.show_part(part)
        qapp.processEvents()
        qtbot.wait(20)
        assert cut_texts(lab.page) == []
        assert cut_texts(lab.page.tools) == []
