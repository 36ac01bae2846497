from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.portability import Portability, portability
from ortstudio.errors import FormatError
from ortstudio.model.graph import Function
from ortstudio.model.model import Model, OnnxModel
from tests.builders.corpus import CorpusFile, corpus_files, corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, imports, onnx, ort, tensor

NCHWC = "com.microsoft.nchwc"


def judge(model: Model) -> Portability:
    return portability(model, operators())


def one(domain: str, op_type: str, since: int = 1) -> Portability:
    node = Node(op_type, ["x"], ["y"], domain=domain, since=since)
    return judge(ort(graph([node], inputs=["x"], outputs=["y"])))


def nchwc(stored: int, channels: int) -> Portability:
    """A blocked convolution, a pool and the way back to plain layout."""
    nodes = [
        Node("ReorderInput", ["x"], ["a"], domain=NCHWC),
        Node("Conv", ["a", "w"], ["b"], domain=NCHWC),
        Node("MaxPool", ["b"], ["c"], domain=NCHWC),
        Node("ReorderOutput", ["c"], ["y"], domain=NCHWC, attributes={"channels": channels}),
    ]
    weights = tensor("w", (stored, 3, 3, 3))
    return judge(ort(graph(nodes, inputs=["x"], outputs=["y"], initializers=[weights])))


@pytest.mark.parametrize(
    ("domain", "op_type", "since", "verdict", "code"),
    [
        ("", "Conv", 11, "portable", "no-tied-node"),
        ("ai.onnx.ml", "ZipMap", 1, "portable", "no-tied-node"),
        ("com.microsoft", "FusedConv", 1, "onnxruntime-only", "vendor-operator"),
        ("com.microsoft", "EPContext", 1, "onnxruntime-only", "compiled-for-provider"),
        ("com.microsoft", "AdamWOptimizer", 1, "onnxruntime-only", "training-operator"),
        ("ai.onnx.preview.training", "Adam", 1, "onnxruntime-only", "training-operator"),
        ("com.ms.internal.nhwc", "Conv", 11, "onnxruntime-only", "channels-last"),
        ("org.pytorch.aten", "ATen", 1, "onnxruntime-only", "vendor-operator"),
        ("", "LayerNormalization", 17, "portable", "no-tied-node"),
        ("", "LayerNormalization", 1, "onnxruntime-only", "not-an-onnx-version"),
        ("", "NoSuchOperator", 1, "onnxruntime-only", "unknown-operator"),
        ("", "Conv", 99, "onnxruntime-only", "unknown-operator"),
        ("my.ops", "BpeLike", 1, "onnxruntime-only", "custom-operator"),
        (NCHWC, "MaxPool", 1, "this-cpu-family", "blocked-layout"),
    ],
)
def test_the_verdict_of_one_node(
    domain: str, op_type: str, since: int, verdict: str, code: str
) -> None:
    found = one(domain, op_type, since)
    assert found.verdict == verdict
    assert found.reasons[0].code == code


def test_what_cannot_be_read_is_not_called_portable() -> None:
    damage = FormatError("It is cut short")
    some = replace(ort(graph([Node("Relu", ["x"], ["y"])], inputs=["x"])), error=damage)
    none = replace(ort(graph([])), error=damage)
    assert [judge(model).reasons[0].text.split(";")[0] for model in (some, none)] == [
        "Of what can still be read: every node is an ONNX operator",
        "No node can be read, so this says nothing of the model",
    ]


def test_imports_alone_tie_nothing() -> None:
    model = ort(graph([Node("Relu", ["x"], ["y"], since=14)], inputs=["x"], outputs=["y"]))
    found = judge(model)
    assert NCHWC in [row.domain for row in model.opset_imports]
    assert found.verdict == "portable"
    assert "imported but not used" in found.reasons[0].text


def test_a_vendor_operator_does_not_hide_that_every_cpu_will_do() -> None:
    texts = [reason.text for reason in one("com.microsoft", "FusedConv").reasons]
    assert any(text.startswith("Portable between CPUs") for text in texts)


def test_tied_nodes_are_listed_by_graph_and_index() -> None:
    nodes = [Node("Relu", ["x"], ["a"], since=14, index=4), Node("Gelu", ["a"], ["y"])]
    nodes[1] = replace(nodes[1], domain="com.microsoft", index=9)
    found = judge(ort(graph(nodes, inputs=["x"], outputs=["y"])))
    assert found.reasons[0].nodes == (NodeRef("/", 9),)


def test_weights_padded_to_sixteen_channels_betray_wide_vectors() -> None:
    found = nchwc(stored=16, channels=8)
    assert found.verdict == "this-cpu-family"
    assert [reason.code for reason in found.reasons] == [
        "blocked-layout",
        "block-size",
        "padded-weights",
    ]
    assert "AVX-512" in found.reasons[1].text
    assert "from 8 to 16" in found.reasons[2].text


def test_weights_in_blocks_of_eight_rule_wide_vectors_out() -> None:
    found = nchwc(stored=8, channels=8)
    assert [reason.code for reason in found.reasons] == ["blocked-layout", "block-size"]
    assert "without AVX-512" in found.reasons[1].text


def test_weights_that_fit_both_sizes_say_nothing_of_the_cpu() -> None:
    assert [reason.code for reason in nchwc(stored=32, channels=32).reasons] == ["blocked-layout"]


def test_nodes_of_model_local_functions_are_plain_and_their_bodies_count() -> None:
    call = Node("Twice", ["x"], ["y"], domain="local")
    body = graph([Node("Gelu", ["a"], ["b"], domain="com.microsoft")], path="local:Twice")
    function = Function("local", "Twice", "", "", (), imports(("", 17)), (body,))
    model = onnx(graph([call], inputs=["x"], outputs=["y"]))
    plain = replace(function, graphs=(graph([Node("Add", ["a", "a"], ["b"], since=14)]),))
    for made, verdict in ((function, "onnxruntime-only"), (plain, "portable")):
        held = replace(model, onnx=OnnxModel((made,), False, 0, 0))
        assert judge(held).verdict == verdict


@pytest.mark.parametrize("file", corpus_files(), ids=lambda file: file["file"])
def test_hardware_bound_files_of_the_corpus_and_no_others_are_tied_to_a_cpu(
    file: CorpusFile,
) -> None:
    found = judge(corpus_model(file["file"]))
    assert (found.verdict == "this-cpu-family") == file["hardware_specific"]
    if not file["hardware_specific"]:
        vendor = any(op.startswith("com.microsoft") for op in file["ops"])
        runtime_only = any(reason.code == "not-an-onnx-version" for reason in found.reasons)
        assert (found.verdict == "onnxruntime-only") == (vendor or runtime_only)
