"""A plan holds as long as nothing that it was made from has changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import onnx
import pytest

from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_planned import ConvertPlan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.plan_freshness import still_holds
from tests.builders.onnx_files import FLOAT, identity, value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.onnx", "b.onnx"):
        onnx.save(identity(value("x", FLOAT, ["n"])), tmp_path / name)
    (tmp_path / "broken.onnx").write_bytes(b"nothing")
    old = time.time() - 60
    for path in tmp_path.iterdir():
        os.utime(path, (old, old))
    return tmp_path


def planned(folder: Path) -> tuple[ConvertPlan, float]:
    made_s = time.time() - 30
    return plan([folder], ConvertSettings(keep_going=True)), made_s


def test_a_plan_holds_while_nothing_changes(folder: Path) -> None:
    made, made_s = planned(folder)
    assert [row.refusal is None for row in made.sources] == [True, True, False]
    assert still_holds(made, [folder], made_s)


def test_a_source_that_changed_makes_another_plan(folder: Path) -> None:
    made, made_s = planned(folder)
    with (folder / "a.onnx").open("ab") as file:
        file.write(b"\0")
    assert not still_holds(made, [folder], made_s)


def test_a_refused_source_that_was_mended_makes_another_plan(folder: Path) -> None:
    made, made_s = planned(folder)
    onnx.save(identity(value("x", FLOAT, ["n"])), folder / "broken.onnx")
    assert not still_holds(made, [folder], made_s)


@pytest.mark.parametrize("name", ["c.onnx", "a.ort"])
def test_a_source_or_a_result_that_appears_makes_another_plan(folder: Path, name: str) -> None:
    made, made_s = planned(folder)
    (folder / name).write_bytes(b"something")
    assert not still_holds(made, [folder], made_s)


def test_a_source_that_goes_makes_another_plan(folder: Path) -> None:
    made, made_s = planned(folder)
    (folder / "b.onnx").unlink()
    assert not still_holds(made, [folder], made_s)
