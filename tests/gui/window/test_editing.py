"""Editing what is open, from the menu to the result beside its source."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from ortstudio.services.edit_changes import Changes, symbols
from ortstudio.services.reading import read_model
from ortstudio.ui.edit.dialog import EditDialog, free_name
from ortstudio.ui.main_window import MainWindow
from ortstudio.ui.views.page import Page
from tests.builders.knowledge import CORPUS
from tests.builders.siblings import write_adapter
from tests.gui.cuts import cut_texts
from tests.gui.window.conftest import PATIENCE_MS

Open = Callable[[MainWindow, Sequence[Path]], None]
META = CORPUS / "v6_ort1.32.0_meta_fixed_disable.ort"
RECORDS = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(shutil.copy(RECORDS, tmp_path / "cnn.ort"))


def dialog_of(qtbot: QtBot, path: Path) -> EditDialog:
    model = read_model(path)
    dialog = EditDialog(model, symbols(model))
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def write_into(qtbot: QtBot, field: object, text: str) -> None:
    field.selectAll()  # type: ignore[attr-defined]
    qtbot.keyClicks(field, text)


def ready(qtbot: QtBot, dialog: EditDialog) -> None:
    qtbot.waitUntil(dialog.write.isEnabled, timeout=PATIENCE_MS)


def test_a_model_is_edited_from_the_menu_and_the_result_stands_beside_it(
    window: MainWindow, open_in: Open, model: Path, qtbot: QtBot
) -> None:
    assert not window.actions_.edit.isEnabled()
    open_in(window, [model])
    assert window.actions_.edit.isEnabled()
    window.actions_.edit.trigger()
    qtbot.waitUntil(lambda: window.findChild(EditDialog) is not None, timeout=PATIENCE_MS)
    dialog = window.findChild(EditDialog)
    assert dialog is not None
    assert not dialog.write.isEnabled()
    write_into(qtbot, dialog.form.names.inputs["image"], "picture")
    dialog.form.sizes.fields["N"].setValue(2)
    ready(qtbot, dialog)
    assert dialog.said.text().startswith("Input image is renamed to picture\nSize N is fixed to 2")
    with qtbot.waitSignal(window.settled, timeout=PATIENCE_MS):
        dialog.write.click()
    made = model.with_name("cnn.edited.ort")
    shown = [window.studio.workspace.document(side) for side in (0, 1)]
    assert [found and found.path for found in shown] == [model, made]
    assert "Edited to cnn.edited.ort" in window.studio.pair.notice.words.text()
    assert "Outputs agree" in window.studio.pair.notice.words.text()
    assert window.studio.pair.notice.details.isHidden()
    main = read_model(made).main
    assert main.value_names(main.inputs.tolist()) == ["picture"]
    assert sorted(path.name for path in model.parent.glob("cnn*")) == ["cnn.edited.ort", "cnn.ort"]


def test_what_is_no_model_is_not_edited(
    window: MainWindow, open_in: Open, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, [write_adapter(tmp_path / "a.onnx_adapter")])
    window.actions_.edit.trigger()
    qtbot.waitUntil(lambda: window.last_error is not None, timeout=PATIENCE_MS)
    assert "This is a LoRA adapter" in str(window.last_error)
    assert window.findChild(EditDialog) is None


def test_the_form_begins_as_the_model_is(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, META)
    assert dialog.form.changes == Changes()
    assert dialog.said.text() == "Nothing is changed yet."
    assert {row.key.text() for row in dialog.form.metadata.rows} == set(read_model(META).metadata)


def test_every_part_of_the_form_is_a_change(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, META)
    form = dialog.form
    for section in form.sections.values():
        section.title.setChecked(True)
    rows = {row.key.text(): row for row in form.metadata.rows}
    write_into(qtbot, rows["author"].value, "me")
    rows["json"].remove.click()
    form.metadata.add_button.click()
    added = form.metadata.rows[-1]
    write_into(qtbot, added.key, "key")
    write_into(qtbot, added.value, "text")
    write_into(qtbot, form.texts.lines["producer_name"], "maker")
    write_into(qtbot, form.texts.version, "7x")
    form.texts.docs["doc_string"].setPlainText("")
    write_into(qtbot, form.names.outputs["ids"], "labels")
    form.removals.names.turn(True)
    assert form.changes == Changes(
        outputs={"ids": "labels"},
        metadata={"author": "me", "key": "text"},
        removed_metadata=("json",),
        doc_string="",
        producer_name="maker",
        model_version=7,
        strip_names=True,
    )
    assert [section.title.accessibleName().rpartition(", ")[2] for section in
            form.sections.values()] == [
        "1 change", "Symbolic sizes", "3 changes", "3 changes", "1 change",
    ]  # fmt: skip


def test_only_what_a_model_has_can_be_left_out(qtbot: QtBot) -> None:
    dialogs = dialog_of(qtbot, RECORDS), dialog_of(qtbot, META)
    kept, none = (dialog.form.removals.optimizations for dialog in dialogs)
    assert (kept.isHidden(), none.isHidden()) == (False, True)
    assert kept.box.text() == "1 saved optimization"


def test_what_cannot_be_is_said_at_once(qtbot: QtBot, model: Path) -> None:
    dialog = dialog_of(qtbot, model)
    write_into(qtbot, dialog.form.names.inputs["image"], "scores")
    qtbot.waitUntil(lambda: "cannot be renamed" in dialog.said.text(), timeout=PATIENCE_MS)
    assert not dialog.write.isEnabled()


def test_what_went_wrong_is_said_and_can_be_mended(
    qtbot: QtBot, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = dialog_of(qtbot, model)
    dialog.form.removals.names.turn(True)
    dialog.target.write_text("precious")
    ready(qtbot, dialog)
    dialog.write.click()
    qtbot.waitUntil(lambda: "exists already" in dialog.said.text(), timeout=PATIENCE_MS)
    assert dialog.target.read_text() == "precious"
    chosen = tmp_path / "chosen.ort"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen), ""))
    dialog.choose_button.click()
    with qtbot.waitSignal(dialog.edited, timeout=PATIENCE_MS):
        dialog.write.click()
    assert read_model(chosen).main.nodes.names[0] == ""


@pytest.mark.parametrize("verified", [True, False])
def test_cancel_stops_the_work_before_it_closes(qtbot: QtBot, model: Path, verified: bool) -> None:
    dialog = dialog_of(qtbot, model)
    dialog.form.removals.names.turn(True)
    dialog.verify.turn(verified)
    ready(qtbot, dialog)
    dialog.write.click()
    dialog.cancel.click()
    assert dialog.isVisible()
    qtbot.waitUntil(dialog.choose_button.isEnabled, timeout=PATIENCE_MS)
    assert list(model.parent.iterdir()) == [model]
    dialog.cancel.click()
    assert not dialog.isVisible()


def test_names_that_are_free_are_proposed(model: Path) -> None:
    assert free_name(read_model(model)).name == "cnn.edited.ort"
    (model.parent / "cnn.edited.ort").touch()
    (model.parent / "cnn.edited2.ort").symlink_to("nowhere")
    assert free_name(read_model(model)).name == "cnn.edited3.ort"


@pytest.mark.parametrize("name", ["cnn.onnx", "cnn.ONNX", "cnn.bin", "cnn", f"{'é' * 124}.ort"])
def test_the_proposed_name_is_accepted_whatever_the_model_is_called(
    qtbot: QtBot, model: Path, name: str
) -> None:
    dialog = dialog_of(qtbot, model.rename(model.with_name(name)))
    dialog.form.removals.names.turn(True)
    dialog.verify.turn(False)
    ready(qtbot, dialog)
    with qtbot.waitSignal(dialog.edited, timeout=PATIENCE_MS):
        dialog.write.click()
    assert dialog.target.is_file()


@pytest.mark.parametrize("size", [(320, 300), (640, 720), (1600, 1000)])
def test_nothing_is_cut(qtbot: QtBot, size: tuple[int, int]) -> None:
    dialog = dialog_of(qtbot, META)
    dialog.resize(*size)
    for section in dialog.form.sections.values():
        section.title.setChecked(True)
    dialog.form.removals.names.turn(True)
    ready(qtbot, dialog)
    QApplication.processEvents()
    assert cut_texts(dialog) == []
    page = dialog.findChild(Page)
    assert page is not None
    assert page.horizontalScrollBar().maximum() == 0


def test_all_fields_can_be_reached_by_the_keyboard(qtbot: QtBot) -> None:
    dialog = dialog_of(qtbot, META)
    seen = set()
    dialog.form.sections["Inputs and outputs"].title.setFocus()
    for _ in range(60):
        QApplication.processEvents()
        focus = QApplication.focusWidget()
        assert focus is not None
        seen.add(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert {dialog.write, dialog.cancel, dialog.choose_button} - {dialog.write} <= seen
    assert set(dialog.form.names.inputs.values()) <= seen
