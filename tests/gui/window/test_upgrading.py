"""The upgrade wizard in the window: from the menu, a chip or a finding to the proof."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from ortstudio.jobs.runner import Child
from ortstudio.services.reading import read_model
from ortstudio.services.runtimes import Kind, Places, Runtime
from ortstudio.services.runtimes.store import write_manifest
from ortstudio.services.sessions import Style
from ortstudio.services.upgrade.wizard import Explained, Looking, Reported, Upgrading
from ortstudio.ui.findings_page import OLD_FORMAT
from ortstudio.ui.items import RefRole
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.theme import DARK, apply
from ortstudio.ui.upgrade.dialog import UpgradeDialog
from ortstudio.ui.upgrade.files import FileRow, FilesList
from ortstudio.ui.upgrade.options import OptionsDialog
from ortstudio.ui.views.release_strip import ReleaseStrip
from tests.builders.knowledge import CORPUS
from tests.builders.upgrades import WEIGHTS_LEFT_OUT
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
V4 = "v4_ort1.12.1_mlp_fixed_basic.ort"
RECORDS_4 = "v4_ort1.11.1_qdq_conv_runtime_all.ort"
V5 = "v5_ort1.13.1_mlp_fixed_basic.ort"
TAMPERED = Path(__file__).parents[2] / "e2e" / "tampered_agent.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "models"
    made.mkdir()
    return made


def copied(folder: Path, name: str, new: str = "") -> Path:
    return Path(shutil.copy(CORPUS / name, folder / (new or name)))


@pytest.fixture
def wizard(qtbot: QtBot, tmp_path: Path) -> Callable[..., UpgradeDialog]:
    def opened(*paths: Path) -> UpgradeDialog:
        places = Places(tmp_path / "runtimes.json", tmp_path / "runtimes")
        dialog = UpgradeDialog(paths, places=places)
        qtbot.addWidget(dialog)
        dialog.show()
        reach(qtbot, dialog, Explained)
        return dialog

    return opened


def reach(qtbot: QtBot, dialog: UpgradeDialog, state: type) -> None:
    def there() -> bool:
        return isinstance(dialog.steps.state, state) and (
            state is Upgrading or not dialog.steps.is_busy
        )

    qtbot.waitUntil(there, timeout=PATIENCE_MS)


def item(dialog: UpgradeDialog, place: int) -> QTreeWidgetItem:
    found = dialog.files.topLevelItem(place)
    assert found is not None
    return found


def states(dialog: UpgradeDialog) -> list[str]:
    return [item(dialog, place).text(1) for place in range(dialog.files.topLevelItemCount())]


def said(dialog: UpgradeDialog) -> str:
    return dialog.facts.sheet.text()


def test_it_explains_upgrades_and_proves(
    wizard: Callable[..., UpgradeDialog],
    folder: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = copied(folder, V4, "m.ort")
    dialog = wizard(old)
    for words in (
        "ORT format version 4 → 6",
        "1.13 refuses it, and so do minimal builds of 1.13 and newer",
        "6 nodes with their names and attributes",
        "6 kernel hashes: the kernel type resolver takes their place",
        "Minimal builds of 1.16 and newer load the new file",
    ):
        assert words in said(dialog)
    assert dialog.findChild(ReleaseStrip) is not None
    assert dialog.files.isHidden()
    assert dialog.said.text() == "Writes m.v6.ort; the old file is not touched."
    assert [path.name for path in folder.iterdir()] == ["m.ort"]
    dialog.go.click()
    reach(qtbot, dialog, Reported)
    assert dialog.said.text() == "1 of 1 file upgraded, 1 verified."
    assert "6 nodes compared one by one: the same." in said(dialog)
    assert "Outputs agree with the old file's, all equal" in said(dialog)
    kept = folder / "proof.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(kept), ""))
    dialog.save.click()
    assert json.loads(kept.read_text())["results"][0]["proof"]["nodes_the_same"] == 6
    with qtbot.waitSignal(dialog.open_requested) as both:
        dialog.open_.click()
    assert both.args == [[old, folder / "m.v6.ort"]]


def test_the_loss_of_saved_optimizations_is_agreed_to_first(
    wizard: Callable[..., UpgradeDialog], folder: Path
) -> None:
    dialog = wizard(copied(folder, RECORDS_4, "m.ort"))
    assert "1 of ConvActivationFusion and 4 of QDQSelectorActionTransformer" in said(dialog)
    assert not dialog.go.isEnabled()
    assert dialog.said.text() == "The loss of saved optimizations has to be agreed to."
    assert dialog.asking.agree.box.text() == "Lose 5 saved optimizations, as said above"
    dialog.asking.agree.box.click()
    assert dialog.go.isEnabled()
    dialog.asking.agree.box.click()
    assert not dialog.go.isEnabled()


def test_a_file_of_version_5_is_left_alone_until_it_is_asked_for(
    wizard: Callable[..., UpgradeDialog], folder: Path, qtbot: QtBot
) -> None:
    dialog = wizard(copied(folder, V5, "m.ort"))
    assert "Nothing need be done" in said(dialog)
    assert not dialog.go.isEnabled()
    assert dialog.close_.text() == "Close"
    assert dialog.asking.version is not None
    dialog.asking.version.setCurrentIndex(1)
    assert isinstance(dialog.steps.state, Looking)
    reach(qtbot, dialog, Explained)
    assert "1.13 to 1.15 read version 5 and refuse version 6" in said(dialog)
    assert dialog.go.isEnabled()


def test_where_a_release_is_missing_the_window_offers_to_install_it(
    wizard: Callable[..., UpgradeDialog], folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = wizard(copied(folder, V4, "m.ort"))
    assert dialog.asking.version is not None
    dialog.asking.version.setCurrentIndex(1)
    reach(qtbot, dialog, Explained)
    assert "none is at hand" in said(dialog)
    assert dialog.asking.install.text() == "Install 1.15.1"
    assert dialog.asking.install.isVisible()
    # As if it had been installed: nothing is fetched here.
    brought = Runtime("1.15.1", Kind.INSTALLED, sys.executable, "1.15.1")
    (tmp_path / "runtimes" / "1.15.1").mkdir(parents=True)
    write_manifest(brought, tmp_path / "runtimes" / "1.15.1")
    dialog.steps._choosing.made.emit(brought)
    reach(qtbot, dialog, Explained)
    assert dialog.go.isEnabled()
    assert "onnxruntime 1.15.1 loads the file and saves it as it is" in said(dialog)


def test_a_folder_is_a_list_in_which_files_are_left_out(
    wizard: Callable[..., UpgradeDialog], folder: Path, qtbot: QtBot
) -> None:
    for name, new in (
        (V4, "a.ort"),
        (RECORDS_4, "b.ort"),
        (V5, "c.ort"),
        (WEIGHTS_LEFT_OUT, "d.ort"),
    ):
        copied(folder, name, new)
    dialog = wizard(folder)
    assert states(dialog) == ["4 → 6", "4 → 6", "left alone", "refused"]
    assert dialog.go.text() == "Upgrade 2"
    dialog.files.setCurrentItem(item(dialog, 3))
    assert "'b_ext' and 'w_ext' are not in the file" in said(dialog)
    item(dialog, 1).setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.asking.agree.isHidden()
    dialog.go.click()
    reach(qtbot, dialog, Reported)
    assert sorted(path.name for path in folder.glob("*.v6.ort")) == ["a.v6.ort"]
    dialog.back.click()
    reach(qtbot, dialog, Explained)
    assert states(dialog)[0] == "refused"
    assert "The result exists already" in said(dialog)
    assert "by ticking Replace in the options" in said(dialog)


def tampered(_runtime: Runtime) -> Child:
    return Child([sys.executable, str(TAMPERED)])


def test_a_file_that_fails_in_the_middle_is_told_among_the_others(
    wizard: Callable[..., UpgradeDialog], folder: Path, qtbot: QtBot
) -> None:
    for name in ("a", "crash", "z"):
        copied(folder, V4, f"{name}.ort")
    dialog = wizard(folder)
    dialog.steps.child_under = tampered
    dialog.go.click()
    reach(qtbot, dialog, Reported)
    assert states(dialog) == ["done", "failed", "done"]
    assert dialog.said.text() == "2 of 3 files upgraded, 2 verified."
    dialog.files.setCurrentItem(item(dialog, 1))
    assert "crashed" in said(dialog)
    assert dialog.open_.isHidden()


def test_cancel_ends_what_goes_on_and_keeps_what_is_finished(
    wizard: Callable[..., UpgradeDialog], folder: Path, qtbot: QtBot
) -> None:
    for name in ("a", "hang", "z"):
        copied(folder, V4, f"{name}.ort")
    dialog = wizard(folder)
    dialog.steps.child_under = tampered
    dialog.go.click()
    reach(qtbot, dialog, Upgrading)
    qtbot.waitUntil((folder / "a.v6.ort").exists, timeout=PATIENCE_MS)
    dialog.close_.click()
    reach(qtbot, dialog, Reported)
    assert states(dialog) == ["done", "cancelled", "cancelled"]
    assert dialog.isVisible()
    assert sorted(path.name for path in folder.glob("*.v6.ort")) == ["a.v6.ort"]


def test_escape_before_anything_is_known_closes_it(folder: Path, qtbot: QtBot) -> None:
    dialog = UpgradeDialog([copied(folder, V4)])
    qtbot.addWidget(dialog)
    dialog.show()
    assert isinstance(dialog.steps.state, Looking)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible() or not dialog.steps.is_busy)
    dialog.close()


def test_options_say_where_to_and_under_which_releases(
    wizard: Callable[..., UpgradeDialog], folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = wizard(copied(folder, V4, "m.ort"))
    dialog.options.click()
    options = dialog.findChild(OptionsDialog)
    assert options is not None
    options.folder.choose(str(tmp_path / "out"))
    options.verify.turn(False)
    (own,) = options.runtimes.values()
    own.setChecked(True)
    options.ok.click()
    reach(qtbot, dialog, Explained)
    state = dialog.steps.state
    assert isinstance(state, Explained)
    (row,) = state.wanted
    assert row.target == tmp_path / "out" / "m.v6.ort"
    assert row.verification == "Verification was switched off"
    assert [runtime.name for runtime in state.request.settings.runtimes] == ["own"]


@pytest.mark.parametrize(
    ("name", "source", "styles"),
    [(V4, "mlp.onnx", (Style.FIXED,)), (RECORDS_4, "qdq_conv.onnx", (Style.RUNTIME,))],
)
def test_the_source_can_be_converted_instead(
    name: str,
    source: str,
    styles: tuple[Style, ...],
    window: MainWindow,
    open_in: Open,
    folder: Path,
    qtbot: QtBot,
) -> None:
    old = copied(folder, name, "m.ort")
    onnx = Path(shutil.copy(CORPUS / "sources" / source, folder / "m.onnx"))
    open_in(window, [old])
    window.actions_.upgrade.trigger()
    dialog = window.findChild(UpgradeDialog)
    assert dialog is not None
    reach(qtbot, dialog, Explained)
    assert "m.onnx lies beside it and is its source" in said(dialog)
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        dialog.facts.link_activated.emit(onnx)
    shown = window.studio.workspace.document(0)
    assert shown is not None
    assert shown.path == onnx
    pane = window.studio.converting.offer_pane
    assert pane.isVisible()
    assert pane.card.first.style_.value == styles


def test_old_and_new_run_under_the_release_in_use(
    window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [copied(folder, V4, "m.ort")])
    window.choosing.use(Runtime("1.16.3", Kind.GIVEN, sys.executable, "1.16.3"))
    window.actions_.upgrade.trigger()
    dialog = window.findChild(UpgradeDialog)
    assert dialog is not None
    reach(qtbot, dialog, Explained)
    state = dialog.steps.state
    assert isinstance(state, Explained)
    assert [runtime.onnxruntime for runtime in state.wanted[0].runtimes] == ["1.16.3"]


@pytest.mark.parametrize("way", ["chip", "finding"])
def test_the_chip_and_the_finding_of_an_old_file_lead_to_the_wizard(
    way: str, window: MainWindow, open_in: Open, folder: Path, qtbot: QtBot
) -> None:
    open_in(window, [copied(folder, V4, "m.ort")])
    if way == "chip":
        chip = next(one for one in window.studio.verdicts.chips() if one.key == "version")
        assert (chip.text, chip.tone) == ("ORT v4", "warning")
        assert "upgrade" in chip.tip
        window.studio.verdicts._activated("version")
    else:
        page = window.studio.findings
        indexes = [page.model.index(row, 0) for row in range(page.model.rowCount())]
        old = [one for one in indexes if one.data(RefRole).finding.code == OLD_FORMAT]
        page.table.activated.emit(old[0])
    dialog = window.findChild(UpgradeDialog)
    assert dialog is not None
    reach(qtbot, dialog, Explained)
    assert "ORT format version 4 → 6" in said(dialog)
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        dialog.go.click()
        reach(qtbot, dialog, Reported)
        dialog.open_.click()
    shown = [window.studio.workspace.document(side) for side in (0, 1)]
    assert [one and one.path.name for one in shown] == ["m.ort", "m.v6.ort"]
    assert read_model(folder / "m.v6.ort").ort is not None


def test_a_current_file_has_no_such_chip(window: MainWindow, open_in: Open, folder: Path) -> None:
    open_in(window, [copied(folder, "v6_ort1.16.0_mlp_fixed_disable.ort")])
    chip = next(one for one in window.studio.verdicts.chips() if one.key == "version")
    assert (chip.tone, chip.tip) == ("text", "")
    window.studio.verdicts._activated("version")
    assert window.findChild(UpgradeDialog) is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(340, 420), (640, 480), (1200, 900)])
def test_no_text_is_cut_at_odd_sizes(
    scheme: str,
    size: tuple[int, int],
    wizard: Callable[..., UpgradeDialog],
    folder: Path,
    qtbot: QtBot,
    qapp: QApplication,
) -> None:
    apply(qapp, scheme)  # type: ignore[arg-type]
    copied(folder, RECORDS_4, "with a rather long name that goes on.ort")
    copied(folder, WEIGHTS_LEFT_OUT, "b.ort")
    dialog = wizard(folder)
    dialog.resize(*size)
    qtbot.wait(20)
    assert cut_texts(dialog) == []
    foot = dialog.close_.mapTo(dialog, QPoint(0, dialog.close_.height()))
    assert dialog.rect().contains(foot)


def test_the_list_of_files_follows_the_theme(qapp: QApplication, qtbot: QtBot) -> None:
    files = FilesList()
    qtbot.addWidget(files)
    files.show_rows([FileRow(Path("a.ort"), "refused", "error")])
    apply(qapp, "dark")
    qapp.processEvents()
    one = files.topLevelItem(0)
    assert one is not None
    assert one.foreground(1).color() == DARK.error
