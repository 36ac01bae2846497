"""`ortstudio check --runtime` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.knowledge import CORPUS
from tests.e2e.command import ortstudio

CNN = CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort"
OLD = CORPUS / "v4_ort1.12.1_mlp_fixed_basic.ort"


def test_a_file_too_new_is_refused_with_the_release_it_needs_and_the_words_expected() -> None:
    done = ortstudio("check", CNN, "--runtime", "1.15.1", "--json")
    assert done.code == 1
    answer = done.json
    assert answer["ok"] is False
    assert answer["runtime"] == {
        "version": "1.15.1",
        "build": "full",
        "loads": "no",
        "why": "Format version 6 is too new for 1.15.1: it needs 1.16 or later",
        "evidence": "measured",
        "warnings": [],
        "expected_words": "The ORT format model version [6] is not supported in this build 1.15.1.",
        "ways_out": [
            "Ship a newer runtime that loads this file: 1.16 or later",
            (
                "Convert again from the ONNX source with onnxruntime 1.15.1, which"
                " `ortstudio runtimes install 1.15.1` brings:"
                " ortstudio convert MODEL.onnx --runtime 1.15.1"
            ),
        ],
    }
    said = ortstudio("check", CNN, "--runtime", "1.15.1").out
    assert "  way out             Ship a newer runtime that loads this file: 1.16 or later." in said


def test_a_file_that_loads_is_answered_with_yes() -> None:
    done = ortstudio("check", CNN, "--runtime", "1.16.3")
    assert done.code == 0
    assert "  loads               1.16.3 reads its format version" in done.out


@pytest.mark.parametrize("build", ["minimal", "extended-minimal"])
def test_a_minimal_build_refuses_what_a_full_one_reads(build: str) -> None:
    full = ortstudio("check", OLD, "--runtime", "1.32.0", "--json").json["runtime"]
    small = ortstudio("check", OLD, "--runtime", "1.32.0", "--build", build, "--json")
    assert (full["loads"], small.json["runtime"]["loads"], small.code) == ("yes", "no", 1)
    assert small.json["runtime"]["build"] == build


def test_what_is_no_release_is_a_wrong_command_line() -> None:
    done = ortstudio("check", CNN, "--runtime", "newest")
    assert (done.code, done.out) == (2, "")
    assert "'newest' is no release of ONNX Runtime" in done.err


def test_a_build_without_a_release_is_a_wrong_command_line() -> None:
    assert ortstudio("check", CNN, "--build", "minimal").code == 2


def test_a_damaged_file_loads_nowhere(tmp_path: Path) -> None:
    cut = tmp_path / "cut.ort"
    cut.write_bytes(CNN.read_bytes()[:2000])
    done = ortstudio("check", cut, "--runtime", "1.32.0", "--json")
    assert done.code == 1
    assert done.json["runtime"]["loads"] == "no"
    assert done.json["runtime"]["ways_out"] == [
        "Get the file again, whole, or convert it again from its source"
    ]
