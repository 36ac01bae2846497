"""Conversions that fail or are given up: nothing half done is left, and each is told."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from ortstudio.errors import (
    CANCELLED,
    CHILD_FAILED,
    DONE_NO,
    ChangedError,
    FormatError,
    JobError,
    RefusedError,
)
from ortstudio.jobs import runner
from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import CancelledError, ConvertProgress, NotStartedError
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.hidden import STALE_S
from ortstudio.services.runtime_words import RuntimeRefusedError
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.converting import POSIX, converted, listing, one, plain, save


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx")

    def appear(progress: ConvertProgress) -> None:
        if progress.phase == "publish":
            (tmp_path / "m.ort").write_bytes(b"theirs")

    (row,) = converted([source], on_progress=appear).results
    assert isinstance(row.error, RefusedError)
    assert "appeared" in row.error.message
    assert listing(tmp_path) == ["m.onnx", "m.ort"]
    assert (tmp_path / "m.ort").read_bytes() == b"theirs"


@POSIX
def test_a_crash_is_told_leaves_nothing_and_stops_nobody(tmp_path: Path) -> None:
    paths = [save(tmp_path / name) for name in ("a.onnx", "crash.onnx", "z.onnx")]
    found = converted(paths, plain(keep_going=True))
    assert [row.ok for row in found.results] == [True, False, True]
    error = found.results[1].error
    assert isinstance(error, JobError)
    assert error.message == "The conversion failed: the child process crashed (SIGSEGV)"
    assert "Segmentation fault" in error.details
    assert listing(tmp_path) == ["a.onnx", "a.ort", "crash.onnx", "z.onnx", "z.ort"]
    assert found.exit_code == DONE_NO


@POSIX
def test_a_crash_with_an_older_result_there_leaves_that_result(tmp_path: Path) -> None:
    source = save(tmp_path / "crash.onnx")
    (tmp_path / "crash.ort").write_bytes(b"old but good")
    assert not one(source, plain(overwrite=True)).ok
    assert (tmp_path / "crash.ort").read_bytes() == b"old but good"
    assert listing(tmp_path) == ["crash.onnx", "crash.ort"]


@pytest.mark.parametrize("fault", ["garbage", "empty"])
def test_an_unsound_result_is_not_published(tmp_path: Path, fault: str) -> None:
    row = one(save(tmp_path / f"{fault}.onnx"))
    assert isinstance(row.error, FormatError)
    assert "not sound" in row.error.message
    assert row.error.where.path == str(tmp_path / f"{fault}.ort")
    assert listing(tmp_path) == [f"{fault}.onnx"]


def test_cancel_ends_the_work_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "GRACE_S", 0.3)
    paths = [save(tmp_path / name) for name in ("a.onnx", "hang.onnx", "z.onnx")]
    phases: list[str] = []
    found = converted(
        paths,
        plain(jobs=1),
        on_progress=lambda progress: phases.append(progress.phase),
        cancelled=lambda: "hanging" in phases,
    )
    assert [row.ok for row in found.results] == [True, False, False]
    assert isinstance(found.results[1].error, CancelledError)
    assert found.exit_code == CANCELLED
    assert listing(tmp_path) == ["a.onnx", "a.ort", "hang.onnx", "z.onnx"]


def test_an_interrupt_leaves_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "GRACE_S", 0.3)

    def interrupt(progress: ConvertProgress) -> None:
        if progress.phase == "hanging":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        converted([save(tmp_path / "hang.onnx")], on_progress=interrupt)
    assert listing(tmp_path) == ["hang.onnx"]


def test_a_source_that_changes_meanwhile_is_not_published(tmp_path: Path) -> None:
    row = one(save(tmp_path / "touch.onnx"))
    assert isinstance(row.error, ChangedError)
    assert listing(tmp_path) == ["touch.onnx"]


def test_a_full_disk_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = save(tmp_path / "refuse.onnx")
    error = one(source).error
    assert isinstance(error, RuntimeRefusedError)
    assert error.message == "ONNX Runtime could not write the file"
    usage = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    error = one(source).error
    assert isinstance(error, RefusedError)
    assert error.message == "The disk is full"
    assert listing(tmp_path) == ["refuse.onnx"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    settings = plain(output_dir=str(tmp_path / "file" / "out"))
    error = one(save(tmp_path / "m.onnx"), settings).error
    assert isinstance(error, RefusedError)
    assert error.message == "The results cannot be written here: it is not a folder"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    settings = plain(output_dir=str(tmp_path / "out"))
    error = one(save(tmp_path / "m.onnx"), settings).error
    assert isinstance(error, RefusedError)
    assert "Permission denied" in error.message


def test_leftovers_of_the_dead_are_removed_and_others_left(tmp_path: Path) -> None:
    stale, fresh, foreign = (
        tmp_path / name for name in (".ortstudio-1.part", ".ortstudio-2.part", ".other.part")
    )
    for path in (stale, fresh, foreign):
        path.write_bytes(b"")
    old = time.time() - STALE_S - 1
    os.utime(stale, (old, old))
    os.utime(foreign, (old, old))
    assert one(save(tmp_path / "m.onnx")).ok
    assert listing(tmp_path) == [fresh.name, foreign.name, "m.onnx", "m.ort"]


def test_without_a_child_nothing_goes_on(tmp_path: Path) -> None:
    paths = [save(tmp_path / "a.onnx"), save(tmp_path / "b.onnx")]
    planned = plan(paths, plain())
    found = run(planned, make_child=lambda: Child([str(tmp_path / "no python")]))
    assert isinstance(found.results[0].error, NotStartedError)
    assert found.exit_code == CHILD_FAILED
    assert listing(tmp_path) == ["a.onnx", "b.onnx"]


def test_the_runtimes_own_words_are_kept(tmp_path: Path) -> None:
    gru = helper.make_node("GRU", ["x", "w", "r"], ["y"], hidden_size=1, layout=1)
    model = onnx_model(
        [gru],
        [value("x", FLOAT, [1, 2, 1])],
        [value("y", FLOAT, None)],
        [weight(name, np.ones((1, 3, 1), np.float32)) for name in ("w", "r")],
    )
    error = one(save(tmp_path / "m.onnx", model)).error
    assert isinstance(error, RuntimeRefusedError)
    assert "layout" in error.message
    assert "deep_cpu_gru" in error.details
    assert error.where.path == str(tmp_path / "m.onnx")
