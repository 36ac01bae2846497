"""Conversions from the plan to the published file, through real children."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.errors import (
    CANCELLED,
    CHILD_FAILED,
    DONE_NO,
    DONE_YES,
    UNREADABLE,
    ChangedError,
    FormatError,
    JobError,
    RefusedError,
)
from ortstudio.jobs import runner
from ortstudio.jobs.runner import Child
from ortstudio.services.conversion import (
    CancelledError,
    Conversion,
    Converted,
    ConvertProgress,
    NotStartedError,
)
from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.hidden import STALE_S
from ortstudio.services.inputs import InputSettings
from ortstudio.services.reading import read_model
from ortstudio.services.runtime_words import RuntimeRefusedError
from ortstudio.services.sessions import Level, Style
from ortstudio.services.verify_words import DisagreementError
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value, weight

plain = partial(ConvertSettings, write_config=False)
"""What is chosen here, where operator configs would only be in the way."""

TAMPERED = Path(__file__).with_name("tampered_agent.py")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="crashes are named by their signals")


def tampered() -> Child:
    return Child([sys.executable, str(TAMPERED)])


def converted(
    paths: Iterable[Path],
    settings: ConvertSettings | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[ConvertProgress], None] | None = None,
) -> Conversion:
    planned = plan(list(paths), settings or plain())
    return run(planned, make_child=tampered, cancelled=cancelled, on_progress=on_progress)


def one(path: Path, settings: ConvertSettings | None = None) -> Converted:
    (row,) = converted([path], settings).results
    return row


def small_model() -> ModelProto:
    """Y = relu(x · w) for any number of rows."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], name="multiply"),
        helper.make_node("Abs", ["m"], ["y"], name="size"),
    ]
    rows = value("x", FLOAT, ["n", 3]), value("y", FLOAT, ["n", 2])
    return onnx_model(nodes, rows[:1], rows[1:], [weight("w", np.ones((3, 2), np.float32))])


def save(path: Path, model: ModelProto | None = None) -> Path:
    onnx.save(model or small_model(), path)
    return path


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_model_is_converted_verified_and_published(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx")
    before = source.read_bytes()
    row = one(source)
    assert row.error is None
    assert listing(tmp_path) == ["m.onnx", "m.ort"]
    assert source.read_bytes() == before
    model = read_model(tmp_path / "m.ort")
    assert (model.kind.value, model.error) == ("ort", None)
    answer = row.to_json()
    assert answer["outputs"] == [
        {
            "path": str(tmp_path / "m.ort"),
            "role": "fixed",
            "size_bytes": (tmp_path / "m.ort").stat().st_size,
            "purpose": "for the CPU: all optimizations of the level are applied",
        }
    ]
    verified = answer["verified"]
    assert isinstance(verified, dict)
    assert verified["agrees"] is True
    assert verified["max_abs"] == verified["max_rel"] == 0
    assert (verified["seed"], verified["rtol"], verified["atol"]) == (0, 1e-3, 1e-4)
    assert verified["inputs"] == {"x": {"type": "tensor(float)[1,3]", "values": "random"}}
    assert verified["sizes"] == {"n": 1}
    assert (answer["ok"], answer["verify_skipped"], answer["error"]) == (True, None, None)


def test_the_answer_is_json_and_counts_its_rows(tmp_path: Path) -> None:
    found = converted([save(tmp_path / "m.onnx"), tmp_path / "none.onnx"])
    answer = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert answer["schema"] == "ortstudio/convert@1"
    assert (answer["ok"], answer["converted"], answer["failed"]) == (False, 1, 1)
    assert answer["results"][1]["error"]["kind"] == "missing"
    assert answer["results"][1]["verify_skipped"]


NOT_LOADED_BACK = {"float4", "int2", "int4"}
OPTIONAL = {"optional", "optional_io"}


def test_the_corpus_converts_but_for_what_the_runtime_cannot(tmp_path: Path, corpus: Path) -> None:
    settings = plain(output_dir=str(tmp_path), keep_going=True)
    found = {row.source.stem: row for row in converted([corpus / "sources"], settings).results}
    failed = {name: str(row.error) for name, row in found.items() if row.error is not None}
    assert set(failed) == NOT_LOADED_BACK | OPTIONAL
    assert all("though it writes one" in failed[name] for name in NOT_LOADED_BACK)
    assert all("optional type" in failed[name] for name in OPTIONAL)
    assert all(row.verified for row in found.values() if row.ok)
    assert listing(tmp_path) == sorted(f"{name}.ort" for name, row in found.items() if row.ok)


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    source = save(tmp_path / "m.onnx")
    (tmp_path / "m.ort").write_bytes(b"old")
    assert isinstance(one(source).error, RefusedError)
    assert (tmp_path / "m.ort").read_bytes() == b"old"
    assert one(source, plain(overwrite=True)).ok
    assert read_model(tmp_path / "m.ort").error is None


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


@POSIX
def test_a_source_that_crashes_the_runtime_when_run_is_converted_unverified(
    tmp_path: Path,
) -> None:
    row = one(save(tmp_path / "crash_run.onnx"))
    assert row.ok
    assert row.verified is None
    assert row.verify_skipped == "While it ran the source, the child process crashed (SIGSEGV)"


@pytest.mark.parametrize("fault", ["garbage", "empty"])
def test_an_unsound_result_is_not_published(tmp_path: Path, fault: str) -> None:
    row = one(save(tmp_path / f"{fault}.onnx"))
    assert isinstance(row.error, FormatError)
    assert "not sound" in row.error.message
    assert row.error.where.path == str(tmp_path / f"{fault}.ort")
    assert listing(tmp_path) == [f"{fault}.onnx"]


def test_a_result_that_computes_something_else_is_not_published(tmp_path: Path) -> None:
    source = save(tmp_path / "other.onnx")
    other = small_model()
    other.graph.initializer[0].CopyFrom(weight("w", np.full((3, 2), 1.01, np.float32)))
    save(tmp_path / "other.source", other)
    row = one(source)
    assert isinstance(row.error, DisagreementError)
    assert "y differs" in row.error.message
    assert row.verified is not None
    assert not row.verified.agrees
    assert row.verified.max_rel == pytest.approx(0.01, rel=0.01)
    assert row.to_json()["verified"] is not None
    assert listing(tmp_path) == ["other.onnx", "other.source"]


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


def test_exit_codes_are_those_of_the_contract(tmp_path: Path) -> None:
    good, missing = save(tmp_path / "m.onnx"), tmp_path / "none.onnx"
    (tmp_path / "bad.onnx").write_bytes(b"<html>")
    again = plain(overwrite=True)
    assert converted([good], again).exit_code == DONE_YES
    assert converted([good]).exit_code == DONE_NO
    assert converted([good, missing], again).exit_code == DONE_NO
    assert converted([missing]).exit_code == UNREADABLE
    assert converted([missing, tmp_path / "bad.onnx"]).exit_code == UNREADABLE


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


@pytest.mark.parametrize("verify", [True, False])
def test_a_file_that_the_runtime_writes_and_cannot_load_is_published_only_unverified(
    tmp_path: Path, corpus: Path, verify: bool
) -> None:
    shutil.copy(corpus / "sources" / "int4.onnx", tmp_path)
    settings = plain(level=Level.DISABLE, verify=verify)
    row = one(tmp_path / "int4.onnx", settings)
    if verify:
        assert isinstance(row.error, RefusedError)
        assert "1.28 and newer refuse the file" in row.error.message
    else:
        assert row.verify_skipped == "Verification was switched off"
    assert (tmp_path / "int4.disable.ort").exists() is not verify


def test_a_model_that_draws_random_numbers_is_not_called_wrong(tmp_path: Path) -> None:
    """What is drawn depends on the position of the node, which the other model changes."""
    draw, add = (
        helper.make_node("RandomNormalLike", ["x"], ["r"]),
        helper.make_node("Add", ["x", "r"], ["y"]),
    )
    source = save(tmp_path / "other.onnx", onnx_model([draw, add], [value("x")], [value("y")]))
    before = [helper.make_node("Neg", ["x"], ["n"]), helper.make_node("Neg", ["n"], ["m"])]
    moved = onnx_model([*before, draw, add], [value("x")], [value("y")])
    save(tmp_path / "other.source", moved)
    row = one(source, plain(level=Level.DISABLE))
    assert row.ok
    assert row.verified is None
    assert row.verify_skipped == "The source draws random numbers: its outputs differ at every run"


def test_a_source_that_accepts_nothing_is_converted_unverified(tmp_path: Path) -> None:
    shape = onnx.helper.make_tensor("s", TensorProto.INT64, [2], [5, 7])
    node = helper.make_node("Reshape", ["x", "s"], ["y"])
    model = onnx_model([node], [value("x", FLOAT, ["n"])], [value("y", FLOAT, None)], [shape])
    row = one(save(tmp_path / "m.onnx", model))
    assert row.ok
    assert "accepts none of the generated inputs" in str(row.verify_skipped)
    settings = plain(overwrite=True, inputs=InputSettings(dims={"n": 35}))
    row = one(tmp_path / "m.onnx", settings)
    assert row.verified is not None
    assert (row.verified.agrees, dict(row.verified.sizes)) == (True, {"n": 35})


def test_sizes_grow_until_the_source_accepts_them(tmp_path: Path) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"])
    model = onnx_model(
        [node],
        [value("x", FLOAT, [1, 1, "h", "w_"])],
        [value("y", FLOAT, None)],
        [weight("w", np.ones((1, 1, 9, 9), np.float32))],
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert dict(row.verified.sizes) == {"h": 64, "w_": 64}


def test_integers_shrink_after_an_index_error(tmp_path: Path) -> None:
    node = helper.make_node("Gather", ["w", "i"], ["y"])
    model = onnx_model(
        [node],
        [value("i", TensorProto.INT64, [100])],
        [value("y", FLOAT, [100])],
        [weight("w", np.ones(2, np.float32))],
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert row.verified.inputs["i"]["values"] == "random within 0 and 1"


@pytest.mark.parametrize("name", ["m.onnx", "m.ort", "m"])
def test_the_extension_does_not_matter(tmp_path: Path, name: str) -> None:
    settings = plain(output_dir=str(tmp_path / "out"))
    assert one(save(tmp_path / name), settings).verified is not None
    assert listing(tmp_path / "out") == ["m.ort"]


@pytest.mark.parametrize("name", ["日本 é\n.onnx", "-o.onnx", "%s.onnx", f"{'a' * 240}.onnx"])
def test_odd_names_are_names(tmp_path: Path, name: str) -> None:
    assert one(save(tmp_path / name)).verified is not None
    assert (tmp_path / name).with_suffix(".ort").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
def test_a_name_that_is_not_unicode_is_told(tmp_path: Path) -> None:
    source = tmp_path / os.fsdecode(b"caf\xe9.onnx")
    save(tmp_path / "m.onnx").rename(source)
    error = one(source).error
    assert isinstance(error, RuntimeRefusedError)
    assert error.message == "ONNX Runtime cannot open a path that is not valid Unicode"


def test_external_weights_end_in_one_file(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(256, 256)).astype(np.float32)
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    model = onnx_model(
        [node], [value("x", FLOAT, [1, 256])], [value("y", FLOAT, [1, 256])], [weight("w", weights)]
    )
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="ext.bin")
    row = one(tmp_path / "m.onnx")
    assert row.ok
    assert row.outputs[0].size_bytes > weights.nbytes
    moved = tmp_path / "alone"
    moved.mkdir()
    shutil.move(tmp_path / "m.ort", moved)
    assert onnxruntime.InferenceSession(moved / "m.ort").get_outputs()[0].name == "y"


@pytest.mark.parametrize(
    ("size", "words"), [(None, "ext.bin, which holds the tensor w, is missing"), (99, "has 99")]
)
def test_weights_that_are_not_all_there_are_told_before_anything_runs(
    tmp_path: Path, size: int | None, words: str
) -> None:
    model = small_model()
    onnx.save(
        model,
        tmp_path / "m.onnx",
        save_as_external_data=True,
        location="ext.bin",
        size_threshold=0,
    )
    if size is None:
        (tmp_path / "ext.bin").unlink()
    else:
        big = onnx.load(tmp_path / "m.onnx", load_external_data=False)
        big.graph.initializer[0].external_data[2].value = "200"
        onnx.save(big, tmp_path / "m.onnx")
        (tmp_path / "ext.bin").write_bytes(bytes(size))
    error = one(tmp_path / "m.onnx").error
    assert error is not None
    assert words in error.message
    assert not list(tmp_path.glob("*.ort"))


@pytest.mark.skipif(sys.platform == "win32", reason="files are sparse unasked on POSIX only")
def test_more_than_2_gib_is_refused_at_once(tmp_path: Path) -> None:
    nodes, weights, size = [], [], 14336 * 14336 * 4
    for i in range(3):
        tensor = TensorProto(
            name=f"w{i}", data_type=FLOAT, dims=[14336, 14336], data_location=TensorProto.EXTERNAL
        )
        for key, text in (("location", "w.bin"), ("offset", i * size), ("length", size)):
            tensor.external_data.add(key=key, value=str(text))
        weights.append(tensor)
        nodes.append(helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]))
    ends = value("v0", FLOAT, [1, 14336]), value("v3", FLOAT, [1, 14336])
    save(tmp_path / "m.onnx", onnx_model(nodes, ends[:1], ends[1:], weights))
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(3 * size)
    error = one(tmp_path / "m.onnx").error
    assert isinstance(error, RefusedError)
    assert error.message == (
        "An ORT-format file cannot pass 2 GiB, and this model needs 2.3 GiB of weights"
    )
    assert listing(tmp_path) == ["m.onnx", "w.bin"]


def test_both_styles_stand_in_one_row(tmp_path: Path, corpus: Path) -> None:
    shutil.copy(corpus / "sources" / "qdq.onnx", tmp_path)
    row = one(tmp_path / "qdq.onnx", plain(styles=(Style.FIXED, Style.RUNTIME)))
    assert [output.role for output in row.outputs] == ["fixed", "runtime"]
    assert [output.path.name for output in row.outputs] == ["qdq.ort", "qdq.with_runtime_opt.ort"]
    assert row.verified is not None
    assert row.verified.agrees


def test_passing_values_through_keeps_every_type(tmp_path: Path) -> None:
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["n"]))
    model = identity(
        helper.make_value_info("s", sequence),
        value("t", TensorProto.STRING, ["n"]),
        value("h", TensorProto.FLOAT16, [2]),
        value("b", TensorProto.BOOL, [2]),
    )
    row = one(save(tmp_path / "m.onnx", model))
    assert row.verified is not None
    assert [output.equal for output in row.verified.outputs] == [True] * 4
