"""Opening: one model, a pair, what is no model, and files that change underneath."""

from __future__ import annotations

import gc
import json
import os
import shutil
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ortstudio.model.model import FileKind
from ortstudio.model.refs import Ref, RefKind
from ortstudio.services.document import Document, open_document
from ortstudio.ui import opening
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.tensor_view import TensorView
from tests.gui.cuts import cut_texts
from tests.gui.drops import Drag

PATIENCE_MS = 60_000
Open = Callable[[MainWindow, Sequence[Path]], None]


def test_an_empty_window_shows_what_can_be_done(window: MainWindow) -> None:
    assert window.centralWidget().currentWidget() is window.empty  # type: ignore[union-attr]
    assert not window.actions_.convert.isEnabled()
    assert window.actions_.open.isEnabled()


def test_one_ort_is_shown_alone(window: MainWindow, open_in: Open, corpus: Path) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
    studio = window.studio
    assert studio.workspace.open_sides == (0,)
    assert len(studio.pair.panes) == 1
    pictured = studio.pair.panes[0].pictured
    assert pictured is not None
    assert len(pictured.scene) == 9 + 1 + 1
    assert "v6_ort1.32.0_cnn_runtime_all.ort" in window.windowTitle()
    assert studio.converting.offer_pane.isHidden()


def test_an_onnx_is_shown_beside_the_offer_to_convert(
    window: MainWindow, open_in: Open, source: Path
) -> None:
    open_in(window, [source])
    assert not window.studio.converting.offer_pane.isHidden()
    assert window.actions_.convert.isEnabled()
    assert window.studio.convertible == (source,)


def test_two_files_open_side_by_side_with_the_source_first(
    window: MainWindow, open_in: Open, corpus: Path
) -> None:
    result, source = corpus / "v6_ort1.32.0_cnn_runtime_all.ort", corpus / "sources" / "cnn.onnx"
    open_in(window, [result, source])
    documents = [window.studio.workspace.document(side) for side in (0, 1)]
    kinds = [document.model.kind for document in documents if document is not None]
    assert kinds == [FileKind.ONNX, FileKind.ORT]
    assert all(pane.pictured is not None for pane in window.studio.pair.panes)


def test_a_dropped_file_opens(window: MainWindow, qtbot: QtBot, corpus: Path) -> None:
    drag = Drag(window, [corpus / "v5_ort1.14.1_meta_fixed_disable.ort"])
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        assert drag.enter()
        assert drag.drop()
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.path.name == "v5_ort1.14.1_meta_fixed_disable.ort"


def test_a_file_that_is_no_model_leaves_what_is_open(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path
) -> None:
    open_in(window, [corpus / "v6_ort1.32.0_deep_fixed_basic.ort"])
    page = tmp_path / "page.ort"
    page.write_text("<!DOCTYPE html><html><body>Not found</body></html>")
    open_in(window, [page])
    assert window.last_error is not None
    assert "page" in str(window.last_error)
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.path.name == "v6_ort1.32.0_deep_fixed_basic.ort"


def test_of_two_files_the_one_that_opens_is_shown_and_the_other_is_said(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.ort"
    page.write_text("<!DOCTYPE html><html><body>Not found</body></html>")
    open_in(window, [corpus / "sources" / "cnn.onnx", page])
    assert window.last_error is not None
    assert "web page" in window.last_error.message
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.path.name == "cnn.onnx"


def test_a_missing_file_is_said(window: MainWindow, open_in: Open, tmp_path: Path) -> None:
    open_in(window, [tmp_path / "absent.ort"])
    assert window.last_error is not None
    assert "absent.ort" in str(window.last_error)


def test_a_folder_without_models_is_said(window: MainWindow, open_in: Open, tmp_path: Path) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    open_in(window, [folder])
    assert window.last_error is not None
    assert "nothing" in str(window.last_error)


def test_the_window_survives_a_file_that_is_cut_and_overwritten_while_open(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = Path(shutil.copy(corpus / "v6_ort1.32.0_cnn_runtime_all.ort", tmp_path))
    open_in(window, [path])
    os.truncate(path, 100)
    tree = window.studio.navigator.tree
    tree.expandAll()
    qtbot.wait(50)
    path.write_bytes(b"\0" * 500)
    for pane in window.studio.pair.panes:
        pane.canvas.actual_size()
        pane.canvas.fit()
    qtbot.wait(50)
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.model.source.changed
    open_in(window, [path])
    assert window.last_error is not None


def test_nothing_is_kept_of_what_was_closed(
    window: MainWindow, open_in: Open, corpus: Path, qtbot: QtBot
) -> None:
    kept: list[weakref.ref[object]] = []
    for _ in range(2):
        open_in(window, [corpus / "sources/cnn.onnx", corpus / "v6_ort1.32.0_cnn_runtime_all.ort"])
        studio = window.studio
        documents = filter(None, (studio.workspace.document(side) for side in (0, 1)))
        kept += [weakref.ref(held) for held in (*documents, *studio.pair.panes)]
        window.studio.workspace.select(0, Ref(RefKind.INITIALIZER, 0, 0))
        qtbot.waitUntil(lambda: bool(window.studio.inspector.findChildren(TensorView)))
        window.close_models()

    def all_gone() -> bool:
        gc.collect()
        return not any(ref() for ref in kept)

    qtbot.waitUntil(all_gone)


def test_what_was_open_is_remembered(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path
) -> None:
    pair = [corpus / "sources" / "mlp.onnx", corpus / "v6_ort1.16.0_mlp_fixed_disable.ort"]
    open_in(window, pair)
    stored = json.loads((tmp_path / "config" / "settings.json").read_text("utf-8"))
    assert stored["recent"] == [[str(path.absolute()) for path in pair]]
    window.close_models()
    assert window.recent() == stored["recent"]


@pytest.mark.parametrize(
    "name", ["v1_ort1.5.1_mlp_fixed_extended.ort", "v2_ort1.6.0_sparse_fixed_disable.ort"]
)
def test_old_files_open(window: MainWindow, open_in: Open, corpus: Path, name: str) -> None:
    open_in(window, [corpus / name])
    assert window.last_error is None
    assert window.studio.pair.panes[0].pictured is not None


def test_panels_come_with_the_first_model(window: MainWindow, open_in: Open, corpus: Path) -> None:
    window.open_paths([corpus / "sources" / "cnn.onnx"])
    assert not any(dock.isVisible() for dock in window.studio.docks.values())
    open_in(window, [corpus / "sources" / "cnn.onnx"])
    visible = [name for name, dock in window.studio.docks.items() if dock.isVisible()]
    assert visible == ["contents", "inspector"]
    assert window.studio.docks["contents"].width() > 200


def test_what_takes_long_to_open_can_be_cancelled(
    window: MainWindow,
    open_in: Open,
    corpus: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_in(window, [corpus / "sources" / "mlp.onnx"])
    gate = threading.Event()

    def slow(path: str | Path) -> Document:
        gate.wait(30)
        return open_document(path)

    monkeypatch.setattr(opening, "open_document", slow)
    window.open_paths([corpus / "sources" / "cnn.onnx"])
    assert not window.busy.isVisible()
    qtbot.waitUntil(window.busy.isVisible)
    assert window.busy.words.text() == "Opening cnn.onnx…"
    assert not cut_texts(window.statusBar())
    with qtbot.waitSignal(window.settled):
        qtbot.mouseClick(window.busy.cancel, Qt.MouseButton.LeftButton)
    gate.set()
    assert not window.busy.isVisible()
    qtbot.wait(100)
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.path.name == "mlp.onnx"
    assert window.studio.is_settled


def test_closing_while_something_opens_leaves_nothing_waiting(
    window: MainWindow, corpus: Path, open_in: Open
) -> None:
    window.open_paths([corpus / "sources" / "cnn.onnx"])
    window.close_models()
    assert window.studio.is_settled
    assert not window.studio.workspace.open_sides
    open_in(window, [corpus / "sources" / "mlp.onnx"])
    assert window.studio.workspace.open_sides == (0,)
