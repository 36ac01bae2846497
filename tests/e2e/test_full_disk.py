"""Places that take no results, or not all of one: the row says so, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import AGENT, Child
from ortstudio.services import ops
from ortstudio.services.conversion import State
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.edit import EditSettings, edit
from ortstudio.services.edit_changes import Changes
from ortstudio.services.export import ExportSettings, export
from tests.builders.knowledge import CORPUS
from tests.e2e.test_cli_convert import small
from tests.e2e.test_convert_pool import MB, heavy

SETTINGS = ConvertSettings(keep_going=True, verify=False, jobs=1)
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="file systems and limits as Linux has")

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
os.execv(sys.executable, [sys.executable, sys.argv[1]])
"""


@contextmanager
def mounted(place: Path, options: str) -> Iterator[Path]:
    """A small file system of its own. Skips where we may not mount."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is for root")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """One that needs more than 2 MB of room, and one that does not."""
    folder = tmp_path / "models"
    folder.mkdir()
    heavy(folder / "heavy.onnx", 4)
    small(folder / "light.onnx", "Relu")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@LINUX
def test_a_disk_that_fills_up_takes_what_fits_and_nothing_half(
    models: Path, tmp_path: Path
) -> None:
    before = contents(models)
    with mounted(tmp_path / "out", "size=2m") as out:
        (out / "old.ort").write_bytes(b"old")
        done = run(plan([models], replace(SETTINGS, output_dir=str(out))))
        assert [row.state for row in done.results] == [State.FAILED, State.DONE]
        error = done.results[0].error
        assert isinstance(error, RefusedError)
        assert error.message == "The disk is full"
        assert sorted(contents(out)) == ["light.ort", "old.ort", "required_operators.config"]
    assert contents(models) == before


@LINUX
def test_a_disk_without_any_room_is_told_and_left_as_it_is(models: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "out", "size=16k") as out:
        (out / "old").write_bytes(bytes(1 << 14))
        done = run(plan([models], replace(SETTINGS, output_dir=str(out))))
        assert {row.state for row in done.results} == {State.FAILED}
        assert done.configs == ()
        assert list(contents(out)) == ["old"]
        assert [path.name for path in out.iterdir()] == ["old"]


@LINUX
def test_a_read_only_place_is_refused_before_anything_runs(models: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "out", "size=2m,ro") as out:
        done = run(plan([models], replace(SETTINGS, output_dir=str(out / "made"))))
        assert {row.state for row in done.results} == {State.REFUSED}
        assert list(out.iterdir()) == []


@LINUX
def test_a_child_that_cannot_write_all_of_it_leaves_nothing(models: Path, tmp_path: Path) -> None:
    """A limit on the size of files, where nobody may mount, stands for a disk that fills up."""
    out = tmp_path / "out"
    done = run(
        plan([models], replace(SETTINGS, output_dir=str(out))),
        make_child=lambda: Child([sys.executable, "-c", LIMITED, str(AGENT)]),
    )
    assert [row.state for row in done.results] == [State.FAILED, State.DONE]
    assert sorted(contents(out)) == ["light.ort", "required_operators.config"]
    assert (models / "heavy.onnx").stat().st_size > 4 * MB - 1


@LINUX
def test_what_writes_one_file_names_it_when_the_disk_is_full(tmp_path: Path) -> None:
    source = tmp_path / "m.onnx"
    small(source, "Relu")
    model = CORPUS / "v6_ort1.16.0_mlp_fixed_disable.ort"
    with mounted(tmp_path / "out", "size=16k") as out:
        (out / "old").write_bytes(bytes(1 << 14))
        with pytest.raises(RefusedError, match=r"disk is full .*out/ops\.config\)\. Make room"):
            ops.write(ops.needs([source], types=False), out / "ops.config")
        edited = edit(model, EditSettings(out / "m.ort", Changes(doc_string="new")))
        exported = export(model, ExportSettings(out / "m.onnx"))
        for row, name in ((edited, "m.ort"), (exported, "m.onnx")):
            assert row.error is not None
            assert (row.error.message, row.error.where) == (
                "The disk is full",
                Where(str(out / name)),
            )
        assert [path.name for path in out.iterdir()] == ["old"]
