"""onnxruntime-node and onnxruntime-web through the child program in JavaScript.

The long tests install them, once, into a cache outside the checkout; the others use what is there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import pytest
from onnx import ModelProto

from ortstudio.jobs.helped import NODE_AGENT
from ortstudio.jobs.runner import Child, Ending, Outcome
from ortstudio.model.bits import encode
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType
from ortstudio.services.exchange import (
    Description,
    SequenceValue,
    TensorValue,
    Value,
    read_values,
    write_values,
)
from ortstudio.services.runtimes import Runtime
from ortstudio.services.sessions import Level, Session, converter_disabled
from tests.builders.onnx_files import FLOAT, identity, value
from tests.builders.releases import release

RELEASE = "1.23.2"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")

GIVEN = [
    TensorValue(DataType.FLOAT, (1, 2), np.array([[1.5, np.nan]], np.float32)),
    TensorValue(DataType.DOUBLE, (0, 2), np.zeros((0, 2))),
    TensorValue(DataType.FLOAT16, (2,), np.array([1.5, -2], np.float16)),
    TensorValue(DataType.INT64, (), np.array(-(2**62))),
    TensorValue(DataType.UINT64, (1,), np.array([2**63], np.uint64)),
    TensorValue(DataType.INT32, (2, 2), np.array([[1, 2], [3, 4]], np.int32).T),
    TensorValue(DataType.UINT8, (2,), np.array([1, 255], np.uint8)),
    TensorValue(DataType.INT8, (2,), np.array([-128, 127], np.int8)),
    TensorValue(DataType.BOOL, (2,), np.array([True, False])),
    TensorValue(DataType.STRING, (2, 1), np.array([["abc"], ["日本"]], object)),
]


@pytest.fixture(scope="module", params=["node", "web"])
def under(request: pytest.FixtureRequest) -> Runtime:
    return release(f"{request.param}:{RELEASE}")


@pytest.fixture(scope="module")
def child(under: Runtime) -> Iterator[Child]:
    with under.child() as made:
        yield made


@pytest.mark.long
@pytest.mark.parametrize("kind", ["node", "web"])
def test_the_releases_of_the_quick_tests_are_brought(kind: str) -> None:
    found = release(f"{kind}:{RELEASE}", fetch=True)
    assert (found.kind.value, found.onnxruntime) == (kind, RELEASE)


@pytest.mark.long
def test_an_older_release_has_no_types_to_tell_and_runs(tmp_path: Path) -> None:
    with release("node:1.17.0", fetch=True).child() as child:
        model = identity(value("x"))
        model.opset_import[0].version, model.ir_version = 13, 7
        onnx.save(model, tmp_path / "m.onnx")
        found = child.ask("load", {"session": session(tmp_path / "m.onnx")}).value
        assert found["inputs"] == [{"name": "x", "type": "", "shape": None}]
        given = TensorValue(DataType.FLOAT, (2,), np.array([1.5, -2], np.float32))
        assert run(child, tmp_path, model, given).ok


def session(path: Path, kind: FileKind = FileKind.ONNX) -> dict[str, object]:
    return Session(
        str(path), kind, disabled_optimizers=converter_disabled(Level.ALL, None)
    ).to_json()


def run(child: Child, folder: Path, model: ModelProto, given: Value, **changes: object) -> Outcome:
    onnx.save(model, folder / "m.onnx")
    described = write_values(folder / "in.npz", {"x": given})
    arguments = {
        "session": session(folder / "m.onnx") | changes,
        "inputs": {"file": str(folder / "in.npz"), "values": described},
        "outputs": str(folder / "out.npz"),
    }
    return child.ask("run", arguments)


def test_it_says_what_it_has_to_offer(under: Runtime, child: Child) -> None:
    found = child.ask("probe", {}).value
    assert found["onnxruntime"] == under.onnxruntime == RELEASE
    providers = cast("list[str]", found["providers"])
    assert ("wasm" if under.name.startswith("web") else "cpu") in providers
    assert "node v" in str(found["platform"])
    assert child.hello is not None


def test_it_loads_and_says_what_the_model_takes_and_gives(child: Child, tmp_path: Path) -> None:
    onnx.save(identity(value("x", FLOAT, ["batch", 3])), tmp_path / "m.onnx")
    found = child.ask("load", {"session": session(tmp_path / "m.onnx")}).value
    assert found["inputs"] == [{"name": "x", "type": "tensor(float)", "shape": ["batch", 3]}]
    assert found["load_ns"]


@pytest.mark.parametrize("given", GIVEN, ids=lambda v: DataType(v.data_type).name)
def test_tensors_of_its_types_go_in_and_come_out(
    child: Child, tmp_path: Path, given: TensorValue
) -> None:
    model = identity(value("x", given.data_type, given.dims))
    outcome = run(child, tmp_path, model, given)
    assert outcome.ok, outcome.details
    described = cast("list[Description]", outcome.value["outputs"])
    found = read_values(tmp_path / "out.npz", described)["x_out"]
    assert isinstance(found, TensorValue)
    assert (found.data_type, found.dims) == (given.data_type, given.dims)
    np.testing.assert_array_equal(found.numbers, given.numbers)


@pytest.mark.parametrize("way", ["path", "bytes"])
def test_it_times_load_and_run(child: Child, tmp_path: Path, way: str) -> None:
    onnx.save(identity(value("x")), tmp_path / "m.onnx")
    given = TensorValue(DataType.FLOAT, (2,), np.array([1.5, -2], np.float32))
    described = write_values(tmp_path / "in.npz", {"x": given})
    arguments: dict[str, object] = {
        "session": session(tmp_path / "m.onnx"),
        "way": way,
        "files": [str(tmp_path / "m.onnx")],
        "cache": "warm",
        "inputs": {"file": str(tmp_path / "in.npz"), "values": described},
        "outputs": str(tmp_path / "out.npz"),
        "warmup": 1,
        "runs": 5,
        "run_ns": 60_000_000_000,
    }
    outcome = child.ask("measure", arguments)
    assert outcome.ok, outcome.details
    assert len(cast("list[int]", outcome.value["run_ns"])) == 5
    names = ("load_ns", "first_run_ns", "peak_rss_bytes", "rss_after_load_bytes")
    assert all(outcome.value[name] for name in names)
    outputs = cast("list[Description]", outcome.value["outputs"])
    found = read_values(tmp_path / "out.npz", outputs)["x_out"]
    assert isinstance(found, TensorValue)
    assert found.numbers.tolist() == [1.5, -2]
    load_alone = child.ask("measure", arguments | {"inputs": None})
    assert "run_ns" not in load_alone.value
    mapped = child.ask("measure", arguments | {"way": "mapped"})
    assert mapped.failure is not None
    assert mapped.failure.kind == "unsupported"


def test_what_it_has_no_way_for_it_says(child: Child, tmp_path: Path) -> None:
    bits = TensorValue(DataType.BFLOAT16, (2,), encode(DataType.BFLOAT16, np.array([1.5, -2])))
    sequence = SequenceValue((TensorValue(DataType.FLOAT, (1,), np.zeros(1, np.float32)),))
    plain = TensorValue(DataType.FLOAT, (2,), np.zeros(2, np.float32))
    model = identity(value("x"))
    for outcome, words in (
        (run(child, tmp_path, model, bits), "element type 16"),
        (run(child, tmp_path, model, sequence), "a sequence"),
        (run(child, tmp_path, model, plain, custom_ops="/lib.so"), "custom operator libraries"),
        (run(child, tmp_path, model, plain, disabled_optimizers=["X"]), "leave out X"),
        (run(child, tmp_path, model, plain, providers=["XnnpackExecutionProvider"]), "CPU alone"),
        (child.ask("convert", {"session": session(tmp_path / "m.onnx")}), "cannot convert"),
    ):
        assert outcome.failure is not None
        assert outcome.failure.kind == "unsupported"
        assert words in outcome.failure.message


def test_what_it_refuses_is_told_by_what_was_done(child: Child, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    bad = child.ask("load", {"session": session(tmp_path / "bad.onnx")})
    none = child.ask("load", {"session": session(tmp_path / "none.onnx")})
    wrong = TensorValue(DataType.FLOAT, (3,), np.zeros(3, np.float32))
    wrong_run = run(child, tmp_path, identity(value("x")), wrong)
    for outcome, kind in ((bad, "load"), (none, "load"), (wrong_run, "run")):
        assert outcome.failure is not None
        assert (outcome.ending, outcome.failure.kind) == (Ending.FAILED, kind)
        assert outcome.failure.message
    assert child.ask("probe", {}).ok


def test_it_runs_ort_format_whatever_the_name_is(
    child: Child, tmp_path: Path, corpus: Path
) -> None:
    source = corpus / "v6_ort1.16.0_mlp_fixed_disable.ort"
    shutil.copy(source, tmp_path / "m.onnx")
    found = child.ask("load", {"session": session(tmp_path / "m.onnx", FileKind.ORT)})
    assert found.ok, found.words


def test_a_session_is_kept_until_its_file_changes(child: Child, tmp_path: Path) -> None:
    given = TensorValue(DataType.FLOAT, (2,), np.zeros(2, np.float32))
    first = run(child, tmp_path, identity(value("x")), given).value["load_ns"]
    described = write_values(tmp_path / "in.npz", {"x": given})
    inputs = {"file": str(tmp_path / "in.npz"), "values": described}
    arguments = {"session": session(tmp_path / "m.onnx"), "inputs": inputs}
    outputs = {"outputs": str(tmp_path / "out.npz")}
    assert child.ask("run", arguments | outputs).value["load_ns"] == first


def node(program: str, *arguments: Path) -> str:
    """What a program of ours prints, with the child's own modules at hand."""
    head = f"const npz = require({json.dumps(str(NODE_AGENT / 'npz.js'))});"
    command = ["node", "-e", head + program, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    return done.stdout


def test_arrays_are_read_as_numpy_writes_them(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6, dtype="<i2").reshape(2, 3), "empty": np.zeros((0, 2), "<f4")}
    np.savez(tmp_path / "stored.npz", **arrays)  # type: ignore[arg-type]
    np.savez_compressed(tmp_path / "deflated.npz", **arrays)  # type: ignore[arg-type]
    show = (
        "for (const [name, data] of npz.readNpz(process.argv[1]))"
        " console.log(name, Buffer.from(data.buffer).toString('hex'));"
    )
    for name in ("stored.npz", "deflated.npz"):
        printed = node(show, tmp_path / name)
        assert printed == f"a {arrays['a'].tobytes().hex()}\nempty \n"


def test_numpy_reads_the_arrays_that_it_writes(tmp_path: Path) -> None:
    write = (
        "npz.writeNpz(process.argv[1], new Map(["
        "['a', {type: '<i2', bytes: Buffer.from([1, 0, 2, 0]), shape: [2, 1]}],"
        "['日', {type: '|u1', bytes: Buffer.from([7])}],"
        "['scalar', {type: '<i2', bytes: Buffer.from([3, 0]), shape: []}],"
        "['empty', {type: '<f8', bytes: Buffer.alloc(0), shape: [0, 3]}]]));"
    )
    node(write, tmp_path / "made.npz")
    with np.load(tmp_path / "made.npz") as found:
        assert {name: found[name].tolist() for name in found} == {
            "a": [[1], [2]],
            "日": [7],
            "scalar": 3,
            "empty": [],
        }
        assert found["empty"].shape == (0, 3)


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"nothing")
    attempt = "try { npz.readNpz(process.argv[1]) } catch (error) { console.log(error.message) }"
    assert node(attempt, tmp_path / "x.npz") == "this is no zip file\n"
