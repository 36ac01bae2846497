"""`ortstudio bench` from the outside."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper

from tests.builders.knowledge import CORPUS
from tests.builders.native_libraries import TWICE, built
from tests.builders.onnx_files import FLOAT, onnx_model, value
from tests.builders.toolchains import headers
from tests.e2e.command import ortstudio

ONNX = CORPUS / "sources" / "cnn.onnx"
ORT = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"
Json = dict[str, Any]
MEASURES = {"load_ns", "first_run_ns", "run_ns", "peak_rss_bytes", "rss_after_load_bytes"}


def test_two_files_are_measured_in_rounds_and_all_samples_kept(tmp_path: Path) -> None:
    saved = tmp_path / "r.json"
    done = ortstudio("bench", ONNX, ORT, "--budget", "4", "--save", saved, "--json")
    assert done.code == 0
    answer = done.json
    assert answer["schema"] == "ortstudio/bench@1"
    first, second = answer["subjects"]
    assert (first["path"], first["mode"], first["status"]) == (str(ONNX), "path", "ok")
    assert (second["path"], second["level"], second["threads"]) == (str(ORT), "all", None)
    rounds = answer["rounds"]
    assert rounds >= 1
    for subject in (first, second):
        assert len(subject["load_ns"]) == len(subject["peak_rss_bytes"]) == rounds
        assert len(subject["run_ns"]) == sum(subject["runs_by_round"]) > rounds
        assert all(value > 0 for value in subject["load_ns"] + subject["run_ns"])
    assert set(answer["summary"][0]) == MEASURES
    _check_loads(first, second)
    assert answer["summary"][0]["load_ns"]["against_first"] is None
    against = answer["summary"][1]["run_ns"]["against_first"]
    assert set(against) == {"ratio", "low", "high", "verdict"}
    assert answer["environment"]["cpu"]
    assert json.loads(saved.read_text(encoding="utf-8")) == answer


def _check_loads(onnx_row: Json, ort_row: Json) -> None:
    """The runtime times the building of an ONNX model apart; both are read whole, once."""
    built, loaded = onnx_row["load_parts"], ort_row["load_parts"]
    assert built["model_loading_ns"] > 0
    assert built["model_loading_ns"] + built["session_initialization_ns"] <= built["load_ns"]
    assert loaded["model_loading_ns"] is None
    assert 0 < loaded["session_initialization_ns"] <= loaded["load_ns"]
    for row in (onnx_row, ort_row):
        assert all(size <= read < 2 * size for read in row["read_bytes"] for size in [_size(row)])


def _size(row: Json) -> int:
    return Path(row["path"]).stat().st_size


def test_few_rounds_give_no_verdict_and_say_so() -> None:
    answer = ortstudio("bench", ONNX, ORT, "--budget", "2", "--json").json
    verdicts = {row["against_first"]["verdict"] for row in answer["summary"][1].values()}
    assert verdicts == {"no clear difference"}
    assert any("no verdict is given on fewer" in note for note in answer["notes"])


def test_as_text_it_names_the_file_the_machine_and_the_figures() -> None:
    done = ortstudio("bench", ORT, "--budget", "1")
    assert done.code == 0
    assert done.out.splitlines()[1].startswith(ORT.name)
    assert "peak memory" in done.out
    assert "session initialized in" in done.out
    assert "processors" in done.out


def test_a_result_is_not_replaced_unasked(tmp_path: Path) -> None:
    saved = tmp_path / "r.json"
    saved.write_text("mine", encoding="utf-8")
    done = ortstudio("bench", ORT, "--budget", "1", "--save", saved)
    assert done.code == 1
    assert saved.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("budget", ["0", "-1", "soon"])
def test_a_budget_is_a_number_of_seconds(budget: str) -> None:
    assert ortstudio("bench", ORT, "--budget", budget).code == 2


def test_what_is_no_model_is_no_input(tmp_path: Path) -> None:
    text = tmp_path / "notes.ort"
    text.write_text("notes", encoding="utf-8")
    assert ortstudio("bench", text).code == 3
    assert ortstudio("bench", tmp_path / "nowhere.ort").code == 3


def test_a_file_under_another_name_is_measured_all_the_same(tmp_path: Path) -> None:
    renamed = tmp_path / "model.bin"
    shutil.copy(ORT, renamed)
    done = ortstudio("bench", renamed, "--budget", "1", "--json")
    assert [subject["status"] for subject in done.json["subjects"]] == ["ok"]


def test_batches_and_threads_are_subjects_and_all_files_are_written(tmp_path: Path) -> None:
    files = {kind: tmp_path / f"r.{kind}" for kind in ("json", "csv", "html")}
    done = ortstudio(
        "bench", ONNX, "--batches", "1,4", "--threads", "1,2", "--budget", "2", "--json",
        "--save", files["json"], "--csv", files["csv"], "--html", files["html"],
    )  # fmt: skip
    assert done.code == 0
    answer = done.json
    found = [(subject["batch"], subject["threads"]) for subject in answer["subjects"]]
    assert found == [(1, 1), (1, 2), (4, 1), (4, 2)]
    assert all("item_ns" in row for row in answer["summary"])
    assert answer["summary"][2]["run_ns"]["against_first"] is None
    assert answer["overhead"]["overhead_ns"] > 0
    assert files["csv"].read_text(encoding="utf-8").count("item") == 0
    assert "<svg" in files["html"].read_text(encoding="utf-8")
    again = ortstudio("bench", ONNX, "--budget", "1", "--against", files["json"], "--json").json
    assert any("different times" in note for note in again["against"]["notes"])


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no processors to choose from")
def test_children_keep_to_some_processors_when_told_to() -> None:
    cpu = max(os.sched_getaffinity(0))
    done = ortstudio("bench", ORT, "--budget", "1", "--cpus", str(cpu), "--json")
    assert done.code == 0
    assert done.json["environment"]["cpus_kept_to"] == [cpu]
    refused = ortstudio("bench", ORT, "--budget", "1", "--cpus", "1023")
    assert refused.code == 2
    assert "no such processors" in refused.err


def test_a_batch_needs_a_symbolic_size() -> None:
    fixed = CORPUS / "v6_ort1.32.0_encoder_fixed_extended.ort"
    done = ortstudio("bench", fixed, "--batches", "2", "--budget", "1")
    assert done.code == 1
    assert "batch size is fixed" in done.err
    assert ortstudio("bench", ORT, "--batches", "two").code == 2


def test_levels_and_providers_are_subjects_too() -> None:
    options = ("--budget", "1", "--json", "--level", "all,disable", "--provider", "azure")
    subjects = ortstudio("bench", ORT, *options, "--runtime", "own").json["subjects"]
    assert [(subject["provider"], subject["level"]) for subject in subjects] == [
        ("CPUExecutionProvider", "all"),
        ("CPUExecutionProvider", "disable"),
        ("AzureExecutionProvider", "all"),
        ("AzureExecutionProvider", "disable"),
    ]
    assert {subject["status"] for subject in subjects} == {"ok"}
    refused = ortstudio("bench", ORT, "--provider", "teapot")
    assert (refused.code, "no execution provider named teapot" in refused.err) == (2, True)
    assert ortstudio("bench", ORT, "--level", "most").code == 2


def test_a_model_with_custom_operators_is_measured_with_their_library(tmp_path: Path) -> None:
    node = helper.make_node("Twice", ["x"], ["y"], domain="my.ops")
    ends = value("x", FLOAT, [2, 3]), value("y", FLOAT, [2, 3])
    source = tmp_path / "twice.onnx"
    onnx.save(onnx_model([node], ends[:1], ends[1:], domains=["my.ops"]), source)
    library = built(TWICE, tmp_path, f"-I{headers()}")
    answer = ortstudio("bench", source, "--custom-ops", library, "--budget", "1", "--json").json
    assert [subject["status"] for subject in answer["subjects"]] == ["ok"]
    assert answer["environment"]["custom_ops"] == library.name
    assert ortstudio("bench", source, "--custom-ops", tmp_path / "none.so").code != 0
