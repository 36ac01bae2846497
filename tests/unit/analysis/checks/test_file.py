from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.format.source import Source
from ortstudio.model.graph import Graph, GraphRef, Parent
from ortstudio.model.model import Model
from tests.builders.models import Node, graph, onnx, ort
from tests.unit.analysis.checks.codes import codes, found

EMPTY = graph([])


@pytest.mark.parametrize(
    ("path", "ort_codes", "onnx_codes"),
    [
        ("model.ort", [], ["warning extension-mismatch"]),
        ("folder.ort/model.ORT", [], ["warning extension-mismatch"]),
        ("model.onnx", ["warning extension-mismatch"], []),
        ("model", ["warning extension-mismatch"], []),
        ("model.bin", ["warning extension-mismatch"], []),
        ("", [], []),
    ],
)
def test_the_extension_should_say_what_the_content_is(
    path: str, ort_codes: list[str], onnx_codes: list[str]
) -> None:
    assert codes(ort(EMPTY), path) == ort_codes
    assert codes(onnx(EMPTY), path) == onnx_codes


def test_a_file_without_identifier_is_refused_but_not_called_old() -> None:
    assert codes(ort(EMPTY, version="1", has_identifier=False)) == ["error no-identifier"]


@pytest.mark.parametrize(
    ("version", "code"),
    [
        ("7", ["error format-newer-than-known"]),
        ("x", ["warning format-version-odd"]),
        ("", ["warning format-version-odd"]),
        ("0", ["warning format-version-odd"]),
        ("4", ["warning old-format"]),
        ("1", ["warning old-format"]),
        ("5", []),
        ("6", []),
    ],
)
def test_the_format_version(version: str, code: list[str]) -> None:
    assert codes(ort(EMPTY, version=version)) == code


def test_a_version_from_the_future_is_told_in_words() -> None:
    message = found(ort(EMPTY, version="7"))[0].message
    assert message.startswith("Format 7 is newer than this tool knows")


def test_an_old_version_names_who_still_reads_it() -> None:
    message = found(ort(EMPTY, version="4"))[0].message
    assert "full builds of 1.8 to 1.12, 1.14 and newer" in message


def test_limits_of_the_verifier() -> None:
    assert codes(ort(EMPTY, table_count=1_000_000)) == []
    assert codes(ort(EMPTY, table_count=1_000_001)) == ["error too-many-tables"]


class _Huge(Source):
    """A file of two gigabytes without their weight."""

    def __init__(self) -> None:
        super().__init__("huge.ort", 16, None, bytes(16))
        self.size = 1 << 31


def test_a_file_must_stay_below_two_gib() -> None:
    assert codes(replace(ort(EMPTY), source=_Huge())) == ["error file-too-large"]


def nested(depth: int) -> Model:
    """A graph with so many others, each inside the one before."""
    graphs: list[Graph] = []
    for level in range(depth + 1):
        attributes = {"body": GraphRef(level + 1)} if level < depth else {}
        node = Node("Loop", ["x"] if not level else [], [f"y{level}"], since=16)
        parent = Parent(level - 1, 0, "body") if level else None
        made = graph([replace(node, attributes=attributes)], inputs=["x"] if not level else [])
        graphs.append(replace(made, parent=parent, path="/" * (level + 1)))
    return ort(*graphs)


def test_graphs_may_be_nested_18_deep() -> None:
    assert codes(nested(18)) == []
    assert codes(nested(19)) == ["error nested-too-deep"]


def test_the_header() -> None:
    assert codes(ort(EMPTY, opset_imports=[])) == ["error no-opset-imports"]
    assert codes(replace(ort(EMPTY), model_version=None)) == ["info model-version-unset"]
    assert codes(replace(onnx(EMPTY), model_version=None)) == []
    assert codes(replace(onnx(EMPTY), ir_version=15)) == ["error ir-version-newer-than-known"]
    assert codes(replace(onnx(EMPTY), ir_version=14)) == []
    assert codes(replace(ort(EMPTY), ir_version=99)) == []
