"""The lab with real children: what is unsafe, slow or cancelled ends as a row."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest

from ortstudio.errors import StudioError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.model.model import FileKind
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.lab.bench import BenchSettings, bench
from ortstudio.services.lab.measuring import LabProgress, LabSettings, Measuring
from ortstudio.services.lab.modes import PATH, mode
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.subject import Subject
from ortstudio.services.lab.words import status_text
from ortstudio.services.runtimes import Runtime, own
from ortstudio.services.runtimes.runtime import Kind
from tests.builders.knowledge import CORPUS
from tests.e2e.converting import converted, equal_defaults, save
from tests.unit.jobs import fake_agent

CONV = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"
ENCODER = CORPUS / "v6_ort1.32.0_encoder_fixed_extended.ort"
STRINGS = CORPUS / "v6_ort1.32.0_types_fixed_disable.ort"
QUICK = LabSettings(budget_s=1.0, most_rounds=1, runs=3, runs_s=0.05)


def test_bytes_that_python_gives_up_too_early_are_found_unsafe_and_the_rest_goes_on() -> None:
    names = (
        "bytes-in-place",
        "mapped-in-place-no-prepacking",
        "c-bytes-in-place",
        "c-mapped-in-place",
    )
    chosen = (PATH, *(mode(name) for name in names))
    result = bench([ENCODER], BenchSettings(chosen_modes=chosen, lab=QUICK))
    status = {one.subject.mode.name: one.status for one in result.subjects}
    assert status.pop("bytes-in-place") in ("wrong outputs", "crashed")
    assert status == dict.fromkeys(["path", *names[1:]], "ok")
    unsafe = result.subjects[1]
    assert unsafe.why
    assert unsafe.samples("run_ns") == []


def test_ways_through_the_c_api_need_plain_tensors() -> None:
    chosen = (PATH, mode("c-path"))
    result = bench([STRINGS], BenchSettings(chosen_modes=chosen, lab=QUICK))
    assert result.subjects[0].status == "ok"
    assert result.subjects[1].status in ("ok", "not measured")


def test_a_child_that_takes_too_long_ends_as_a_row() -> None:
    settings = LabSettings(budget_s=1.0, most_rounds=1, runs=3, runs_s=0.05, timeout_s=0.01)
    result = bench([CONV], BenchSettings(lab=settings))
    assert (result.subjects[0].status, result.stopped) == ("timed out", "nothing to measure")


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the interpreter")
def test_where_the_very_first_subject_crashes_it_is_a_row_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {fake_agent.__file__} segfault\n")
    script.chmod(0o755)
    crashing = Runtime("crashing", Kind.GIVEN, str(script), "1.32.0")
    result = bench([CONV], BenchSettings(runtimes=(crashing, own()), lab=QUICK))
    first, second = result.subjects
    assert status_text(first) == "unsafe here: crashed (SIGSEGV)"
    assert (second.status, len(second.rounds)) == ("ok", 1)
    assert result.inputs["sizes"] == {"N": 1}
    alone = bench([CONV], BenchSettings(runtimes=(crashing,), lab=QUICK))
    assert (alone.subjects[0].status, alone.stopped) == ("crashed", "nothing to measure")
    assert any("Outputs are not compared" in note for note in alone.notes)


def test_what_was_measured_until_a_cancel_is_kept() -> None:
    seen: list[int] = []

    def look(progress: LabProgress) -> None:
        seen.append(progress.round_number)

    settings = BenchSettings(lab=LabSettings(budget_s=60.0, runs=3, runs_s=0.05))
    result = bench([CONV], settings, on_progress=look, cancelled=lambda: max(seen, default=0) > 2)
    assert result.stopped == "cancelled"
    assert 2 <= result.rounds <= 3
    assert len(result.subjects[0].samples("load_ns")) == result.rounds


def test_a_model_that_does_not_load_is_an_error_with_its_reason() -> None:
    int4 = CORPUS / "v6_ort1.32.0_int4_fixed_disable.ort"
    with pytest.raises(StudioError, match="element type"):
        bench([int4], BenchSettings(lab=QUICK))


def measured_with(
    children: list[Callable[[], Child]], settings: LabSettings, folder: Path
) -> Result:
    """A subject for each of the children, all of one file."""
    paths = [folder / f"{number}.ort" for number in range(len(children))]
    for path in paths:
        shutil.copy(CONV, path)
    subjects = [Subject(path, FileKind.ORT, (path,)) for path in paths]

    def make_child(subject: Subject) -> Child:
        return children[int(subject.path.stem)]()

    return Measuring(subjects, settings, {}, folder, make_child).run()


def test_children_that_hang_crash_or_eat_memory_end_as_rows_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    def fake(name: str) -> Child:
        return Child([sys.executable, str(fake_agent.__file__), name])

    settings = LabSettings(budget_s=60, most_rounds=2, timeout_s=20)
    starved = partial(agent_child, memory_bytes=64 << 20)
    children: list[Callable[[], Child]] = [
        agent_child,
        partial(fake, "segfault"),
        starved,
        agent_child,
    ]
    found = measured_with(children, settings, tmp_path)
    assert [one.status for one in found.subjects] == ["ok", "crashed", "crashed", "ok"]
    assert [len(one.rounds) for one in found.subjects] == [2, 0, 0, 2]
    hanging = measured_with(
        [agent_child, partial(fake, "hang")],
        LabSettings(budget_s=60, most_rounds=1, timeout_s=5),
        tmp_path,
    )
    assert [one.status for one in hanging.subjects] == ["ok", "timed out"]


def test_the_weights_of_a_mapped_file_stay_in_it(tmp_path: Path) -> None:
    """Measured by what the process holds after the load, above what it held before."""
    source = tmp_path / "table.onnx"
    table = onnx.numpy_helper.from_array(np.ones((4000, 1000), np.float32), "table")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Gather", ["table", "ids"], ["rows"], name="gather")],
        "table",
        [onnx.helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, [1])],
        [onnx.helper.make_tensor_value_info("rows", onnx.TensorProto.FLOAT, [1, 1000])],
        [table],
    )
    onnx.save(onnx.helper.make_model(graph, ir_version=8), source)
    assert run(plan([source], ConvertSettings(verify=False, write_config=False))).exit_code == 0
    chosen = (PATH, mode("mapped-in-place-no-prepacking"))
    result = bench([source.with_suffix(".ort")], BenchSettings(chosen_modes=chosen, lab=QUICK))
    copied, mapped = (one.samples("rss_after_load_bytes")[0] for one in result.subjects)
    assert copied - mapped > 12e6
    whole, little = ([taken.read_bytes or 0 for taken in one.rounds] for one in result.subjects)
    assert min(whole) > 16e6 > 1e6 > max(little) > 0


def test_a_result_that_lost_a_default_value_is_given_it_on_either_side(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx", equal_defaults())
    assert converted([source]).results[0].ok
    for files in ([source, tmp_path / "m.ort"], [tmp_path / "m.ort", source]):
        result = bench(files, BenchSettings(lab=QUICK))
        assert [(row.status, row.why) for row in result.subjects] == [("ok", "")] * 2
        assert all(row.samples("run_ns") for row in result.subjects)
