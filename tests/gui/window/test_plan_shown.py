"""Before anything runs the offer shows what will be written, replaced, skipped and refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import onnx
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ortstudio.services.sessions import Style
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.offer_pane import OfferPane
from tests.builders.onnx_files import FLOAT, identity, value
from tests.gui.window.test_converting import unregistered  # noqa: F401 - a fixture

PATIENCE_MS = 60_000
Open = Callable[[MainWindow, Sequence[Path]], None]


def offered(window: MainWindow, open_in: Open, qtbot: QtBot, *paths: Path) -> OfferPane:
    """Open what is to be converted and wait until it is known what would happen."""
    open_in(window, paths)
    pane = window.studio.converting.offer_pane
    wait_for_plan(pane, qtbot)
    return pane


def wait_for_plan(pane: OfferPane, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: pane.known is not None, timeout=PATIENCE_MS)


def words_of(pane: OfferPane) -> list[str]:
    return [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]


def lines(pane: OfferPane) -> list[tuple[str, str]]:
    return [
        (line.kind, line.target.name if line.target else line.words)
        for line in pane.card.plan.lines
    ]


def test_every_file_is_named_with_what_it_is_for(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    pane = offered(window, open_in, qtbot, source)
    pane.card.first.style_.choose((Style.FIXED, Style.RUNTIME))
    pane.card.result.content.onnx.turn(True)
    qtbot.waitUntil(lambda: len(pane.card.plan.lines) == 6)
    assert "6 files to write" in words_of(pane)
    assert lines(pane) == [
        ("write", "keyword_spotting.ort"),
        ("write", "keyword_spotting.optimized.onnx"),
        ("write", "keyword_spotting.required_operators.config"),
        ("write", "keyword_spotting.with_runtime_opt.ort"),
        ("write", "keyword_spotting.with_runtime_opt.optimized.onnx"),
        ("write", "keyword_spotting.required_operators.with_runtime_opt.config"),
    ]
    assert all(line.words.endswith(".") for line in pane.card.plan.lines)
    assert pane.convert.isEnabled()


def test_what_is_there_is_only_replaced_when_that_is_asked_for(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    source.with_suffix(".ort").write_bytes(b"older")
    other = source.rename(source.with_name("m.onnx"))
    (source.parent / "m.ort").write_bytes(b"older")
    pane = offered(window, open_in, qtbot, other)
    assert lines(pane)[1:] == [("note", "m.ort")]
    assert not pane.convert.isEnabled()
    assert "The result exists already." in words_of(pane)
    pane.card.replace_.turn(True)
    qtbot.waitUntil(pane.convert.isEnabled)
    assert lines(pane) == [("replace", "m.ort"), ("write", "m.required_operators.config")]
    assert "2 files to write, 1 of them replaced" in words_of(pane)


def test_a_model_that_cannot_be_converted_says_why_beside_the_button(
    window: MainWindow,
    open_in: Open,
    unregistered: Path,  # noqa: F811
    qtbot: QtBot,
) -> None:
    pane = offered(window, open_in, qtbot, unregistered)
    assert not pane.convert.isEnabled()
    (why,) = [text for text in words_of(pane) if text.startswith("The operator BpeLike")][-1:]
    assert why.endswith("custom operator library.")
    (line,) = pane.card.plan.lines
    assert "Give the library that brings it under The graph." in line.words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models, one of them broken, what a run left, and something else."""
    made = tmp_path / "folder"
    (made / "within").mkdir(parents=True)
    onnx.save(identity(value("x", FLOAT, ["n"])), made / "within" / "good.onnx")
    (made / "broken.onnx").write_bytes(b"nothing")
    (made / "old.optimized.onnx").write_bytes(b"\x08\x08")
    (made / "notes.txt").write_text("nothing")
    onnx.save(identity(value("x", FLOAT, ["n"])), made / "other.onnx")
    return made


def test_a_folder_is_a_table_of_what_becomes_of_every_file(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    pane = offered(window, open_in, qtbot, folder)
    assert "Convert 3 models" in words_of(pane)
    assert "3 files to write, 2 files skipped, 1 model refused" in words_of(pane)
    kinds = sorted(kind for kind, _ in lines(pane))
    assert kinds == ["refuse", "skip", "skip", "write", "write", "write"]
    assert pane.card.plan.table.isVisible()
    assert pane.card.plan.model.rowCount() == 6
    assert pane.convert.isEnabled()


def test_a_folder_without_any_model_that_converts_cannot_be_converted(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    for model in (folder / "other.ort", folder / "within" / "good.ort"):
        model.write_bytes(b"older")
    pane = offered(window, open_in, qtbot, folder)
    assert not pane.convert.isEnabled()
    assert "Every model is refused: the list says why." in words_of(pane)
    pane.card.replace_.turn(True)
    qtbot.waitUntil(pane.convert.isEnabled)


def test_convert_waits_for_the_plan_and_then_runs_it(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    pane = offered(window, open_in, qtbot, source)
    pane.card.first.style_.choose((Style.RUNTIME,))
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        pane.convert.click()
        assert "Looking at what will happen" in words_of(pane)
    assert source.with_name("keyword_spotting.with_runtime_opt.ort").is_file()
    assert not source.with_suffix(".ort").exists()


def test_cancelling_while_the_plan_is_made_runs_nothing(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    pane = offered(window, open_in, qtbot, source)
    pane.card.first.style_.choose((Style.RUNTIME,))
    pane.convert.click()
    pane.running.cancel.click()
    wait_for_plan(pane, qtbot)
    assert pane.convert.isVisible()
    assert window.studio.converting.conversions.jobs == []
