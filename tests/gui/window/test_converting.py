"""Converting in the window: the offer, the result beside its source, failures, crashes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from ortstudio.analysis.words import size_text
from ortstudio.services.conversion import State
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.sessions import Level, Style
from ortstudio.services.settings import load
from ortstudio.ui.main_window import MainWindow
from tests.e2e.converting import tampered

PATIENCE_MS = 60_000
Open = Callable[[MainWindow, Sequence[Path]], None]


def test_a_converted_model_stands_beside_its_source_and_agrees(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(level=Level.BASIC))
    result = source.with_name("keyword_spotting.basic.ort")
    assert result.is_file()
    document = window.studio.workspace.document(1)
    assert document is not None
    assert document.path == result
    chips = {chip.text for chip in window.studio.verdicts.chips()}
    assert {"ORT v6", "portable", "outputs agree"} <= chips
    assert sorted(path.name for path in source.parent.glob("keyword*")) == [
        "keyword_spotting.basic.ort",
        "keyword_spotting.onnx",
        "keyword_spotting.required_operators.basic.config",
    ]


def test_what_came_of_it_is_said_with_the_way_to_the_file(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    open_in(window, [source])
    notice = window.studio.pair.notice
    assert not notice.isVisible()
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
    result = source.with_suffix(".ort")
    said = notice.words.text()
    assert notice.isVisible()
    assert said.startswith(f"Converted to {result.name}, {size_text(result.stat().st_size)},")
    assert "Not verified" in said
    assert "outputs not compared" in [chip.text for chip in window.studio.verdicts.chips()]
    notice.copy_path.click()
    assert qapp.clipboard().text() == str(result)
    open_in(window, [result])
    assert not notice.isVisible()


def test_a_result_does_not_take_the_place_of_what_was_opened_meanwhile(
    window: MainWindow, open_in: Open, source: Path, corpus: Path, qtbot: QtBot
) -> None:
    other = corpus / "sources" / "cnn.onnx"
    open_in(window, [source])
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
        window.open_paths([other])
    assert source.with_suffix(".ort").is_file()
    qtbot.waitUntil(lambda: window.studio.is_settled)
    document = window.studio.workspace.document(0)
    assert document is not None
    assert document.path == other
    assert window.studio.docks["jobs"].isVisible()
    assert window.studio.converting.conversions.jobs[-1].state is State.DONE
    assert "Convert to ORT" in words_of(window)
    qtbot.waitUntil(lambda: "cnn.ort" in words_of(window))


@pytest.fixture
def unregistered(tmp_path: Path) -> Path:
    """A model whose one operator nobody knows."""
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    node = helper.make_node("BpeLike", ["x"], ["y"], name="bpe", domain="my.ops")
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)]
    graph = helper.make_graph([node], "g", [value], [out])
    path = tmp_path / "bpe.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)
    return path


def test_a_failure_gives_its_reason_and_leaves_no_file(
    window: MainWindow, open_in: Open, unregistered: Path, qtbot: QtBot
) -> None:
    open_in(window, [unregistered])
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings())
    job = window.studio.converting.conversions.jobs[-1]
    assert job.state is State.REFUSED
    assert "BpeLike" in job.text
    assert window.studio.converting.offer_pane.shows_outcome
    assert [path.name for path in unregistered.parent.iterdir() if path.is_file()] == ["bpe.onnx"]


def test_a_crash_of_the_child_leaves_the_window_standing_and_is_said(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    doomed = source.rename(source.with_name("crash.onnx"))
    window.studio.converting.conversions.make_child = tampered
    open_in(window, [doomed])
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings())
    job = window.studio.converting.conversions.jobs[-1]
    assert window.isVisible()
    assert job.state is State.FAILED
    assert "crash" in job.text
    assert window.studio.converting.offer_pane.shows_outcome
    assert [path.name for path in doomed.parent.iterdir() if path.is_file()] == ["crash.onnx"]


def test_cancelling_leaves_nothing_and_the_offer_stands_again(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings())
        window.studio.converting.conversions.cancel()
    assert window.studio.converting.conversions.jobs[-1].state is State.CANCELLED
    assert sorted(path.name for path in source.parent.iterdir() if path.is_file()) == [source.name]


def words_of(window: MainWindow) -> list[str]:
    """What stands where the result would."""
    labels = window.studio.converting.offer_pane.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


def test_a_run_of_several_says_how_many_and_which_failed(
    window: MainWindow, open_in: Open, source: Path, unregistered: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    copies = [Path(shutil.copy(source, source.with_name(f"{n}.onnx"))) for n in ("a", "b")]
    statuses: list[str] = []
    window.studio.status.connect(statuses.append)
    open_in(window, [*copies, unregistered])
    assert statuses[-1] == ""
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
    assert window.studio.converting.offer_pane.shows_outcome
    words = words_of(window)
    assert words[0] == "2 of 3 models converted"
    assert words[1].startswith("bpe.onnx: The operator BpeLike")
    assert window.studio.docks["jobs"].isVisible()


def test_the_keyboard_goes_along_with_a_conversion(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot
) -> None:
    window.activateWindow()
    open_in(window, [source])
    window.offer()
    convert = window.focusWidget()
    assert isinstance(convert, QPushButton)
    assert convert.text() == "Convert"
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        qtbot.keyClick(convert, Qt.Key.Key_Space)
        cancel = window.focusWidget()
        assert isinstance(cancel, QPushButton)
        assert cancel.text() == "Cancel"
    assert window.focusWidget() is window.studio.pair.panes[0].canvas


def test_nothing_of_the_offer_or_the_list_stands_in_a_window_of_its_own(
    window: MainWindow, open_in: Open, source: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    shown: list[QWidget] = []
    watcher = _Watcher(shown)
    qapp.installEventFilter(watcher)
    open_in(window, [source])
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings(verify=False))
    window.studio.show_page("jobs")
    qapp.processEvents()
    qapp.removeEventFilter(watcher)
    assert shown == []


class _Watcher(QObject):
    """Notes what is shown as a window."""

    def __init__(self, shown: list[QWidget]) -> None:
        super().__init__()
        self._shown = shown

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt calls it
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self._shown.append(watched)
        return False


def test_several_dropped_models_are_offered_together(
    window: MainWindow, open_in: Open, corpus: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    names = ("cnn", "mlp", "meta")
    for name in names:
        (tmp_path / f"{name}.onnx").write_bytes((corpus / "sources" / f"{name}.onnx").read_bytes())
    open_in(window, [tmp_path / f"{name}.onnx" for name in names])
    assert len(window.studio.convertible) == 3
    with qtbot.waitSignal(window.stopped, timeout=PATIENCE_MS):
        window.studio.converting.start(ConvertSettings())
    assert [job.state for job in window.studio.converting.conversions.jobs] == [State.DONE] * 3
    words = words_of(window)
    assert "3 of 3 models converted" in words
    assert all((tmp_path / f"{name}.ort").is_file() for name in names)


def test_level_and_style_are_remembered(
    window: MainWindow, open_in: Open, source: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [source])
    settings = ConvertSettings(level=Level.EXTENDED, styles=(Style.RUNTIME,))
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        window.studio.converting.start(settings)
    stored = load(tmp_path / "config" / "settings.json")
    assert (stored.level, stored.style) == ("extended", "runtime")
    other = MainWindow(tmp_path / "config" / "settings.json")
    qtbot.addWidget(other)
    assert other.studio.offering.choices == ("extended", "runtime")
