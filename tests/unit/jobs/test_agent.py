"""The agent with the installed runtime, asked as the program asks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.jobs.runner import AGENT, Child, Ending, agent_child
from ortstudio.model.bits import encode
from ortstudio.model.types import DataType
from ortstudio.services.exchange import (
    MapValue,
    SequenceValue,
    TensorValue,
    Value,
    read_values,
    write_values,
)
from tests.builders.onnx_files import FLOAT, identity, onnx_model, value


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    """One agent for all tests that leave it alive."""
    with agent_child() as made:
        yield made


def session(path: Path, **changes: object) -> dict[str, object]:
    config = {"session.load_model_format": "ONNX"}
    return {"model": str(path), "level": "all", "config": config, **changes}


def run_arguments(
    folder: Path, model: ModelProto, values: Mapping[str, Value], **changes: object
) -> dict[str, object]:
    onnx.save(model, folder / "m.onnx")
    described = write_values(folder / "in.npz", values)
    return {
        "session": session(folder / "m.onnx", **changes),
        "inputs": {"file": str(folder / "in.npz"), "values": described},
        "outputs": str(folder / "out.npz"),
    }


def run(
    child: Child, folder: Path, model: ModelProto, values: Mapping[str, Value]
) -> dict[str, Value]:
    outcome = child.ask("run", run_arguments(folder, model, values))
    assert outcome.ok, outcome.words
    described = outcome.value["outputs"]
    assert isinstance(described, list)
    return read_values(folder / "out.npz", described)


def tensor(data_type: DataType, numbers: object) -> TensorValue:
    array = np.array(numbers)
    return TensorValue(data_type, array.shape, encode(data_type, array))


def test_it_says_what_it_has_to_offer(child: Child) -> None:
    found = child.ask("probe", {}).value
    assert found["onnxruntime"] == onnxruntime.__version__
    assert found["providers"] == onnxruntime.get_available_providers()
    assert found["numpy"] == np.__version__
    assert found["package"] == onnxruntime.__file__
    assert child.hello is not None
    assert child.hello.platform == sys.platform


@pytest.mark.parametrize("verb", ["unheard of", "convert", "run"])
def test_a_wrong_request_is_an_answer_not_a_crash(child: Child, verb: str) -> None:
    outcome = child.ask(verb, {"session": 1})
    assert outcome.failure is not None
    assert outcome.failure.kind in ("request", "load")
    assert child.ask("probe", {}).ok


def test_it_loads_and_says_what_the_model_takes_and_gives(child: Child, tmp_path: Path) -> None:
    onnx.save(identity(value("x", FLOAT, ["batch", 3, None])), tmp_path / "m.onnx")
    found = child.ask("load", {"session": session(tmp_path / "m.onnx")}).value
    (taken,) = cast("list[object]", found["inputs"])
    assert taken == {"name": "x", "type": "tensor(float)", "shape": ["batch", 3, None]}
    assert found["providers"] == ["CPUExecutionProvider"]
    assert found["load_ns"]


def test_it_converts_whatever_the_name_is(child: Child, tmp_path: Path) -> None:
    """By path the runtime would go by the extension."""
    onnx.save(identity(value("x")), tmp_path / "m.ort")
    config = {"session.load_model_format": "ONNX", "session.save_model_format": "ORT"}
    asked = session(tmp_path / "m.ort", config=config)
    assert child.ask("convert", {"session": asked, "output": str(tmp_path / "result")}).ok
    assert (tmp_path / "result").read_bytes()[4:8] == b"ORTM"
    asked = session(tmp_path / "result", config={"session.load_model_format": "ORT"})
    described = write_values(tmp_path / "in.npz", {"x": tensor_of_floats()})
    inputs = {"file": str(tmp_path / "in.npz"), "values": described}
    arguments = {"session": asked, "inputs": inputs, "outputs": str(tmp_path / "out.npz")}
    assert child.ask("run", arguments).ok


def tensor_of_floats() -> TensorValue:
    return TensorValue(DataType.FLOAT, (2,), np.array([1.5, -2], np.float32))


PASSED_THROUGH = [
    TensorValue(DataType.FLOAT, (1, 2), np.array([[1.5, np.nan]], np.float32)),
    TensorValue(DataType.DOUBLE, (0, 2), np.zeros((0, 2))),
    TensorValue(DataType.FLOAT16, (2,), np.array([1.5, -2], np.float16)),
    TensorValue(DataType.INT64, (), np.array(2**62)),
    TensorValue(DataType.UINT8, (2,), np.array([1, 255], np.uint8)),
    TensorValue(DataType.BOOL, (2,), np.array([True, False])),
    TensorValue(DataType.STRING, (2, 1), np.array([["a\0b"], ["日本"]], object)),
    TensorValue(DataType.BFLOAT16, (2,), encode(DataType.BFLOAT16, np.array([1.5, -2]))),
    TensorValue(DataType.FLOAT8E4M3FN, (3,), encode(DataType.FLOAT8E4M3FN, np.array([1, 2, 3]))),
    TensorValue(DataType.FLOAT8E5M2FNUZ, (1,), encode(DataType.FLOAT8E5M2FNUZ, np.array([4]))),
]


@pytest.mark.parametrize("given", PASSED_THROUGH, ids=lambda v: DataType(v.data_type).name)
def test_tensors_of_every_type_go_in_and_come_out(
    child: Child, tmp_path: Path, given: TensorValue
) -> None:
    model = identity(value("x", given.data_type, given.dims))
    found = run(child, tmp_path, model, {"x": given})["x_out"]
    assert isinstance(found, TensorValue)
    assert (found.data_type, found.dims) == (given.data_type, given.dims)
    np.testing.assert_array_equal(found.numbers, given.numbers)


@pytest.mark.parametrize("data_type", [DataType.INT4, DataType.UINT4])
def test_4_bit_tensors_go_in_and_come_out(
    child: Child, tmp_path: Path, data_type: DataType
) -> None:
    scale = helper.make_tensor("s", FLOAT, [], [1.0])
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "s"], ["f"]),
        helper.make_node("QuantizeLinear", ["f", "s"], ["q"], output_dtype=int(data_type)),
    ]
    outputs = [value("f", FLOAT, [5]), value("q", data_type, [5])]
    model = onnx_model(nodes, [value("x", data_type, [5])], outputs, [scale])
    found = run(child, tmp_path, model, {"x": tensor(data_type, [0, 1, 2, 3, 7])})
    for output in ("f", "q"):
        got = found[output]
        assert isinstance(got, TensorValue)
        assert got.numbers.tolist() == [0, 1, 2, 3, 7]


def test_sequences_and_maps_go_in_and_come_out(child: Child, tmp_path: Path) -> None:
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))
    given = SequenceValue((tensor_of_floats(), tensor_of_floats()))
    found = run(child, tmp_path, identity(helper.make_value_info("x", sequence)), {"x": given})
    assert isinstance(found["x_out"], SequenceValue)
    assert len(found["x_out"].elements) == 2

    scores = helper.make_map_type_proto(
        TensorProto.STRING, helper.make_tensor_type_proto(FLOAT, None)
    )
    labels = helper.make_value_info("z", helper.make_sequence_type_proto(scores))
    nodes = [
        helper.make_node(
            "DictVectorizer", ["m"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b"]
        ),
        helper.make_node(
            "ZipMap", ["y"], ["z"], domain="ai.onnx.ml", classlabels_strings=["c", "d"]
        ),
    ]
    model = onnx_model(
        nodes, [helper.make_value_info("m", scores)], [labels], domains=["ai.onnx.ml"]
    )
    keys = TensorValue(DataType.STRING, (2,), np.array(["b", "a"], object))
    found = run(child, tmp_path, model, {"m": MapValue(keys, tensor_of_floats())})
    assert isinstance(found["z"], SequenceValue)
    (first,) = found["z"].elements
    assert isinstance(first, MapValue)
    assert dict(zip(first.keys.numbers.tolist(), first.values.numbers.tolist(), strict=True)) == {
        "c": -2.0,
        "d": 1.5,
    }


def test_outputs_keep_the_models_order(child: Child, tmp_path: Path) -> None:
    cast = helper.make_node("Cast", ["x"], ["b"], to=TensorProto.BFLOAT16)
    same = helper.make_node("Identity", ["x"], ["a"])
    outputs = [value("b", TensorProto.BFLOAT16), value("a")]
    model = onnx_model([same, cast], [value("x")], outputs)
    assert list(run(child, tmp_path, model, {"x": tensor_of_floats()})) == ["b", "a"]


def test_what_the_runtime_refuses_is_told_by_what_was_done(child: Child, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    given = {"x": TensorValue(DataType.FLOAT, (3,), np.zeros(3, np.float32))}
    arguments = run_arguments(tmp_path, identity(value("x")), given)
    for changed, kind in (
        ({}, "run"),
        ({"session": session(tmp_path / "bad.onnx")}, "load"),
        ({"session": session(tmp_path / "none.onnx")}, "load"),
        ({"session": session(tmp_path / "m.onnx", custom_ops="/none.so")}, "custom-ops"),
        ({"inputs": {"file": str(tmp_path / "bad.onnx"), "values": []}}, "values"),
        ({"outputs": str(tmp_path / "none" / "out.npz"), "inputs": good(tmp_path)}, "values"),
    ):
        outcome = child.ask("run", arguments | changed)
        assert outcome.failure is not None
        assert (outcome.ending, outcome.failure.kind) == (Ending.FAILED, kind)
        assert outcome.failure.message


def good(folder: Path) -> dict[str, object]:
    described = write_values(folder / "good.npz", {"x": tensor_of_floats()})
    return {"file": str(folder / "good.npz"), "values": described}


def test_a_session_is_kept_until_its_file_changes(child: Child, tmp_path: Path) -> None:
    arguments = run_arguments(tmp_path, identity(value("x")), {"x": tensor_of_floats()})
    first, second = (child.ask("run", arguments).value["load_ns"] for _ in range(2))
    assert first == second
    onnx.save(identity(value("x", FLOAT, [3])), tmp_path / "m.onnx")
    outcome = child.ask("run", arguments)
    assert outcome.failure is not None
    assert "Expected: 3" in outcome.failure.message


def slow_model() -> ModelProto:
    """Loads at once and runs for minutes."""
    nodes = [helper.make_node("MatMul", [f"v{i}", "v0"], [f"v{i + 1}"]) for i in range(20_000)]
    return onnx_model(nodes, [value("v0", FLOAT, [512, 512])], [value("v20000", FLOAT, [512, 512])])


def test_a_run_lets_itself_be_cancelled(tmp_path: Path) -> None:
    given = {"v0": TensorValue(DataType.FLOAT, (512, 512), np.zeros((512, 512), np.float32))}
    arguments = run_arguments(tmp_path, slow_model(), given, level="disable")
    phases: list[str] = []
    with agent_child() as child:
        outcome = child.ask(
            "run",
            arguments,
            on_message=lambda message: phases.append(getattr(message, "phase", "")),
            cancelled=lambda: "run" in phases,
        )
    assert outcome.ending is Ending.CANCELLED
    assert phases == ["load", "run"]


def test_it_ends_when_its_parent_is_gone(tmp_path: Path) -> None:
    """No pipe is closed in order here: the parent is killed in the midst of a run."""
    given = {"v0": TensorValue(DataType.FLOAT, (512, 512), np.zeros((512, 512), np.float32))}
    arguments = run_arguments(tmp_path, slow_model(), given, level="disable")
    parent = (
        "import json, os, sys\n"
        "from ortstudio.jobs.runner import agent_child\n"
        "child = agent_child()\n"
        "def heard(message):\n"
        "    if message.phase == 'run':\n"
        "        print(child._process.pid, flush=True)\n"
        "        os.kill(os.getpid(), 9) if os.name == 'posix' else os._exit(1)\n"
        "child.ask('run', json.loads(sys.argv[1]), on_message=heard)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", parent, json.dumps(arguments)],
        stdout=subprocess.PIPE,
        check=False,
        cwd=AGENT.parent.parent.parent,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 60
    while alive(pid):
        assert time.monotonic() < deadline, "the orphan goes on"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether the process runs; one that nobody reaped does not."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_it_starts_without_numpy_and_shadows_no_module_of_the_interpreter() -> None:
    names = {path.name for path in AGENT.iterdir()} - {"__pycache__"}
    assert names == {"__main__.py", "ortstudio_agent"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(AGENT)], input=b"", stdout=subprocess.PIPE, check=True
    )
    (line,) = done.stdout.strip().splitlines()
    assert json.loads(line)["type"] == "hello"


def test_it_runs_from_one_piece_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "agent.zip", "w") as packed:
        for path in AGENT.rglob("*.py"):
            packed.write(path, path.relative_to(AGENT))
    with Child([sys.executable, str(tmp_path / "agent.zip")]) as child:
        assert child.ask("probe", {}).ok


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no processors to choose from")
def test_it_keeps_to_the_processors_that_it_is_given(tmp_path: Path) -> None:
    model, x = identity(value("x", FLOAT, [2])), np.ones(2, np.float32)
    arguments = run_arguments(tmp_path, model, {"x": TensorValue(DataType.FLOAT, (2,), x)})
    how = {"way": "path", "files": [], "warmup": 1, "runs": 2, "run_ns": 0}
    cpu = max(os.sched_getaffinity(0))
    with Child([sys.executable, str(AGENT)]) as child:
        assert child.ask("measure", arguments | how | {"cpus": [cpu]}).ok
        threads = [int(path.name) for path in Path(f"/proc/{child.process_id}/task").iterdir()]
        assert {cpu} in [os.sched_getaffinity(thread) for thread in threads]
        refused = child.ask("measure", arguments | how | {"cpus": [1 << 14]})
    assert refused.failure is not None
    assert refused.failure.kind == "request"


SLOW_IMPORT = f"""
import runpy, sys, time
class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        time.sleep(0.3 * (name == "ortstudio_agent.worker"))
sys.meta_path.insert(0, Slow)
runpy.run_path({str(AGENT)!r}, run_name="__main__")
"""


def test_imports_that_wait_are_told_apart_from_what_is_measured(tmp_path: Path) -> None:
    model, x = identity(value("x", FLOAT, [2])), np.ones(2, np.float32)
    arguments = run_arguments(tmp_path, model, {"x": TensorValue(DataType.FLOAT, (2,), x)})
    path = str(tmp_path / "m.onnx")
    how = {"way": "path", "files": [path], "cache": "warm", "warmup": 1, "runs": 2, "run_ns": 0}
    with Child([sys.executable, "-c", SLOW_IMPORT]) as slow:
        outcome = slow.ask("measure", arguments | how)
    assert outcome.ok, outcome.words
    found = cast("dict[str, int]", outcome.value)
    assert found["import_ns"] > 3e8
    assert found["load_ns"] > 0
    assert len(cast("list[int]", found["run_ns"])) == 2
