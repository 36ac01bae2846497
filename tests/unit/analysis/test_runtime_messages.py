"""What releases really said: every recorded text is recognized, and as the right thing."""

from __future__ import annotations

import json

import pytest

from ortstudio.analysis.runtime_messages import RULES, recognize, release_in
from tests.builders.knowledge import CORPUS

MATRIX = json.loads((CORPUS / "load_matrix.json").read_text(encoding="utf-8"))
COMPAT = json.loads((CORPUS / "compat.json").read_text(encoding="utf-8"))


def recorded() -> set[str]:
    """All texts with which 52 releases refused files of the corpus."""
    loads = {text for row in MATRIX.values() for text in row["load_errors"]}
    return loads | {text for row in COMPAT["refusals"].values() for text in row.values()}


def test_every_recorded_refusal_is_recognized() -> None:
    assert [text for text in recorded() if not recognize(text)] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            (
                "Fail: [ONNXRuntimeError] : 1 : FAIL : Not satisfied: IsOrtModelVersionSupported("
                "fbs_ort_model_version->str())\ninference_session.cc:948 LoadOrtModelThe ORT format"
                " model version [2] is not supported this build 1.5.1"
            ),
            "format-not-read",
        ),
        (
            (
                "Fail: [ONNXRuntimeError] : 1 : FAIL : Not satisfied: fbs::Verify"
                "InferenceSessionBuffer(verifier)\ninference_session.cc:945 LoadOrtModel"
            ),
            "verification-failed",
        ),
        (
            (
                "Failed to find kernel for Transpose(1) (node kT). Op with name (kT) and type"
                " (Transpose) kernel not found in CPUExecutionProvider. No matching hash for 178"
            ),
            "kernel-hash",
        ),
        (
            "Failed to find kernel for Swish(24) (node:'' ep:'CPUExecutionProvider')",
            "no-kernel",
        ),
        ("Failed to find kernel for com.microsoft.FusedConv(1)", "produced-kernel-missing"),
        ("ValueError: Invalid tensor data type 22.", "element-type-unknown"),
        ("Error Unrecognized attribute: transBatchA for operator FusedMatMul", "attribute-unknown"),
        ("Invalid fd was supplied: -1", "no-such-file"),
        ("RuntimeError: stoi", "format-version-odd"),
        (
            (
                "Error: Can't create a session. ERROR_CODE: 7, ERROR_MESSAGE: Failed to load model"
                " because protobuf parsing failed."
            ),
            "protobuf-failed",
        ),
        (
            (
                "session.strict_workspace_verification is not supported when loading an ORT format"
                " model"
            ),
            "option-not-for-ort",
        ),
    ],
)
def test_a_text_is_recognized_as_what_it_means(text: str, code: str) -> None:
    assert recognize(text)[0].code == code


def test_what_nobody_said_is_not_recognized() -> None:
    assert recognize("The weather is fine") == ()


def test_a_release_names_itself_in_both_wordings() -> None:
    assert release_in("is not supported this build 1.10.0") == "1.10.0"
    assert release_in("is not supported in this build 1.32.0. This build") == "1.32.0"
    assert release_in("ORT model verification failed.") is None


def test_advice_ends_as_a_sentence_and_meanings_do_not() -> None:
    assert [rule.code for rule in RULES if rule.hint and rule.hint[-1] not in ".?"] == []
    assert [rule.code for rule in RULES if rule.meaning.endswith(".")] == []
