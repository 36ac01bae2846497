"""Exports that must not be published, through real children."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import onnx
import pytest

from ortstudio.errors import ChangedError, FormatError, JobError, RefusedError
from ortstudio.jobs.runner import Child
from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model
from ortstudio.services.conversion import CancelledError, ConvertProgress, NotStartedError
from ortstudio.services.export import ExportSettings, export
from ortstudio.services.onnx_write import write_onnx
from ortstudio.services.reading import read_model
from ortstudio.services.verify_words import DisagreementError
from tests.builders.knowledge import CORPUS
from tests.builders.siblings import write_adapter, write_checkpoint
from tests.e2e.exporting import exported, listing


def test_a_library_that_is_none_is_refused(tmp_path: Path) -> None:
    library = tmp_path / "ops.so"
    library.write_text("no library")
    with pytest.raises(FormatError, match="not a shared library"):
        exported("v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.onnx", custom_ops=str(library))


def test_a_checker_that_dies_takes_only_its_child_along(tmp_path: Path) -> None:
    def crashing() -> Child:
        return Child([sys.executable, "-c", "import os; os.abort()"])

    done = export(
        CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort",
        ExportSettings(tmp_path / "m.onnx", verify=False),
        make_child=crashing,
    )
    assert isinstance(done.error, JobError)
    assert "The ONNX checker failed" in done.error.message
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (
            lambda path: shutil.copy(CORPUS / "sources" / "mlp.onnx", path),
            "already is an ONNX model",
        ),
        (write_checkpoint, "is a training checkpoint"),
        (write_adapter, "is a LoRA adapter"),
    ],
    ids=["onnx", "checkpoint", "adapter"],
)
def test_what_is_no_model_in_ort_format_is_refused(
    write: Callable[[Path], object], words: str, tmp_path: Path
) -> None:
    write(tmp_path / "m.ort")
    done = export(tmp_path / "m.ort", ExportSettings(tmp_path / "m.onnx"))
    assert isinstance(done.error, RefusedError)
    assert words in done.error.message
    assert (done.opened, listing(tmp_path)) == (True, ["m.ort"])


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    whole = (CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort").read_bytes()
    (tmp_path / "m.ort").write_bytes(whole[: len(whole) // 2])
    done = export(tmp_path / "m.ort", ExportSettings(tmp_path / "m.onnx"))
    assert isinstance(done.error, FormatError)
    assert (done.opened, listing(tmp_path)) == (False, ["m.ort"])


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    name, target = "v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.onnx"
    target.write_bytes(b"precious")
    assert isinstance(exported(name, target).error, RefusedError)
    assert target.read_bytes() == b"precious"
    assert exported(name, target, overwrite=True).ok
    assert read_model(target).error is None


def test_the_source_is_never_replaced(tmp_path: Path) -> None:
    source = Path(shutil.copy(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.ort"))
    before = source.read_bytes()
    done = export(source, ExportSettings(source, overwrite=True))
    assert isinstance(done.error, RefusedError)
    assert source.read_bytes() == before


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """The weights were published by then and must go again."""
    target = tmp_path / "m.onnx"

    def appear(progress: ConvertProgress) -> None:
        if progress.phase == "publish":
            target.write_bytes(b"theirs")

    settings = ExportSettings(target, verify=False, message_bytes=0)
    done = export(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", settings, on_progress=appear)
    assert isinstance(done.error, RefusedError)
    assert (done.outputs, listing(tmp_path)) == ((), ["m.onnx"])
    assert target.read_bytes() == b"theirs"


def test_a_source_that_changes_meanwhile_is_not_published(tmp_path: Path) -> None:
    source = Path(shutil.copy(CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.ort"))

    def touch(progress: ConvertProgress) -> None:
        if progress.phase == "check":
            os.utime(source, ns=(0, 0))

    done = export(source, ExportSettings(tmp_path / "m.onnx", verify=False), on_progress=touch)
    assert isinstance(done.error, ChangedError)
    assert listing(tmp_path) == ["m.ort"]


def test_cancel_and_a_child_that_does_not_start_leave_nothing(tmp_path: Path) -> None:
    source, settings = CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort", ExportSettings(tmp_path / "m")
    assert isinstance(export(source, settings, cancelled=lambda: True).error, CancelledError)
    none = Child([str(tmp_path / "no python")])
    assert isinstance(export(source, settings, make_child=lambda: none).error, NotStartedError)
    assert listing(tmp_path) == []


def test_an_export_that_computes_something_else_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_wrong(
        model: Model, imports: Sequence[OpsetImport], path: Path, *, outside: bool
    ) -> tuple[Path, ...]:
        files = write_onnx(model, imports, path, outside=outside)
        made = onnx.load(path)
        for node in made.graph.node:
            if node.op_type == "Relu":
                node.op_type = "Neg"
        onnx.save(made, path)
        return files

    monkeypatch.setattr("ortstudio.services.export.write_onnx", write_wrong)
    done = exported("v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.onnx")
    assert isinstance(done.error, DisagreementError)
    assert listing(tmp_path) == []


def test_leftover_folders_of_the_dead_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".ortstudio-1.part").mkdir()
    (tmp_path / ".ortstudio-1.part" / "m.onnx").write_bytes(b"half")
    exported("v6_ort1.16.0_mlp_fixed_disable.ort", tmp_path / "m.onnx", verify=False)
    assert listing(tmp_path) == ["m.onnx"]
