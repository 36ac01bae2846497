"""Initializers that are told by the nodes that use them: which pair, and why some are gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.rows import Change, NamedRow, NodeRow, RowKind
from tests.builders.onnx_files import weight
from tests.unit.analysis.pairing.weights import KERNEL, WEIGHTS, Array, model, of, only, rows


def convolution(op_type: str, name: str, array: Array) -> ModelProto:
    nodes = [helper.make_node(op_type, ["x", name], ["y"], "c")]
    return model(weight(name, array), nodes=nodes)


def test_changed_elements_are_tied_by_the_place_they_are_used_in() -> None:
    ours, theirs = convolution("Conv", "w", KERNEL), convolution("FusedConv", "v", KERNEL * 2)
    row = only(ours, theirs)
    assert row.kind == "changed"
    assert row.reason.startswith("480 of 480 elements differ, at most by")


def test_a_rewrite_that_recomputed_elements_is_named() -> None:
    pair = [NodeRow("fused", (NodeRef("/", 0),), (NodeRef("/", 0),), "")]
    ours = convolution("Conv", "w", KERNEL)
    row = only(ours, convolution("FusedConv", "v", KERNEL * 2), pair)
    assert row.reason.startswith(
        "Recomputed when Conv 'c' became FusedConv 'c': 480 of 480 elements differ, at most by"
    )
    theirs = convolution("Conv", "v", KERNEL * 2)
    theirs.graph.node[0].domain = "com.microsoft.nchwc"
    row = only(ours, theirs, pair)
    assert row.reason == (
        "Recomputed and stored in blocks when Conv 'c' became com.microsoft.nchwc.Conv 'c'"
    )
    assert row.changes == (Change("name", "w", "v"),)


def test_other_operators_do_not_tie_changed_elements() -> None:
    ours, theirs = convolution("Conv", "w", KERNEL), convolution("MatMul", "v", KERNEL * 2)
    assert [row.kind for row in rows(ours, theirs)] == ["removed", "added"]


def test_equal_constants_pair_where_their_users_do() -> None:
    ones = np.ones(3, np.float32)

    def two(first: str, second: str) -> ModelProto:
        nodes = [
            helper.make_node("Add", ["x", first], ["t"], "n0"),
            helper.make_node("Mul", ["t", second], ["y"], "n1"),
        ]
        return model(weight(second, ones), weight(first, ones), nodes=nodes)

    pairs = [NodeRow("kept", (NodeRef("/", i),), (NodeRef("/", i),), "") for i in (0, 1)]
    ours, theirs = two("a", "b"), two("c", "d")
    theirs.graph.initializer.reverse()
    found = rows(ours, theirs, pairs)
    assert [(row.a, row.b) for row in found] == [(of("b"), of("d")), (of("a"), of("c"))]


def test_copies_that_became_one_are_told_as_shared() -> None:
    found = rows(model(weight("w", WEIGHTS), weight("v", WEIGHTS)), model(weight("w", WEIGHTS)))
    assert found[1] == NamedRow(
        "fused", of("v"), of("w"), "One constant stands for all that were the same"
    )


def test_a_copy_is_told_with_its_bytes() -> None:
    found = rows(model(weight("w", WEIGHTS)), model(weight("w", WEIGHTS), weight("v", WEIGHTS)))
    assert found[1] == NamedRow("split", of("w"), of("v"), "A copy; it adds 192 bytes")


def test_what_comes_from_an_inlined_body_is_no_copy() -> None:
    nodes = [
        NodeRow("kept", (NodeRef("/", 0),), (NodeRef("/", 0),), ""),
        NodeRow("inlined", (NodeRef("/", 1),), (NodeRef("/", 1),), ""),
    ]
    use = helper.make_node("Add", ["x", "w"], ["t"], "add")
    call = helper.make_node("F", ["t"], ["y"], "call", domain="my.ops")
    ours = model(weight("w", WEIGHTS), nodes=[use, call])
    body = helper.make_node("Mul", ["t", "v"], ["y"], "mul")
    theirs = model(weight("w", WEIGHTS), weight("v", WEIGHTS), nodes=[use, body])
    assert rows(ours, theirs, nodes)[1] == NamedRow(
        "inlined",
        None,
        of("v"),
        "From the body of my.ops.F 'call', which was inlined: 192 bytes that the source had not",
    )


def test_an_unused_initializer_is_dropped_with_its_bytes() -> None:
    big = weight("unused", np.zeros(50_000, np.float32))
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    row = only(model(big, nodes=nodes), model(nodes=nodes))
    assert row == NamedRow("removed", of("unused"), None, "No node used it: dropped, 200 kB less")


def test_what_constant_folding_computed_is_told_with_its_bytes_and_maker() -> None:
    shape = weight("shape", np.array([512, 512], np.int64))
    make = helper.make_node("ConstantOfShape", ["shape"], ["filled"], "fill")
    add = helper.make_node("Add", ["x", "filled"], ["y"], "add")
    nodes = [
        NodeRow("folded", (NodeRef("/", 0),), (), ""),
        NodeRow("kept", (NodeRef("/", 1),), (NodeRef("/", 0),), ""),
    ]
    ours = model(shape, nodes=[make, add])
    gone, made = rows(
        ours, model(weight("filled", np.zeros((512, 512), np.float32)), nodes=[add]), nodes
    )
    assert gone == NamedRow(
        "folded",
        of("shape"),
        None,
        "Constant folding took it up with ConstantOfShape 'fill' (16 bytes)",
    )
    text = "Computed ahead from ConstantOfShape 'fill': 1.05 MB that the source had not"
    assert made == NamedRow("folded", None, of("filled"), text)
    renamed = helper.make_node("Add", ["x", "other"], ["y"], "add")
    other = weight("other", np.zeros((512, 512), np.float32))
    assert rows(ours, model(other, nodes=[renamed]), nodes)[1].reason == text


@pytest.mark.parametrize(
    ("kind", "expected", "reason"),
    [
        ("fused", "fused", "Taken up when Custom 'user' became Custom 'user' (192 bytes)"),
        ("changed", "removed", "Custom 'user' no longer uses it (192 bytes)"),
        ("kept", "removed", "It is not in the result (192 bytes)"),
    ],
)
def test_the_row_of_its_user_says_why_a_constant_is_gone(
    kind: RowKind, expected: RowKind, reason: str
) -> None:
    nodes = [NodeRow(kind, (NodeRef("/", 0),), (NodeRef("/", 0),), "")]
    row = only(model(weight("w", WEIGHTS)), model(), nodes)
    text = reason.replace("Custom", "my.ops.Custom")
    assert row == NamedRow(expected, of("w"), None, text)


def test_a_constant_node_that_became_an_initializer_lost_nothing() -> None:
    held = helper.make_node("Constant", [], ["w"], value=weight("anything", WEIGHTS))
    use = helper.make_node("Add", ["x", "w"], ["y"])
    row = only(model(nodes=[held, use]), model(weight("w", WEIGHTS), nodes=[use]), [])
    assert row.kind == "folded"
    assert row.reason == (
        "The same elements; held by a Constant node before, by an initializer now"
    )


@pytest.mark.parametrize(
    ("attribute", "array"),
    [
        ({"value_float": 0.5}, np.float32(0.5)),
        ({"value_floats": [0.5, 1.5]}, np.array([0.5, 1.5], np.float32)),
        ({"value_int": -3}, np.int64(-3)),
        ({"value_ints": [4, 5]}, np.array([4, 5])),
    ],
)
def test_every_attribute_of_a_constant_node_counts(attribute: dict[str, Any], array: Array) -> None:
    held = helper.make_node("Constant", [], ["w"], **attribute)
    use = helper.make_node("Add", ["x", "w"], ["y"])
    row = only(model(nodes=[held, use]), model(weight("w", array), nodes=[use]), [])
    assert row.kind == "folded"


def test_what_both_sides_keep_in_a_node_is_no_row() -> None:
    held = helper.make_node("Constant", [], ["w"], value_float=1.0)
    use = helper.make_node("Add", ["x", "w"], ["y"])
    assert rows(model(nodes=[held, use]), model(nodes=[held, use]), []) == []
