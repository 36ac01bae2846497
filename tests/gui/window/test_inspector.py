"""The panel at the right: what it says of what is selected, and that nothing waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ortstudio.errors import StudioError
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services import describe
from ortstudio.services.describe.facts import Section
from ortstudio.services.document import Document
from ortstudio.ui.inspector import Inspector
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.tensor_view import TensorView

Open = Callable[[MainWindow, Sequence[Path]], None]


@pytest.fixture
def inspector(window: MainWindow, open_in: Open, corpus: Path) -> Inspector:
    """Beside a result with saved optimizations."""
    open_in(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    return window.studio.inspector


def test_the_documentation_follows_what_the_file_says(
    window: MainWindow, inspector: Inspector, qtbot: QtBot
) -> None:
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 0))
    qtbot.waitUntil(lambda: "Documentation" in titles(inspector))
    shown = titles(inspector)
    assert shown[0] == "Node"
    assert shown[-4:] == ["Documentation", "Formal inputs", "Formal outputs", "Formal attributes"]
    assert inspector.view.sheet.title == "conv1"
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 3))
    qtbot.waitUntil(lambda: inspector.view.sheet.title == "conv2")
    assert titles(inspector).count("Documentation") == 1


def titles(inspector: Inspector) -> list[str]:
    return [section.title for section in inspector.view.sheet.sections]


def test_a_sheet_is_put_together_in_another_thread(
    window: MainWindow, inspector: Inspector, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    original = describe.describe

    def noted(document: Document, ref: Ref) -> tuple[Section, ...]:
        threads.append(threading.current_thread())
        return original(document, ref)

    monkeypatch.setattr(describe, "describe", noted)
    for row in range(3):
        window.studio.workspace.select(0, Ref(RefKind.NODE, 0, row))
    qtbot.waitUntil(lambda: inspector.view.sheet.title == "pool1")
    assert threads
    assert threading.main_thread() not in threads


def test_what_cannot_be_described_is_said(
    window: MainWindow, inspector: Inspector, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_document: Document, _ref: Ref) -> tuple[Section, ...]:
        raise StudioError("The file has changed")

    monkeypatch.setattr(describe, "describe", refuse)
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 1))
    qtbot.waitUntil(lambda: "The file has changed" in inspector.view.sheet.text())


def test_a_sparse_initializer_shows_both_its_parts(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_sparse_init_fixed_disable.ort"])
    window.studio.workspace.select(0, Ref(RefKind.SPARSE_INITIALIZER, 0, 0))
    inspector = window.studio.inspector
    qtbot.waitUntil(lambda: len(inspector.findChildren(TensorView)) == 2)
    assert titles(inspector)[-2:] == ["Stored values", "Stored indices"]


def test_nothing_selected_is_said(window: MainWindow, inspector: Inspector, qtbot: QtBot) -> None:
    window.studio.workspace.select(0, None)
    qtbot.waitUntil(lambda: inspector.view.sheet.title == "Nothing selected")


def test_a_link_leads_on_from_the_keyboard(
    window: MainWindow, inspector: Inspector, qtbot: QtBot
) -> None:
    window.activateWindow()
    window.studio.workspace.select(0, Ref(RefKind.NODE, 0, 0))
    qtbot.waitUntil(lambda: "Documentation" in titles(inspector))
    inspector.view.setFocus()
    selection: Ref | None = None
    for _ in range(12):
        focused = window.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
        selection = window.studio.workspace.selection(0)
        if selection is not None and selection.kind is not RefKind.NODE:
            break
    assert selection is not None
    assert selection.kind in (RefKind.GRAPH, RefKind.VALUE)
