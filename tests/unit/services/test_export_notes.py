from __future__ import annotations

from dataclasses import replace

from ortstudio.analysis.imports import needed_imports
from ortstudio.model.graph import GraphRef
from ortstudio.model.model import Model
from ortstudio.services.export_notes import notes_on
from ortstudio.services.onnx_message import ir_version
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, imports, ort, ort_graph, tensor


def notes(model: Model) -> dict[str, str]:
    found = notes_on(model, needed_imports(model, operators()), ir_version(model), operators())
    return {note.code: note.message for note in found}


def plain(*nodes: Node, listed: tuple[tuple[str, int], ...] = (("", 17),)) -> Model:
    held = nodes or (Node("Relu", ["x"], ["y"], since=14),)
    return ort(graph(held, inputs=["x"], outputs=["y"]), opset_imports=imports(*listed))


def test_of_a_plain_model_only_what_the_format_never_keeps_is_said() -> None:
    found = notes(plain())
    assert list(found) == ["not-kept"]
    assert "the graph is named main_graph, functions" in found["not-kept"]


def test_subgraphs_are_said_to_be_named_after_their_place() -> None:
    outer = Node("Loop", ["x"], ["y"], since=16, attributes={"body": GraphRef(1)})
    model = ort(graph([outer]), graph([]), opset_imports=imports(("", 17)))
    assert "each subgraph after its place" in notes(model)["not-kept"]


def test_a_raised_ir_version_is_said() -> None:
    nodes = [Node("Add", ["x", "w"], ["y"], since=14)]
    model = ort(graph(nodes, inputs=["x"], outputs=["y"], initializers=[tensor("w", (1,))]))
    assert "ir-version" not in notes(model)
    assert "The IR version is 4, not 3" in notes(replace(model, ir_version=3))["ir-version"]


def test_imports_that_are_left_out_or_changed_are_said() -> None:
    listed = (("", 17), ("com.microsoft", 1), ("ai.onnx.ml", 3))
    found = notes(plain(listed=listed))
    assert found["unused-imports"] == "Left out: 2 imports that no node uses"
    assert "changed-imports" not in found
    softmax = plain(Node("Softmax", ["x"], ["y"], since=11))
    assert notes(softmax)["changed-imports"].endswith("not as the file says: ai.onnx 11")
    custom = plain(Node("Mine", ["x"], ["y"], domain="my.ops"))
    assert notes(custom)["changed-imports"].endswith("my.ops 1")


def test_what_ties_nodes_is_said_with_what_follows_from_it() -> None:
    def tied(domain: str, op: str) -> dict[str, str]:
        return notes(plain(Node(op, ["x"], ["y"], domain=domain)))

    assert "without the source" in tied("com.microsoft", "FusedConv")["vendor-operator"]
    assert "without the source" in tied("com.microsoft", "EPContext")["compiled-for-provider"]
    assert "cannot be turned back" in tied("com.microsoft.nchwc", "MaxPool")["blocked-layout"]
    assert "custom operator library" in tied("my.ops", "Mine")["custom-operator"]
    assert "checker refuses it" in tied("", "LayerNormalization")["not-an-onnx-version"]


def test_a_choice_of_execution_provider_is_said_to_be_left_out() -> None:
    nodes = [Node("Relu", ["x"], ["a"], since=14), Node("Relu", ["a"], ["y"], since=14)]
    made = graph(nodes, inputs=["x"], outputs=["y"])
    providers = ["NnapiExecutionProvider", "CPUExecutionProvider"]
    other = replace(ort_graph(made, nodes), execution_providers=providers)
    model = ort(made, others=[other], opset_imports=imports(("", 17)))
    assert notes(model)["execution-provider"] == (
        "Left out: the choice of NnapiExecutionProvider for 1 node"
    )
