"""The window goes on turning while a folder of many models is opened and planned for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, current_thread, main_thread

import onnx
import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from ortstudio.services import runtimes
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.runtimes import Runtime
from ortstudio.ui import offer_pane, opening
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.opening import Opened, open_files
from tests.builders.onnx_files import FLOAT, identity, value
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
MODELS = 300
TURNS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hundreds of models."""
    made = tmp_path_factory.mktemp("models")
    content = identity(value("x", FLOAT, ["n"])).SerializeToString()
    for number in range(MODELS):
        (made / f"m{number:03}.onnx").write_bytes(content)
    onnx.checker.check_model(made / "m000.onnx")
    return made


class Turns:
    """Counts the turns of the event loop; lets other threads wait for some."""

    def __init__(self) -> None:
        self.count = 0
        self._some = Event()
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self._turn)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _turn(self) -> None:
        self.count += 1
        if self.count >= TURNS:
            self._some.set()

    def wait(self) -> bool:
        """Wait for some turns from now on; false where none come, as in the thread that turns."""
        self._some.clear()
        self.count = 0
        return self._some.wait(PATIENCE_MS / 1000)


@pytest.fixture
def turns(window: MainWindow) -> Iterator[Turns]:
    assert window.accepts_files
    made = Turns()
    yield made
    made.stop()


def test_the_loop_turns_while_a_folder_is_looked_through(
    window: MainWindow,
    open_in: Open,
    folder: Path,
    turns: Turns,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turned: list[bool] = []

    def slowly(paths: Sequence[Path]) -> Opened:
        turned.append(turns.wait())
        return open_files(paths)

    monkeypatch.setattr(opening, "open_files", slowly)
    open_in(window, [folder])
    assert turned == [True]


def test_the_loop_turns_while_a_folder_is_planned_for(
    window: MainWindow,
    open_in: Open,
    folder: Path,
    turns: Turns,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    turned: list[bool] = []

    def slowly(*arguments: object, **options: object) -> ConvertPlan:
        turned.append(turns.wait())
        return plan(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(offer_pane, "plan", slowly)
    open_in(window, [folder])
    pane = window.studio.converting.offer_pane
    qtbot.waitUntil(lambda: pane.known is not None, timeout=PATIENCE_MS)
    assert turned == [True]
    assert pane.card.plan.model.rowCount() >= MODELS


def test_the_offer_is_made_a_turn_after_what_is_open_was_shown(
    window: MainWindow, folder: Path, turns: Turns, qtbot: QtBot
) -> None:
    shown: list[int] = []
    offered: list[int] = []
    studio = window.studio
    studio.opened.connect(lambda _paths: shown.append(turns.count))
    studio.settled.connect(lambda: offered.append(turns.count))
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        window.open_paths([folder])
    assert studio.converting.offer_pane.isVisible()
    assert shown[0] < offered[0]


def test_the_offer_and_the_release_in_use_are_loaded_in_other_threads(
    window: MainWindow, open_in: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    load, own = opening._load_offer, runtimes.own

    def loading() -> None:
        threads.append(current_thread())
        load()

    def owning() -> Runtime:
        threads.append(current_thread())
        return own()

    monkeypatch.setattr(opening, "_load_offer", loading)
    monkeypatch.setattr(runtimes, "own", owning)
    open_in(window, [folder])
    loaded, found, *_ = threads
    assert main_thread() not in (loaded, found)
