"""Profiles, through real children."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest
from onnx import helper

from ortstudio.errors import JobError, RefusedError
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.compare import TRUST
from ortstudio.services.compare_sides import opened
from ortstudio.services.conversion import CancelledError
from ortstudio.services.profile import ProfileSettings, profile
from ortstudio.services.profile_found import Profile, named
from ortstudio.services.sessions import Level
from tests.builders.conversions import to_ort
from tests.builders.knowledge import CORPUS
from tests.builders.onnx_files import onnx_model, value
from tests.e2e.command import Answer, ortstudio
from tests.e2e.converting import equal_defaults
from tests.e2e.layers import Lent

SOURCES = CORPUS / "sources"
CNN, FUSED = SOURCES / "cnn.onnx", CORPUS / "v6_ort1.22.1_cnn_fixed_all.ort"
RECORDED = CORPUS / "v6_ort1.32.0_qdq_conv_runtime_all.ort"
NODE_KEYS = {"graph", "index", "name", "op", "ns", "share", "source"}


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with agent_child() as made:
        yield made


def profiled(
    child: Child,
    file: Path,
    source: Path | None = None,
    level: Level = Level.ALL,
    replay: bool = False,
) -> Profile:
    settings = ProfileSettings(level=level, replay=replay, runs=6, budget_s=0.2)
    other = opened(source) if source else None
    return profile(opened(file), settings, other, make_child=lambda: Lent(child))


def adds_up(answer: Answer) -> bool:
    """Whether nodes and the rest are the whole run, none of them negative."""
    parts = [node["ns"] for node in answer["nodes"]] + [answer["between_nodes_ns"]]
    return bool(min(parts) >= 0 and sum(parts) == answer["run_ns"])


def test_the_answer_has_every_key_and_adds_up(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    done = ortstudio("profile", FUSED, "--source", CNN, "--runs", "5", "--trace", trace, "--json")
    assert (done.code, done.err) == (0, "")
    answer = done.json
    assert answer["schema"] == "ortstudio/profile@1"
    assert all(node.keys() >= NODE_KEYS for node in answer["nodes"])
    assert adds_up(answer)
    assert adds_up(answer["source"])
    by_name = {node["name"]: node for node in answer["nodes"]}
    assert by_name["conv1"]["op"] == "com.microsoft.FusedConv"
    sources = [node["name"] for node in by_name["conv1"]["source"]]
    assert sources == ["conv1", "bn1", "relu1"]
    fusions = {fusion["b"][0]["name"]: fusion for fusion in answer["fusions"]}
    saved = fusions["conv1"]
    assert saved["saved_ns"] == saved["a_ns"] - saved["b_ns"]
    assert saved["b_ns"] == by_name["conv1"]["ns"]
    assert (
        sum(part["ns"] for part in answer["operators"]) + answer["between_nodes_ns"]
        == (answer["run_ns"])
    )
    assert len(answer["runs_ns"]) == 5
    events = json.loads(trace.read_text())
    assert {event["cat"] for event in events} == {"Session", "Node"}
    assert str(CORPUS) not in trace.read_text()
    again = ortstudio("profile", FUSED, "--trace", trace)
    assert (again.code, "exists already" in again.err) == (1, True)


def test_the_text_tells_where_the_time_goes() -> None:
    done = ortstudio("profile", CNN, "--runs", "5")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"A run takes [\d.]+ .s with the profile on, [\d.]+ .s without", done.out)
    assert "lie between them" in " ".join(done.out.split())
    assert "made at load of Conv 'conv1', BatchNormalization 'bn1' and Relu 'relu1'" in done.out
    assert "Operators" in done.out


@pytest.mark.parametrize("file", ["cnn", "encoder", "control", "consts", "qdq"])
def test_as_stored_every_node_is_one_of_the_file(child: Child, file: str) -> None:
    found = profiled(child, SOURCES / f"{file}.onnx", level=Level.DISABLE)
    assert all(node.in_file for node in found.file.times.nodes)
    assert adds_up(found.to_json())


@pytest.mark.parametrize("file", ["cnn", "encoder", "functions", "control", "qdq"])
def test_what_is_made_at_load_is_named_with_what_it_came_of(child: Child, file: str) -> None:
    found = profiled(child, SOURCES / f"{file}.onnx")
    made = [node for node in found.file.times.nodes if not node.in_file]
    unknown = [node.op for node in made if not found.file.in_file(node)]
    # Only what lays values out for others stands for nothing.
    assert {op.rpartition(".")[2] for op in unknown} <= {
        "Transpose", "ReorderInput", "ReorderOutput", "Reshape",
    }  # fmt: skip
    assert adds_up(found.to_json())


def test_nodes_in_subgraphs_are_told_apart_and_holders_keep_what_is_theirs(child: Child) -> None:
    found = profiled(child, SOURCES / "control.onnx", level=Level.DISABLE)
    nodes = {(node.ref.graph, node.name): node for node in found.file.times.nodes}
    loop, inner = nodes["/", "loop"], nodes["/loop/body", "is_late"]
    assert 0 <= loop.ns < loop.total_ns
    assert inner.calls > 1 or inner.total_ns == inner.ns
    assert ("/loop/body/inner_if/else_branch", "inner_add_outer") in nodes or (
        "/loop/body/inner_if/then_branch", "inner_half",
    ) in nodes  # fmt: skip


def test_saved_optimizations_run_only_where_they_are_asked_for(child: Child) -> None:
    plain, replayed = (profiled(child, RECORDED, replay=replay) for replay in (False, True))
    assert plain.notes == ()
    assert replayed.notes == (TRUST,)
    assert {node.op for node in plain.file.times.nodes} >= {"Conv", "Relu"}
    ops = {node.op: node for node in replayed.file.times.nodes}
    assert "Conv" not in ops
    fused = ops["com.microsoft.FusedConv"]
    assert not fused.in_file
    came_of = [node["op"] for node in named(replayed.file.in_file(fused), replayed.file.document)]
    assert came_of == ["Conv", "Relu"]
    nothing = profiled(child, FUSED, replay=True)
    assert nothing.notes == ("The file has no saved optimizations to apply",)


def test_times_go_back_to_the_nodes_of_the_source(child: Child, tmp_path: Path) -> None:
    source = SOURCES / "encoder.onnx"
    found = profiled(child, to_ort(source, tmp_path / "m.ort"), source)
    back = found.by_source_node()
    graph = opened(source).model.main
    assert {ref.graph for ref in back} == {"/"}
    assert len(back) == len(graph.nodes)
    assert found.file.by_file_node()
    assert sum(fusion.saved_ns for fusion in found.fusions()) != 0


def test_a_lost_default_value_is_given_on_either_side(child: Child, tmp_path: Path) -> None:
    source = tmp_path / "m.onnx"
    onnx.save(equal_defaults(), source)
    result = to_ort(source, tmp_path / "m.ort")
    for file, other in ((result, source), (source, result)):
        assert profiled(child, file, other).source is not None


def test_a_source_with_other_inputs_is_refused(child: Child) -> None:
    with pytest.raises(RefusedError, match="the file needs image, which the source lacks"):
        profiled(child, CNN, SOURCES / "mlp.onnx")


def test_a_model_that_does_not_run_is_said_to(child: Child, tmp_path: Path) -> None:
    node = helper.make_node("Nothing", ["x"], ["y"], domain="my.ops")
    onnx.save(onnx_model([node], [value("x")], [value("y")], domains=["my.ops"]), tmp_path / "m")
    with pytest.raises(JobError, match=r"my\.ops"):
        profiled(child, tmp_path / "m")


def test_it_can_be_cancelled() -> None:
    with pytest.raises(CancelledError, match="The profile was cancelled"):
        profile(opened(CNN), ProfileSettings(), cancelled=lambda: True)


@pytest.mark.parametrize("arguments", [["--runs", "1"], ["--overwrite"], ["--trace", str(CNN)]])
def test_what_makes_no_sense_is_refused(arguments: list[str]) -> None:
    assert ortstudio("profile", CNN, *arguments).code == 2
