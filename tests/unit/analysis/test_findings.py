from __future__ import annotations

from dataclasses import replace

from ortstudio.analysis.finding import Finding
from ortstudio.analysis.findings import findings
from ortstudio.errors import FormatError, Where
from ortstudio.model.model import Model
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import format_versions, operators
from tests.builders.models import Node, graph, onnx, ort, tensor


def judge(model: Model, path: str = "") -> list[Finding]:
    return findings(model, operators(), format_versions(), path=path)


RELU = [Node("Relu", ["x"], ["y"], "relu", since=14)]


def sound() -> Model:
    return ort(graph(RELU, inputs=["x"], outputs=["y"]))


def test_a_sound_model_has_no_findings() -> None:
    assert judge(sound(), "model.ort") == []
    assert judge(onnx(graph(RELU, inputs=["x"], outputs=["y"])), "model.onnx") == []


def test_errors_come_first_and_infos_last() -> None:
    weights = [tensor("w", (4,), size=3)]
    nodes = [Node("Gelu", ["x"], ["y"], domain="com.microsoft")]
    model = ort(graph(nodes, inputs=["x"], initializers=weights), version="4")
    assert [finding.severity for finding in judge(model)] == ["error", "warning", "info"]


def test_of_a_damaged_model_only_the_file_is_judged() -> None:
    weights = [tensor("w", (4,), size=3)]
    model = ort(graph(RELU, initializers=weights), version="7")
    broken = FormatError("A string has no end", where=Where("m.ort", 72, "Node.name"))
    found = judge(replace(model, error=broken), "model.bin")
    assert [finding.code for finding in found] == [
        "structure-damaged",
        "format-newer-than-known",
        "extension-mismatch",
    ]
    assert (found[0].message, found[0].where, found[0].offset_bytes) == (
        "A string has no end",
        "Node.name",
        72,
    )


def test_what_is_found_in_files_that_released_runtimes_wrote() -> None:
    found = {
        f"{finding.severity} {finding.code}"
        for file in corpus_files()
        for finding in judge(corpus_model(file["file"]), file["file"])
    }
    assert found == {
        "error element-type-refused",
        "error no-identifier",
        "error raw-size-mismatch",
        "error string-count-mismatch",
        "info model-version-unset",
        "info not-an-onnx-version",
        "info saved-optimization-older-than-format-5",
        "info saved-optimizations",
        "info vendor-operator",
        "warning blocked-layout",
        "warning old-format",
        "warning saved-optimization-no-produced-operator",
    }
