"""`ortstudio explain` from the outside."""

from __future__ import annotations

from pathlib import Path

from tests.builders.knowledge import CORPUS
from tests.e2e.command import ortstudio

MODERN = CORPUS / "v6_ort1.18.1_modern_fixed_disable.ort"
RECORDS = CORPUS / "v5_ort1.15.1_qdq_runtime_all.ort"
BROKEN = "[ONNXRuntimeError] : 1 : FAIL : ORT model verification failed."


def test_a_message_is_explained_without_a_file() -> None:
    text = "The ORT format model version [6] is not supported in this build 1.15.1."
    answer = ortstudio("explain", "--text", text, "--json")
    assert answer.code == 0
    assert answer.json["meaning"] == "ONNX Runtime 1.15.1 does not read ORT format version 6"
    assert (answer.json["release"], answer.json["file"]) == ("1.15.1", None)
    assert answer.json["what_to_do"]


def test_of_a_file_it_says_which_nodes_and_releases_it_is_about() -> None:
    text = "Could not find an implementation for Gelu(20) node with name 'gelu'"
    facts = ortstudio("explain", MODERN, "--text", text, "--json").json["file"]["facts"]
    assert facts[0]["text"] == "The file has 1 Gelu node"
    assert len(facts[0]["nodes"]) == 1
    assert facts[1]["text"] == "It loads on 1.18.0 and newer"


def test_what_to_do_is_what_helps_this_file_with_that_release() -> None:
    text = "The ORT format model version [6] is not supported in this build 1.15.1."
    advice = ortstudio("explain", MODERN, "--text", text, "--json").json["what_to_do"]
    assert advice == [
        "Ship a newer runtime that loads this file: 1.18 or later",
        "Export the model again with opset 18 or older",
    ]


def test_where_a_full_build_loads_the_file_a_minimal_one_spoke() -> None:
    old = CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort"
    text = "The ORT format model version [4] is not supported in this build 1.32.0."
    answer = ortstudio("explain", old, "--text", text, "--json").json
    facts = [fact["text"] for fact in answer["file"]["facts"]]
    assert facts[0] == "A full build of 1.32.0 loads it: this was a minimal build"
    assert f"ortstudio upgrade {old.name}" in answer["what_to_do"][1]


def test_of_another_version_than_the_files_nothing_is_concluded() -> None:
    text = "The ORT format model version [4] is not supported in this build 1.32.0."
    answer = ortstudio("explain", MODERN, "--text", text, "--json").json
    assert "about another one" in answer["file"]["facts"][0]["text"]
    assert len(answer["what_to_do"]) == 1


def test_of_saved_optimizations_it_names_the_record() -> None:
    text = "Not enough produced nodes in the runtime optimization record."
    facts = ortstudio("explain", RECORDS, "--text", text, "--json").json["file"]["facts"]
    assert [fact["text"].partition(":")[0] for fact in facts] == [
        "QDQSelectorActionTransformer MatMul"
    ]
    assert len(facts[0]["nodes"]) == 4


def test_one_message_has_many_causes_and_the_file_tells_which(tmp_path: Path) -> None:
    files = {
        "cut.ort": RECORDS.read_bytes()[:5000],
        "zero.ort": bytes(5000),
        "page.ort": b"<!DOCTYPE html><html><body>404</body></html>",
        "whole.ort": RECORDS.read_bytes(),
        "named.ort": (CORPUS / "sources" / "cnn.onnx").read_bytes(),
    }
    said = []
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        answer = ortstudio("explain", tmp_path / name, "--text", BROKEN, "--json").json
        said.append(answer["file"]["facts"][0]["text"])
    assert len(set(said)) == len(files)
    assert said[3].startswith("This file is whole")
    assert "is an ONNX model, and its name ends in .ort" in said[4]


def test_a_message_that_is_not_known_is_answered_with_no() -> None:
    done = ortstudio("explain", "--text", "The weather is fine")
    assert done.code == 1
    assert "Not recognized" in done.out


def test_without_a_message_the_command_line_is_wrong() -> None:
    assert ortstudio("explain", "--text", " ").code == 2


def test_a_missing_file_is_no_input() -> None:
    assert ortstudio("explain", "nowhere.ort", "--text", BROKEN).code == 3
