"""Children side by side: memory, cancelling one source, replaced children, what is told of it."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from ortstudio.errors import JobError, RefusedError, UsageError
from ortstudio.jobs import platform
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services import convert, convert_pool
from ortstudio.services.conversion import Conversion, ConvertProgress, State
from ortstudio.services.convert import run
from ortstudio.services.convert_needs import CHILD_BYTES, OWN_BYTES, Means, need_bytes
from ortstudio.services.convert_plan import Planning, plan
from ortstudio.services.convert_planned import PlannedSource
from ortstudio.services.convert_settings import ConvertSettings
from tests.builders.onnx_files import FLOAT, onnx_model, value, weight
from tests.e2e.converting import tampered
from tests.e2e.test_cli_convert import small

CAPS = pytest.mark.skipif(sys.platform != "linux", reason="only Linux caps another's memory")
SETTINGS = ConvertSettings(write_config=False, keep_going=True)
MB = 1 << 20


def heavy(path: Path, megabytes: int = 64) -> Path:
    """A model whose weights take that much."""
    weights = np.ones((megabytes, MB // 4), np.float32)
    ends = value("x", FLOAT, [1, megabytes]), value("y", FLOAT, [1, MB // 4])
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    onnx.save(onnx_model([node], ends[:1], ends[1:], [weight("w", weights)]), path)
    return path


def converted(
    folder: Path,
    settings: ConvertSettings = SETTINGS,
    make_child: Callable[[], Child] = agent_child,
    **options: object,
) -> Conversion:
    return run(plan([folder], settings), make_child=make_child, **options)  # type: ignore[arg-type]


def states(done: Conversion) -> dict[str, State]:
    return {row.source.stem: row.state for row in done.results}


@CAPS
def test_a_model_that_needs_more_than_there_is_fails_in_words(tmp_path: Path) -> None:
    heavy(tmp_path / "heavy.onnx", 100)
    small(tmp_path / "light.onnx", "Relu")
    own = (platform.resident_bytes(os.getpid()) or 0) + OWN_BYTES + CHILD_BYTES
    done = converted(tmp_path, replace(SETTINGS, memory=own + 40 * MB))
    assert states(done) == {"heavy": State.FAILED, "light": State.DONE}
    error = done.results[0].error
    assert isinstance(error, JobError)
    assert "needs more memory than the" in error.message
    assert "--memory" in error.hint
    assert "bad_alloc" in error.details


@CAPS
@pytest.mark.parametrize("verify", [True, False])
def test_a_child_takes_no_more_than_was_estimated(verify: bool, tmp_path: Path) -> None:
    heavy(tmp_path / "heavy.onnx", 100)
    made: list[Child] = []
    peaks: list[int] = []

    def make() -> Child:
        made.append(agent_child())
        return made[-1]

    def tell(now: ConvertProgress) -> None:
        if now.phase == "publish":
            status = Path(f"/proc/{made[-1].process_id}/status").read_text()
            (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
            peaks.append(int(line.split()[1]) << 10)

    planned = plan([tmp_path], replace(SETTINGS, verify=verify))
    assert run(planned, make_child=make, on_progress=tell).exit_code == 0
    need = need_bytes(planned.sources[0], None)
    assert 200 * MB < peaks[0] < need


def test_memory_for_nothing_at_all_is_a_wrong_command_line(tmp_path: Path) -> None:
    small(tmp_path / "m.onnx", "Relu")
    with pytest.raises(UsageError, match="not enough to convert anything"):
        converted(tmp_path, replace(SETTINGS, memory=MB))


@CAPS
def test_what_outgrows_its_share_is_tried_again_with_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy(tmp_path / "heavy.onnx")
    small(tmp_path / "light.onnx", "Relu")
    monkeypatch.setattr(convert, "means", lambda *_: Means(2, 440 * MB, 1))
    monkeypatch.setattr(convert_pool, "need_bytes", lambda *_: MB)
    told: list[ConvertProgress] = []
    done = converted(tmp_path, on_progress=told.append)
    assert states(done) == {"heavy": State.DONE, "light": State.DONE}
    of_heavy = [now.state for now in told if now.source.stem == "heavy"]
    assert of_heavy.count(State.QUEUED) == 2
    assert sorted(path.name for path in tmp_path.glob("*.ort")) == ["heavy.ort", "light.ort"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_rows_are_in_the_order_of_the_plan_however_many_work(jobs: int, tmp_path: Path) -> None:
    for name, length in zip("abcde", (1, 300, 2, 600, 3), strict=True):
        small(tmp_path / f"{name}.onnx", *["Exp"] * length)
    done = converted(tmp_path, replace(SETTINGS, jobs=jobs, verify=False))
    assert list(states(done)) == ["a", "b", "c", "d", "e"]
    assert done.exit_code == 0


def test_everything_is_told_of_every_source(tmp_path: Path) -> None:
    for name in "abc":
        small(tmp_path / f"{name}.onnx", "Relu")
    (tmp_path / "bad.onnx").write_bytes(b"<html>")
    told: list[ConvertProgress] = []
    converted(tmp_path, on_progress=told.append)
    by_name: dict[str, list[ConvertProgress]] = {}
    for now in told:
        by_name.setdefault(now.source.stem, []).append(now)
    for name in "abc":
        first, *middle, last = by_name[name]
        assert (first.state, first.elapsed_ns) == (State.QUEUED, 0)
        assert {now.state for now in middle} == {State.CONVERTING, State.VERIFYING}
        assert [now.phase for now in middle][-1] == "publish"
        assert (last.state, last.count) == (State.DONE, 4)
        assert last.result is not None
        assert last.output_bytes == (tmp_path / f"{name}.ort").stat().st_size
        assert last.source_bytes == (tmp_path / f"{name}.onnx").stat().st_size
        times = [now.elapsed_ns for now in (*middle, last)]
        assert times == sorted(times)
    assert [now.state for now in by_name["bad"]] == [State.QUEUED, State.REFUSED]


def test_it_is_told_one_at_a_time(tmp_path: Path) -> None:
    for name in "abcdef":
        small(tmp_path / f"{name}.onnx", "Relu")
    telling, overlaps = threading.Lock(), []

    def tell(now: ConvertProgress) -> None:
        if not telling.acquire(blocking=False):
            overlaps.append(now)
            return
        telling.release()

    converted(tmp_path, replace(SETTINGS, jobs=3, verify=False), on_progress=tell)
    assert overlaps == []


@pytest.mark.skipif(sys.platform == "win32", reason="crashes as POSIX has them")
def test_a_child_that_crashed_is_replaced(tmp_path: Path) -> None:
    for name in ("a", "crash", "z"):
        small(tmp_path / f"{name}.onnx", "Relu")
    made: list[Child] = []

    def make() -> Child:
        made.append(tampered())
        return made[-1]

    done = converted(tmp_path, replace(SETTINGS, jobs=1), make)
    assert states(done) == {"a": State.DONE, "crash": State.FAILED, "z": State.DONE}
    assert len(made) == 2


def test_a_folder_that_is_removed_meanwhile_ends_in_the_row(tmp_path: Path) -> None:
    small(tmp_path / "m.onnx", "Relu")
    out = tmp_path / "out"

    def tell(now: ConvertProgress) -> None:
        if now.phase == "publish":
            shutil.rmtree(out)

    settings = replace(SETTINGS, output_dir=str(out))
    (row,) = run(plan([tmp_path], settings), on_progress=tell).results
    assert isinstance(row.error, RefusedError)
    assert "No such file" in row.error.message


def test_one_child_serves_many(tmp_path: Path) -> None:
    for name in "abcde":
        small(tmp_path / f"{name}.onnx", "Relu")
    made: list[Child] = []

    def make() -> Child:
        made.append(agent_child())
        return made[-1]

    assert converted(tmp_path, replace(SETTINGS, jobs=1), make).exit_code == 0
    assert len(made) == 1


@pytest.mark.parametrize(("room", "count"), [(MB, 3), (1000 * MB, 1)])
def test_a_child_that_grew_is_replaced_where_that_leaves_too_little(
    room: int, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        small(tmp_path / f"{name}.onnx", "Relu")
    monkeypatch.setattr(convert_pool, "CHILD_BYTES", MB)
    monkeypatch.setattr(convert_pool, "need_bytes", lambda *_: 400 * MB)
    monkeypatch.setattr(convert, "means", lambda *_: Means(1, 400 * MB + room, 1))
    made: list[Child] = []

    def make() -> Child:
        made.append(agent_child())
        return made[-1]

    assert converted(tmp_path, make_child=make).exit_code == 0
    assert len(made) == (1 if sys.platform == "win32" else count)


def test_work_begins_before_all_is_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        small(tmp_path / f"{name}.onnx", "Relu")
    (tmp_path / "a.onnx").write_bytes(b"<html>")
    planning = Planning([tmp_path], replace(SETTINGS, keep_going=False))
    seen: list[Path] = []

    def rows() -> Iterator[PlannedSource]:
        for row in Planning.rows(planning):
            seen.append(row.source)
            yield row
            time.sleep(0.5)

    monkeypatch.setattr(planning, "rows", rows)
    done = run(planning)
    assert states(done) == {"a": State.REFUSED, "b": State.NOT_TRIED, "c": State.NOT_TRIED}
    assert len(seen) < 3, "the run had ended by then"


def test_settings_that_fit_no_source_are_a_wrong_command_line(tmp_path: Path) -> None:
    small(tmp_path / "m.onnx", "Relu")
    with pytest.raises(UsageError, match="batch"):
        run(Planning([tmp_path], replace(SETTINGS, fixed_dims={"batch": 1})))


def test_single_sources_are_cancelled_before_and_while_they_are_converted(tmp_path: Path) -> None:
    for name in ("a", "hang", "y", "z"):
        small(tmp_path / f"{name}.onnx", "Relu")
    unwanted = {2}

    def tell(now: ConvertProgress) -> None:
        if now.phase == "hanging":
            unwanted.add(now.index)

    settings = replace(SETTINGS, jobs=1, keep_going=False)
    done = converted(tmp_path, settings, tampered, unwanted=unwanted, on_progress=tell)
    assert states(done) == {
        "a": State.DONE,
        "hang": State.CANCELLED,
        "y": State.CANCELLED,
        "z": State.DONE,
    }


def test_resuming_under_another_release_converts_again(tmp_path: Path) -> None:
    small(tmp_path / "m.onnx", "Relu")

    def state(name: str) -> State:
        def child() -> Child:
            made = agent_child()
            made.release = name
            return made

        settings = replace(SETTINGS, resume=True)
        planned = plan([tmp_path], settings, make_child=child)
        return states(run(planned, make_child=child))["m"]

    assert [state(name) for name in ("a 1.30.0", "a 1.30.0", "a 1.31.0")] == [
        State.DONE,
        State.SKIPPED,
        State.DONE,
    ]


def test_what_the_program_left_in_other_folders_goes_too(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        small(tmp_path / name / "m.onnx", "Relu")
    converted(tmp_path)
    left = tmp_path / "a" / ".ortstudio-1.part"
    (left / "files").mkdir(parents=True)
    done = converted(tmp_path, replace(SETTINGS, resume=True))
    assert {row.state for row in done.results} == {State.SKIPPED}
    assert not left.exists()
