"""A real window over real files, driven as a person would."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ortstudio.services.samples import sample
from ortstudio.ui.main_window import MainWindow

PATIENCE_MS = 60_000


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """A window of its own settings, which keeps errors instead of showing them."""
    made = MainWindow(tmp_path / "config" / "settings.json")
    made.ask_nobody()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: made.accepts_files)
    yield made
    made.close_models()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The sample's source, in a folder that can be written to."""
    return Path(shutil.copy(sample().source, tmp_path))


@pytest.fixture
def open_in(qtbot: QtBot) -> Callable[[MainWindow, Sequence[Path]], None]:
    """Opens files and waits until all is painted."""

    def act(window: MainWindow, paths: Sequence[Path]) -> None:
        with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
            window.open_paths(paths)

    return act
