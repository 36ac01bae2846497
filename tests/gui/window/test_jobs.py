"""The list of conversions: rows that live, in folders of many, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import onnx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from ortstudio.services.conversion import State
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.ui.item_views import selection_text
from ortstudio.ui.jobs_page import JobsPage
from ortstudio.ui.main_window import MainWindow
from tests.builders.onnx_files import FLOAT, identity, value
from tests.e2e.converting import tampered

PATIENCE_MS = 60_000
Open = Callable[[MainWindow, Sequence[Path]], None]
GOING_ON = ConvertSettings(keep_going=True)


def saved(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        onnx.save(identity(value("x", FLOAT, ["n"])), folder / f"{name}.onnx")
    return folder


def page_of(window: MainWindow) -> JobsPage:
    return window.studio.converting.page


def states(window: MainWindow) -> dict[str, State]:
    return {job.source.stem: job.state for job in window.studio.converting.conversions.jobs}


def convert(window: MainWindow, qtbot: QtBot, settings: ConvertSettings = GOING_ON) -> None:
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(settings)
    QApplication.processEvents()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two good models and one that the ORT format cannot hold."""
    made = saved(tmp_path / "folder", "a", "b")
    node = onnx.helper.make_node("BpeLike", ["x"], ["y"], name="bpe", domain="my.ops")
    graph = onnx.helper.make_graph([node], "g", [value("x")], [value("y")])
    imports = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("my.ops", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=imports), made / "custom.onnx")
    return made


def test_a_folder_is_summed_up_by_what_is_really_there(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [folder])
    convert(window, qtbot)
    page = page_of(window)
    assert states(window) == {"a": State.DONE, "b": State.DONE, "custom": State.REFUSED}
    assert page.summary.text() == (
        "2 of 3 models converted, 1 refused; the operator config covers 2 of 3 models"
    )
    assert page.tools.isVisible()
    assert page.isVisible()
    assert (folder / "required_operators.config").is_file()


def test_rows_can_be_filtered_sorted_and_copied(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [folder])
    convert(window, qtbot)
    page = page_of(window)
    page.filter.setText("refused bpelike")
    assert page.model.rowCount() == 1
    page.table.selectRow(0)
    assert selection_text(page.table).startswith("refused\tcustom.onnx\t")
    page.filter.clear()
    page.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert page.model.row(page.model.index(0, 0)).source.stem == "custom"


def test_a_double_click_opens_the_pair(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [folder])
    convert(window, qtbot)
    page = page_of(window)
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        page.table.activated.emit(page.model.index(1, 0))
    documents = [window.studio.workspace.document(side) for side in (0, 1)]
    assert [document and document.path.name for document in documents] == ["b.onnx", "b.ort"]
    assert window.studio.docks["contents"].isVisible()


def test_details_say_all_of_one_row(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [folder])
    convert(window, qtbot)
    page, offer = page_of(window), window.studio.converting.offer_pane
    assert not page.details.isEnabled()
    page.table.selectRow(0)
    page.details.click()
    labels = [label.text() for label in offer.findChildren(QLabel) if label.isVisible()]
    purpose = "For the CPU: all optimizations of the level are applied."
    assert {"Converted", "a.onnx", "a.ort", purpose} < set(labels)
    assert any("all equal" in text for text in labels)
    page.table.selectRow(2)
    page.details.click()
    labels = [label.text() for label in offer.findChildren(QLabel) if label.isVisible()]
    hint = "Give the library that brings it under The graph."
    assert {"Not converted", "custom.onnx", hint} < set(labels)


def test_one_source_is_cancelled_and_the_others_go_on(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    conversions = window.studio.converting.conversions
    conversions.make_child = tampered
    open_in(window, [saved(tmp_path / "folder", "a", "b", "hang")])
    page = page_of(window)
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(GOING_ON)
        qtbot.waitUntil(lambda: states(window).get("b") is State.DONE, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: states(window).get("a") is State.DONE, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: len(page.model.rows) == 3)
        page.table.selectRow(2)
        assert page.cancel.isEnabled()
        page.cancel.click()
    assert states(window) == {"a": State.DONE, "b": State.DONE, "hang": State.CANCELLED}
    assert window.studio.converting.offer_pane.shows_outcome


def test_what_was_cancelled_is_taken_up_again_in_the_same_rows(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    conversions = window.studio.converting.conversions
    conversions.make_child = tampered
    folder = saved(tmp_path / "folder", "a", "b", "hang")
    open_in(window, [folder])
    page = page_of(window)
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(GOING_ON)
        qtbot.waitUntil(lambda: states(window).get("b") is State.DONE, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: states(window).get("a") is State.DONE, timeout=PATIENCE_MS)
        page.cancel_all.click()
    assert states(window)["hang"] is State.CANCELLED
    made = (folder / "a.ort").stat().st_mtime_ns
    conversions.make_child = type(conversions)(conversions).make_child
    qtbot.waitUntil(page.resume.isVisible)
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        page.resume.click()
    assert states(window) == {"a": State.SKIPPED, "b": State.SKIPPED, "hang": State.DONE}
    assert len(conversions.jobs) == 3
    assert (folder / "a.ort").stat().st_mtime_ns == made
    assert (folder / "hang.ort").is_file()


def test_rows_keep_their_place_and_their_selection_while_they_change(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    names = [f"m{number:02}" for number in range(30)]
    open_in(window, [saved(tmp_path / "folder", *names)])
    page = page_of(window)
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(keep_going=True, verify=False))
        qtbot.waitUntil(lambda: page.model.rowCount() == 30, timeout=PATIENCE_MS)
        page.table.selectRow(20)
        page.table.scrollTo(page.model.index(20, 0))
    QApplication.processEvents()
    assert [job.source.stem for job in page.chosen] == ["m20"]
    place = page.table.visualRect(page.model.index(20, 0))
    assert page.table.viewport().rect().contains(place.center())
    assert page.summary.text().startswith("30 of 30 models converted")
