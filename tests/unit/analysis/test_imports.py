from __future__ import annotations

from collections.abc import Sequence

import pytest

from ortstudio.analysis.imports import needed_imports
from ortstudio.model.graph import GraphRef
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, imports, ort


def needed(nodes: Sequence[Node], *listed: tuple[str, int]) -> list[tuple[str, int]]:
    model = ort(graph(nodes, inputs=["x"], outputs=["y"]), opset_imports=imports(*listed))
    return [(row.domain, row.version) for row in needed_imports(model, operators())]


def node(op: str, since: int, domain: str = "") -> Node:
    return Node(op, ["x"], ["y"], domain=domain, since=since)


def test_only_domains_of_nodes_and_that_of_onnx_stay() -> None:
    listed = [("com.microsoft", 1), ("", 17), ("ai.onnx.ml", 3), ("com.microsoft.nchwc", 1)]
    assert needed([node("Relu", 14)], *listed) == [("", 17)]
    assert needed([node("Scaler", 1, "ai.onnx.ml")], *listed) == [("", 17), ("ai.onnx.ml", 3)]


def test_domains_of_nodes_in_subgraphs_stay() -> None:
    inner = graph([node("Scaler", 1, "ai.onnx.ml")], outputs=["y"], path="/#0/body")
    outer = Node("Loop", ["x"], ["y"], since=16, attributes={"body": GraphRef(1)})
    model = ort(graph([outer]), inner, opset_imports=imports(("", 17), ("ai.onnx.ml", 3)))
    found = needed_imports(model, operators())
    assert [row.domain for row in found] == ["", "ai.onnx.ml"]


def test_a_domain_that_is_not_listed_comes_in_the_version_of_its_nodes() -> None:
    inner = "com.ms.internal.nhwc"
    assert needed([node("Conv", 11, inner)], ("", 17)) == [("", 17), (inner, 11)]
    assert needed([node("Mine", 1, "my.ops")], ("", 17)) == [("", 17), ("my.ops", 1)]


@pytest.mark.parametrize(
    ("since", "listed", "version"),
    [(13, 17, 17), (13, 13, 13), (11, 17, 11), (13, 12, 13), (11, 12, 12), (99, 99, 99)],
)
def test_the_listed_version_stays_as_long_as_it_means_the_same(
    since: int, listed: int, version: int
) -> None:
    assert needed([node("Softmax", since)], ("", listed)) == [("", version)]


def test_a_version_that_only_the_runtime_has_stays_below_that_of_onnx() -> None:
    assert needed([node("LayerNormalization", 1)], ("", 12)) == [("", 12)]


def test_every_file_of_the_corpus_lists_what_its_nodes_mean() -> None:
    for row in corpus_files():
        model = corpus_model(row["file"])
        listed = {found.domain: found.version for found in model.opset_imports}
        for found in needed_imports(model, operators()):
            assert listed[found.domain] == found.version, row["file"]
