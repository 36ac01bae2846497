"""The runtime in use in the last line, and the dialog that changes which ones are at hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import onnxruntime
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from ortstudio.services import runtimes
from ortstudio.services.runtimes import Kind, Places
from ortstudio.ui import theme
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.runtimes.chooser import Chooser
from ortstudio.ui.runtimes.choosing import Choosing
from ortstudio.ui.runtimes.dialog import RuntimesDialog
from tests.builders.environments import environment
from tests.builders.wheels import fitting_release, write_runtime_wheels
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

RELEASE = fitting_release()
Open = Callable[[MainWindow, Sequence[Path]], None]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="environments are imitated by links"
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "runtimes.json", tmp_path / "runtimes")


@pytest.fixture(autouse=True)
def nothing_else_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_EXE", "PYENV_ROOT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def dialog(qtbot: QtBot, places: Places) -> Iterator[RuntimesDialog]:
    choosing = Choosing(places)
    made = RuntimesDialog(choosing)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.model.rows), timeout=PATIENCE_MS)
    yield made
    choosing.deleteLater()


def names(dialog: RuntimesDialog) -> list[str]:
    return [runtime.name for runtime in dialog.model.rows]


def idle(qtbot: QtBot, dialog: RuntimesDialog) -> None:
    qtbot.waitUntil(lambda: not dialog.cancel.isVisible(), timeout=PATIENCE_MS)


def select(dialog: RuntimesDialog, name: str) -> None:
    (found,) = [one for one in dialog.model.rows if one.name == name]
    dialog.table.selectRow(dialog.model.find(found).row())


def test_the_release_in_use_stands_in_the_last_line(
    window: MainWindow, open_in: Open, source: Path
) -> None:
    open_in(window, [source])
    chooser = window.findChild(Chooser)
    assert chooser is not None
    words = f"onnxruntime {onnxruntime.__version__}"
    assert chooser.text() == words
    chooser.menu().aboutToShow.emit()
    assert f"Models run with {words} (own)" in chooser.toolTip()
    first, *_, last = chooser.menu().actions()
    assert (first.text(), first.isChecked()) == (f"{words} (own)", True)
    last.trigger()
    dialog = window.findChild(RuntimesDialog)
    assert dialog is not None
    dialog.reject()


def test_what_is_chosen_runs_models_from_then_on(
    window: MainWindow, open_in: Open, source: Path, tmp_path: Path
) -> None:
    python = environment(tmp_path / "old", "1.7.0")
    runtimes.add(str(python))
    open_in(window, [source])
    chooser = window.findChild(Chooser)
    assert chooser is not None
    chooser.menu().aboutToShow.emit()
    chooser.menu().actions()[1].trigger()
    assert chooser.text() == "onnxruntime 1.7.0"
    assert "writes format version 3" in chooser.toolTip()
    for make_child in (window.studio.make_child, window.studio.converting.conversions.make_child):
        with make_child() as child:
            assert child.ask("probe", {}).value["onnxruntime"] == "1.7.0"


def test_it_lists_what_is_at_hand_and_looks_for_more(
    dialog: RuntimesDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    assert names(dialog) == ["own"]
    environment(tmp_path / ".venv", "1.16.3")
    dialog.look.click()
    assert not dialog.look.isEnabled()
    idle(qtbot, dialog)
    qtbot.waitUntil(lambda: names(dialog) == ["own", "1.16.3"], timeout=PATIENCE_MS)
    select(dialog, "own")
    assert not dialog.remove.isEnabled()
    select(dialog, "1.16.3")
    assert dialog.use.isEnabled()
    dialog.use.click()
    assert not dialog.use.isEnabled()


def test_an_interpreter_is_taken_in_and_removed(
    dialog: RuntimesDialog, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = environment(tmp_path / "given", "1.10.0")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(python), ""))
    assert not dialog.add.isEnabled()
    dialog.browse.click()
    assert dialog.place.text() == str(python)
    qtbot.keyClick(dialog.place, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(dialog) == ["own", "1.10.0"], timeout=PATIENCE_MS)
    assert dialog.said.text() == "onnxruntime 1.10.0 is at hand as 1.10.0."
    assert dialog.place.text() == ""
    assert dialog.chosen is not None
    assert dialog.chosen.name == "1.10.0"
    select(dialog, "own")
    select(dialog, "1.10.0")
    assert "cannot save optimizations" in dialog.said.text()
    dialog.remove.click()
    qtbot.waitUntil(lambda: names(dialog) == ["own"], timeout=PATIENCE_MS)
    assert python.exists()


def test_a_release_is_installed_with_words_on_the_way(
    dialog: RuntimesDialog,
    places: Places,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_runtime_wheels(tmp_path / "wheels", RELEASE)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    qtbot.waitUntil(lambda: dialog.release.count() > 10, timeout=PATIENCE_MS)
    said: list[str] = []
    dialog._choosing.said.connect(said.append)
    dialog.release.setCurrentText(RELEASE)
    dialog.install.click()
    assert dialog.bar.isVisible()
    qtbot.waitUntil(lambda: names(dialog) == ["own", RELEASE], timeout=PATIENCE_MS)
    assert said[0] == f"Installing {RELEASE}"
    assert any(words.startswith("Making an environment\nPython 3.") for words in said)
    (made,) = [one for one in dialog.model.rows if one.name == RELEASE]
    assert made.kind is Kind.INSTALLED
    select(dialog, RELEASE)
    dialog.remove.click()
    qtbot.waitUntil(lambda: names(dialog) == ["own"], timeout=PATIENCE_MS)
    assert list(places.folder.iterdir()) == []


def test_escape_cancels_what_is_under_way_and_then_closes(
    dialog: RuntimesDialog,
    places: Places,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_runtime_wheels(tmp_path / "wheels", RELEASE)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    dialog.release.setCurrentText(RELEASE)
    dialog.install.click()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    idle(qtbot, dialog)
    assert names(dialog) == ["own"]
    assert not places.folder.exists() or list(places.folder.iterdir()) == []
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("newest", "'newest' is not a release"),
        ("node:1.23.2", "There is no npm here"),
    ],
)
def test_what_cannot_be_installed_is_said_in_place(
    dialog: RuntimesDialog, qtbot: QtBot, release: str, words: str
) -> None:
    dialog.release.setCurrentText(release)
    dialog.install.click()
    qtbot.waitUntil(lambda: words in dialog.said.text(), timeout=PATIENCE_MS)
    assert dialog.install.isEnabled()
    assert not dialog.bar.isVisible()


@pytest.mark.parametrize("size", [(420, 480), (640, 480), (860, 620), (1600, 1000)])
def test_it_fits(dialog: RuntimesDialog, size: tuple[int, int]) -> None:
    dialog.resize(*size)
    dialog._say("Fetching\nDownloading onnxruntime-1.16.3-cp311-cp311-manylinux_2_17_x86_64.whl")
    QApplication.processEvents()
    assert cut_texts(dialog) == []
    assert dialog.table.geometry().bottom() < dialog.use.geometry().top()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_of_the_row_that_is_selected_has_that_rows_ink(
    dialog: RuntimesDialog, qapp: QApplication, scheme: theme.Scheme
) -> None:
    theme.apply(qapp, scheme)
    mark = dialog.model.data(dialog.model.index(0, 0), Qt.ItemDataRole.DecorationRole)
    assert isinstance(mark, QIcon)
    picture = mark.pixmap(QSize(16, 16), QIcon.Mode.Selected).toImage()
    inks = {picture.pixelColor(x, y).name() for x in range(16) for y in range(16)}
    assert theme.current().selection_ink.name() in inks
