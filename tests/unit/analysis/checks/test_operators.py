"""Operators, the resolver, saved optimizations, and what conversion cannot hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.analysis.nodes import NodeRef
from ortstudio.model.model import NO_NODE, Model, OnnxModel, OptimizationRecord, ResolverEntry
from ortstudio.model.tensor import ExternalData, SparseTensor
from ortstudio.model.types import (
    OpaqueType,
    OptionalType,
    SparseTensorType,
    TensorType,
    ValueType,
)
from tests.builders.models import (
    RUNTIME_IMPORTS,
    Node,
    Value,
    graph,
    imports,
    onnx,
    ort,
    ort_graph,
    record,
    resolver,
    tensor,
)
from tests.unit.analysis.checks.codes import codes, found


def one(op_type: str, domain: str = "", since: int = 1, **attributes: Value) -> Node:
    return Node(op_type, ["x"], ["y"], op_type, domain, since, attributes=attributes)


def model(*nodes: Node, **options: object) -> Model:
    return ort(graph(nodes, inputs=["x"], outputs=["y"]), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "code"),
    [
        (one("FusedConv", "com.microsoft"), "info vendor-operator"),
        (one("MaxPool", "com.microsoft.nchwc"), "warning blocked-layout"),
        (one("Conv", "com.ms.internal.nhwc", 11), "warning channels-last"),
        (one("EPContext", "com.microsoft"), "warning compiled-for-provider"),
        (one("AdamWOptimizer", "com.microsoft"), "error training-operator"),
        (one("NoSuchOperator"), "error unknown-operator"),
    ],
)
def test_what_ties_an_operator_is_a_finding_with_its_nodes(node: Node, code: str) -> None:
    made = model(node)
    assert codes(made) == [code]
    assert found(made)[0].nodes == (NodeRef("/", 0),)


def test_a_custom_operator_must_be_imported_like_any_other() -> None:
    node = one("BpeLike", "my.ops")
    wanted = (*RUNTIME_IMPORTS, *imports(("my.ops", 1)))
    assert codes(model(node, opset_imports=wanted)) == ["warning custom-operator"]
    assert codes(model(node)) == ["error domain-not-imported", "warning custom-operator"]
    assert "my.ops" in found(model(node))[0].message


def test_an_opset_newer_than_known() -> None:
    node = one("Relu", since=14)
    newer = imports(("", 29))
    assert codes(model(node, opset_imports=newer)) == ["error opset-newer-than-known"]
    plain = graph([node], inputs=["x"], outputs=["y"])
    assert codes(onnx(plain, opset_imports=newer)) == ["error opset-newer-than-known"]
    assert codes(onnx(graph([]), opset_imports=newer)) == []


def test_a_node_states_the_version_that_the_import_stands_for() -> None:
    stale = model(one("Relu", since=13), entries=[ResolverEntry(":Relu:14", ())])
    assert codes(stale) == ["warning version-not-of-import", "warning resolver-entry-stale"]
    assert "Relu 13 (not 14)" in found(stale)[0].message
    other = model(one("Relu", since=13), entries=[ResolverEntry(":Relu:13", ())])
    assert codes(other) == ["error resolver-entry-missing", "warning version-not-of-import"]
    assert ":Relu:14" in found(other)[0].message


def test_the_resolver_is_complete_well_formed_and_names_each_operator_once() -> None:
    relu = one("Relu", since=14)
    entry = ResolverEntry(":Relu:14", ())
    assert codes(model(relu, entries=[entry])) == []
    assert codes(model(relu, entries=[])) == ["error resolver-entry-missing"]
    assert codes(model(relu, entries=[entry, entry])) == ["error resolver-entry-twice"]
    odd = ResolverEntry("Relu:14", ())
    assert codes(model(relu, entries=[entry, odd])) == [
        "error resolver-entry-malformed",
        "info resolver-entry-unused",
    ]
    left = ResolverEntry("com.microsoft:FusedConv:1", ())
    assert codes(model(relu, entries=[entry, left])) == ["info resolver-entry-unused"]


def test_from_format_5_on_there_must_be_a_resolver() -> None:
    made = model(one("Relu", since=14))
    assert made.ort is not None
    bare = replace(made, ort=replace(made.ort, resolver=None))
    assert codes(bare) == ["error resolver-missing"]
    empty = ort(graph([]))
    assert empty.ort is not None
    assert codes(replace(empty, ort=replace(empty.ort, resolver=None))) == []


QDQ = [
    Node("DequantizeLinear", ["x", "s"], ["a"], since=13),
    Node("Conv", ["a", "a"], ["b"], "conv", since=11),
    Node("QuantizeLinear", ["b", "s"], ["y"], since=13),
]


def saved(*records: OptimizationRecord) -> Model:
    g = graph(QDQ, inputs=["x", "s"], outputs=["y"])
    made = [ResolverEntry(op, ()) for row in records for op in row.produced_op_ids]
    others = [ort_graph(g, QDQ, records)]
    return ort(g, others=others, entries=[*resolver(g), *made])


def test_saved_optimizations_are_told_to_be_off() -> None:
    sound = saved(record("Conv", [0, NO_NODE, 1, 2], [":QLinearConv:10"], inputs=2))
    assert codes(sound) == ["info saved-optimizations"]
    assert "not applied unless replay is enabled" in found(sound)[0].message


def test_saved_optimizations_that_cannot_be_replayed_are_warned_of_once_for_a_reason() -> None:
    broken = saved(record("MatMul", [0, 1, 2]), record("MatMul", [0, 1, 2]))
    assert codes(broken) == [
        "warning saved-optimization-no-produced-operator",
        "warning saved-optimization-node-used-twice",
        "info saved-optimizations",
    ]
    assert found(broken)[0].nodes == (NodeRef("/", 0), NodeRef("/", 1), NodeRef("/", 2))


@pytest.mark.parametrize(
    "value_type",
    [
        OptionalType(TensorType(1, None)),
        SparseTensorType(1, None),
        OpaqueType("d", "t"),
    ],
)
def test_values_that_the_ort_format_cannot_hold(value_type: ValueType) -> None:
    node = one("Identity", since=16)
    made = onnx(graph([node], inputs=["x"], outputs=["y"], types={"y": value_type}))
    assert codes(made) == ["warning cannot-become-ort"]


def test_nodes_that_the_ort_format_cannot_hold() -> None:
    def plain(node: Node) -> Model:
        return onnx(graph([node], inputs=["x"], outputs=["y"]))

    assert codes(plain(one("Optional", since=15))) == ["warning cannot-become-ort"]
    sparse = SparseTensor(tensor("", (1,)), tensor("", (1,), 7), (4,))
    custom = one("Identity", since=16, held=sparse)
    assert codes(plain(custom)) == ["warning cannot-become-ort"]
    constant = one("Constant", since=13, sparse_value=sparse)
    assert codes(plain(constant)) == []


def test_weights_beyond_two_gib_cannot_become_ort() -> None:
    def weights(rows: int) -> Model:
        data = ExternalData("w.bin", 0, None)
        return onnx(graph([], initializers=[tensor("w", (rows, 1 << 20), external=data)]))

    assert codes(weights(511)) == []
    assert codes(weights(512)) == ["warning too-large-for-ort"]
    assert "2.0 GiB" in found(weights(512))[0].message


def test_training_information_is_dropped() -> None:
    made = replace(onnx(graph([])), onnx=OnnxModel((), True, 0, 0))
    assert codes(made) == ["info training-info"]
