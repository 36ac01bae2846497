"""The box that explains what a runtime said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from ortstudio.errors import Where
from ortstudio.model.refs import RefKind
from ortstudio.services.runtime_words import refusal
from ortstudio.ui import messages
from ortstudio.ui.explain.dialog import ExplainDialog
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.facts import Fact, Link
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
MODERN = "v6_ort1.18.1_modern_fixed_disable.ort"
NO_KERNEL = "Could not find an implementation for Gelu(20) node with name 'gelu'"
TOO_NEW = "The ORT format model version [6] is not supported in this build 1.15.1."


def box(window: MainWindow) -> ExplainDialog:
    window.actions_.explain.trigger()
    found = window.findChild(ExplainDialog)
    assert found is not None
    return found


def explained(made: ExplainDialog, qtbot: QtBot, said: str) -> str:
    with qtbot.waitSignal(made.ended, timeout=PATIENCE_MS):
        made.said.setPlainText(said)
    return made.facts.sheet.text()


def test_without_a_file_it_says_what_it_means_and_what_to_do(
    window: MainWindow, qtbot: QtBot
) -> None:
    made = box(window)
    assert not made.copy.isEnabled()
    text = explained(made, qtbot, TOO_NEW)
    assert made.facts.sheet.title == "ONNX Runtime 1.15.1 does not read ORT format version 6."
    assert "Ship a newer runtime" in text
    made.copy.click()
    assert QApplication.clipboard().text() == f"{TOO_NEW}\n\n{text}\n"


def test_of_an_open_file_it_leads_to_the_nodes(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / MODERN])
    made = box(window)
    text = explained(made, qtbot, NO_KERNEL)
    assert "The file has 1 Gelu node." in text
    assert "It loads on 1.18.0 and newer." in text
    rows = [r for s in made.facts.sheet.sections for r in s.rows if isinstance(r, Fact)]
    (link,) = [run for run in rows[0].runs() if isinstance(run, Link)]
    made.facts.link_activated.emit(link.target)
    ref, document = window.studio.workspace.selection(0), window.studio.workspace.document(0)
    assert ref is not None
    assert document is not None
    assert ref.kind is RefKind.NODE
    assert document.graphs[0].nodes.op_types[ref.row] == "Gelu"


def test_of_a_pair_each_file_is_told_of(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "sources" / "modern.onnx", corpus / MODERN])
    made = box(window)
    explained(made, qtbot, NO_KERNEL)
    titles = [section.title for section in made.facts.sheet.sections]
    assert titles == ["modern.onnx", MODERN, "What to do"]


def test_what_is_opened_later_is_told_of_as_well(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    made = box(window)
    explained(made, qtbot, NO_KERNEL)
    open_in(window, [corpus / MODERN])
    qtbot.waitUntil(lambda: MODERN in made.facts.sheet.text(), timeout=PATIENCE_MS)
    window.close_models()
    qtbot.waitUntil(lambda: MODERN not in made.facts.sheet.text(), timeout=PATIENCE_MS)


def test_what_is_not_known_is_said_to_be_so(window: MainWindow, qtbot: QtBot) -> None:
    made = box(window)
    explained(made, qtbot, "The weather is <b>fine</b>")
    assert made.facts.sheet.title == "Not recognized: The weather is <b>fine</b>."
    made.said.clear()
    qtbot.waitUntil(made.words.isVisible, timeout=PATIENCE_MS)
    assert not made.copy.isEnabled()


def test_the_clipboard_is_pasted_and_there_is_one_box(window: MainWindow, qtbot: QtBot) -> None:
    made = box(window)
    QApplication.clipboard().setText(TOO_NEW)
    with qtbot.waitSignal(made.ended, timeout=PATIENCE_MS):
        made.paste.click()
    assert made.said.toPlainText() == TOO_NEW
    made.close_.click()
    assert not made.isVisible()
    assert box(window) is made
    assert made.isVisible()


def test_an_error_of_the_runtime_offers_to_explain_its_own_words(window: MainWindow) -> None:
    messages.show_error(window, refusal(TOO_NEW, Where("m.ort")), window.explain)
    shown = window.findChild(QMessageBox, "error")
    assert shown is not None
    assert shown.detailedText() == TOO_NEW
    (button,) = [b for b in shown.findChildren(QPushButton) if b.text() == "Explain…"]
    button.click()
    made = window.findChild(ExplainDialog)
    assert made is not None
    assert made.said.toPlainText() == TOO_NEW


@pytest.mark.parametrize("size", [(320, 300), (640, 480), (1200, 900)])
def test_it_fits(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot, size: tuple[int, int]
) -> None:
    open_in(window, [corpus / MODERN])
    made = box(window)
    explained(made, qtbot, NO_KERNEL)
    made.resize(*size)
    QApplication.processEvents()
    assert (made.width(), made.height()) == size
    assert cut_texts(made) == []
