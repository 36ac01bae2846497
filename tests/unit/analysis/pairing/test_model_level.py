"""What is said of two models as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.pairing.model_level import model_rows
from ortstudio.analysis.pairing.rows import ModelRow, NodeRow, RowKind
from ortstudio.analysis.pairing.verdict import model_differs
from ortstudio.model.model import Model
from tests.builders.models import Node, graph, imports, onnx, ort, record
from tests.builders.onnx_files import FLOAT, onnx_model, read, value, weight


def no_pairs(_a: Model, _b: Model) -> Sequence[NodeRow]:
    return ()


def named(a: Model, b: Model) -> dict[str, ModelRow]:
    rows = model_rows(a, b, no_pairs)
    found = {row.name: row for row in rows}
    assert len(found) == len(rows)
    return found


def relu() -> ModelProto:
    return onnx_model([helper.make_node("Relu", ["x"], ["y"])], [value("x")], [value("y")])


def as_ort(model: Model, **changes: object) -> Model:
    """The same as an ORT-format model would say it."""
    plain = ort(*model.graphs)
    return replace(model, kind=plain.kind, ort=plain.ort, onnx=None, **changes)  # type: ignore[arg-type]


def test_the_same_file_has_only_kept_rows() -> None:
    found = named(read(relu()), read(relu()))
    assert {row.kind for row in found.values()} == {"kept"}
    assert list(found) == [
        "format", "IR version", "graph name", "opset ai.onnx", "input x", "output y"
    ]  # fmt: skip


def test_the_formats_are_named_with_their_versions() -> None:
    row = named(onnx(graph([])), ort(graph([])))["format"]
    assert (row.kind, row.a, row.b) == ("changed", "ONNX", "ORT format 6")
    assert row.reason == "ONNX became ORT format 6"


def test_the_graph_name_is_lost_to_a_format_without_it() -> None:
    source = read(relu())
    nameless = replace(source.main, name="")
    row = named(source, as_ort(source, graphs=(nameless,)))["graph name"]
    assert row == ModelRow(
        "removed", "graph name", "g", "", "Lost: the ORT format has no place for it"
    )


@pytest.mark.parametrize(
    ("field", "name", "before", "after", "kind", "reason"),
    [
        ("producer_name", "producer name", "p", "q", "changed", "p became q"),
        ("producer_version", "producer version", None, "1", "added", "Only the result states it"),
        ("doc_string", "doc string", "d", None, "removed", "The result does not state it"),
        ("doc_string", "doc string", "d" * 70, "e", "changed", "d" * 57 + "... became e"),
        ("graph_doc_string", "graph doc string", "g", "g", "kept", "The same"),
        ("model_version", "model version", 0, 1, "changed", "0 became 1"),
        ("ir_version", "IR version", 8, 10, "changed", "8 became 10"),
    ],
)
def test_each_fact_is_a_row(
    field: str, name: str, before: object, after: object, kind: RowKind, reason: str
) -> None:
    a = replace(onnx(graph([])), **{field: before})  # type: ignore[arg-type]
    b = replace(onnx(graph([])), **{field: after})  # type: ignore[arg-type]
    row = named(a, b)[name]
    assert (row.kind, row.reason) == (kind, reason)


def test_metadata_is_compared_by_key_and_an_empty_text_is_one() -> None:
    a = replace(onnx(graph([])), metadata={"author": "x", "gone": "1", "empty": ""})
    b = replace(onnx(graph([])), metadata={"author": "y", "new": "2", "empty": ""})
    found = {name: row.kind for name, row in named(a, b).items() if name.startswith("metadata")}
    assert found == {
        "metadata author": "changed",
        "metadata gone": "removed",
        "metadata empty": "kept",
        "metadata new": "added",
    }


@pytest.mark.parametrize(("version", "lost"), [("2", True), ("3", True), ("4", False)])
def test_old_formats_have_no_place_for_metadata(version: str, lost: bool) -> None:
    a = replace(onnx(graph([])), metadata={"author": "x"}, graph_doc_string="doc")
    found = named(a, ort(graph([]), version=version))
    reason = "Lost: the ORT format has no place for it before version"
    assert (found["metadata author"].reason == f"{reason} 4") == lost
    assert (found["graph doc string"].reason == f"{reason} 3") == (version == "2")
    assert model_differs(found["metadata author"], other_format=True) != lost


def test_imports_that_no_node_uses_are_told_from_those_in_use() -> None:
    used = graph([Node("Relu"), Node("FusedConv", domain="com.microsoft")])
    a = onnx(graph([Node("Relu")]), opset_imports=imports(("", 17), ("my.f", 1)))
    b = ort(used, opset_imports=imports(("", 18), ("com.microsoft", 1), ("ai.onnx.ml", 5)))
    found = named(a, b)
    assert found["opset ai.onnx"].reason == "17 became 18"
    assert found["opset my.f"].reason == "No longer imported, no node used it"
    assert found["opset com.microsoft"].reason == "Imported by the result, and its nodes use it"
    assert found["opset ai.onnx.ml"].reason == (
        "No node uses it: the runtime writes every domain that it knows"
    )


def with_function(op_type: str = "Add") -> Model:
    body = [helper.make_node(op_type, ["a", "a"], ["b"])]
    function = helper.make_function(
        "my.f", "Twice", ["a"], ["b"], body, [helper.make_opsetid("", 21)]
    )
    made = onnx_model(
        [helper.make_node("Twice", ["x"], ["y"], domain="my.f")],
        [value("x")],
        [value("y")],
        domains=["my.f"],
    )
    made.functions.append(function)
    return read(made)


def test_functions_are_inlined_in_a_format_without_them() -> None:
    source = with_function()
    row = named(source, as_ort(source))["function my.f.Twice"]
    assert row == ModelRow(
        "removed", "function my.f.Twice", "1 node", "",
        "Inlined: the ORT format has no local functions",
    )  # fmt: skip


def test_bodies_of_functions_are_compared_by_their_nodes() -> None:
    def pair(a: Model, b: Model) -> Sequence[NodeRow]:
        same = a.main.nodes.op_types == b.main.nodes.op_types
        refs = (NodeRef(a.main.path, 0),)
        return [NodeRow("kept" if same else "changed", refs, refs, "")]

    def row(a: Model, b: Model) -> ModelRow:
        return {row.name: row for row in model_rows(a, b, pair)}["function my.f.Twice"]

    assert row(with_function(), with_function()).kind == "kept"
    changed = row(with_function(), with_function("Mul"))
    assert (changed.kind, changed.reason) == ("changed", "1 row of its body differs")


def test_remarks_that_the_format_cannot_hold_are_counted() -> None:
    made = relu()
    made.graph.input[0].doc_string = "what goes in"
    made.graph.node[0].doc_string = "what is done"
    made.graph.node[0].metadata_props.add(key="from", value="layer 1")
    made.graph.node[0].metadata_props.add(key="to", value="layer 2")
    made.graph.metadata_props.add(key="k", value="v")
    made.graph.quantization_annotation.add(tensor_name="x")
    found = named(read(made), as_ort(read(relu())))
    lost = "Lost: the ORT format has no place for it"
    assert found["doc strings of values"].a == "1 doc string"
    assert found["metadata of nodes"].a == "2 notes"
    for name in (
        "doc strings of values", "metadata of nodes", "metadata of graphs",
        "quantization annotations",
    ):  # fmt: skip
        assert (found[name].kind, found[name].reason) == ("removed", lost)
    assert found["doc strings of nodes"].reason == "The result does not state it"


def test_as_many_other_texts_are_a_change() -> None:
    a, b = relu(), relu()
    a.graph.node[0].doc_string, b.graph.node[0].doc_string = "one", "other"
    row = named(read(a), read(b))["doc strings of nodes"]
    assert (row.kind, row.reason) == ("changed", "1 are gone, 1 are new")


def test_saved_optimizations_are_new_in_the_result() -> None:
    nodes = [Node("Conv")]
    made = ort(graph(nodes))
    assert made.ort is not None
    graphs = tuple(
        replace(g, runtime_optimizations=(record("ConvAct", [0]),)) for g in made.ort.graphs
    )
    row = named(onnx(graph(nodes)), replace(made, ort=replace(made.ort, graphs=graphs)))[
        "saved optimizations"
    ]
    assert (row.kind, row.b) == ("added", "1 record")


def defaulted(ir_version: int, *, has_default: bool = True) -> Model:
    made = onnx_model(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [value("x"), value("w")],
        [value("y")],
        [weight("w", np.ones(2, np.float32))] if has_default else [],
    )
    made.ir_version = ir_version
    return read(made)


def test_an_input_with_a_default_can_still_be_overridden() -> None:
    row = named(defaulted(8), as_ort(defaulted(8)))["input w"]
    assert (row.kind, row.reason) == ("kept", "The same; callers can still override it")
    assert row.b == "tensor(float)[2], a default that can be overridden"


def test_a_default_that_is_gone_is_a_change() -> None:
    row = named(defaulted(8), defaulted(8, has_default=False))["input w"]
    assert row.kind == "changed"
    assert row.reason == (
        "tensor(float)[2], a default that can be overridden became tensor(float)[2]"
    )


def test_before_ir_4_such_an_input_was_a_constant() -> None:
    row = named(defaulted(3), defaulted(3))["input w"]
    assert row.a == "tensor(float)[2], a constant, listed as IR 3 and older demand"
    assert row.reason == "The same"
    gone = named(defaulted(3), read(relu()))["input w"]
    assert gone.reason == "It was no real input but a constant, and that was dropped"


@pytest.mark.parametrize(
    ("before", "after", "kind", "reason"),
    [
        ((FLOAT, ["n", 3]), (FLOAT, ["m", 3]), "kept", "The same but for what it says of sizes"),
        ((FLOAT, None), (FLOAT, [1]), "kept", "The same but for what it says of sizes"),
        ((FLOAT, [None]), (FLOAT, [1]), "kept", "The same but for what it says of sizes"),
        ((FLOAT, [1]), (FLOAT, [None]), "changed", "tensor(float)[1] became tensor(float)[?]"),
        ((FLOAT, ["n"]), (FLOAT, [1]), "changed", "tensor(float)[n] became tensor(float)[1]"),
        ((FLOAT, [1]), (TensorProto.FLOAT16, [1]), "changed",
         "tensor(float)[1] became tensor(float16)[1]"),
    ],
)  # fmt: skip
def test_a_type_may_gain_but_not_lose(
    before: tuple[int, Sequence[int | str | None] | None],
    after: tuple[int, Sequence[int | str | None] | None],
    kind: RowKind,
    reason: str,
) -> None:
    a, b = (
        read(onnx_model([helper.make_node("Relu", ["x"], ["y"])], [value("x")], [value("y", *end)]))
        for end in (before, after)
    )
    row = named(a, b)["output y"]
    assert (row.kind, row.reason) == (kind, reason)


def test_renamed_ends_pair_by_place_where_their_types_fit() -> None:
    def ends(*names: tuple[str, int]) -> Model:
        nodes = [helper.make_node("F", [name for name, _ in names], ["y"])]
        return read(onnx_model(nodes, [value(*end) for end in names], [value("y")]))

    a = ends(("x", FLOAT), ("k", FLOAT), ("z", FLOAT))
    found = named(a, ends(("u", FLOAT), ("k", FLOAT), ("v", FLOAT)))
    assert (found["input x"].kind, found["input x"].reason) == ("kept", "Renamed to u")
    assert found["input z"].reason == "Renamed to v"
    other = named(a, ends(("u", TensorProto.INT64), ("k", FLOAT), ("v", FLOAT)))
    assert other["input x"].kind == "removed"
    assert other["input u"].kind == "added"
