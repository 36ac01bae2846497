"""What a model needs of a build."""

from __future__ import annotations

import onnx as onnx_package
import pytest
from onnx import helper

from ortstudio.analysis.nodes import Operator, by_operator
from ortstudio.analysis.required_operators import RequiredOperators, merged, required_operators
from ortstudio.analysis.required_types import Types
from ortstudio.format.source import Source
from ortstudio.model.graph import Parent
from ortstudio.model.model import Model
from ortstudio.model.onnx_reader import read_onnx
from ortstudio.model.types import DataType, MapType, SequenceType, TensorType
from tests.builders.corpus import corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, imports, onnx, ort, tensor
from tests.builders.onnx_models import graph_of, node

FLOAT, INT64 = (TensorType(kind, None) for kind in (DataType.FLOAT, DataType.INT64))


def read(model: onnx_package.ModelProto) -> Model:
    return read_onnx(Source.of_bytes(model.SerializeToString()), operators().since)


def op_ids(required: RequiredOperators) -> list[str]:
    return [operator.op_id for operator in required.operators]


def cast(source: TensorType, target: TensorType, since: int = 13) -> Model:
    made = Node("Cast", ["x"], ["y"], since=since)
    return ort(graph([made], inputs=["x"], outputs=["y"], types={"x": source, "y": target}))


def types_of(model: Model, op_type: str, domain: str = "") -> Types | None:
    return required_operators(model, types=True).types.get((domain, op_type))


def test_operators_in_branches_count_and_the_order_is_that_of_a_config() -> None:
    model = corpus_model("v6_ort1.32.0_control_fixed_disable.ort")
    required = required_operators(model, types=False)
    assert {op for g in model.graphs for op in g.nodes.op_types} == {
        operator.op_type for operator in required.operators
    }
    places = [(o.domain or "ai.onnx", o.since_version, o.op_type) for o in required.operators]
    assert places == sorted(places)
    assert not required.types


def test_the_version_of_an_onnx_node_is_the_one_that_introduced_its_form() -> None:
    made = helper.make_model(
        graph_of([node("Conv", "x w", "a"), node("Relu", "a", "y")], inputs="x w", outputs="y"),
        opset_imports=[helper.make_opsetid("", 17)],
    )
    assert op_ids(required_operators(read(made), types=False)) == [":Conv:11", ":Relu:14"]


def test_an_operator_that_nobody_knows_has_the_version_of_its_import() -> None:
    bpe = Node("BpeLike", ["x"], ["y"], domain="my.ops", since=0)
    lost = Node("Lost", ["y"], ["z"], domain="not.imported", since=0)
    made = onnx(
        graph([bpe, lost], inputs=["x"], outputs=["z"]),
        opset_imports=imports(("", 17), ("my.ops", 3)),
    )
    assert op_ids(required_operators(made, types=False)) == [
        "my.ops:BpeLike:3",
        "not.imported:Lost:1",
    ]


def test_the_two_names_of_the_onnx_domain_are_one() -> None:
    nodes = [Node("Relu", ["x"], ["y"], domain="ai.onnx"), Node("Relu", ["y"], ["z"])]
    required = required_operators(ort(graph(nodes, inputs=["x"], outputs=["z"])), types=True)
    assert required.operators == (Operator("", "Relu", 1),)
    assert required.types == {("", "Relu"): Types({0: frozenset({"float"})})}


def test_bodies_of_called_functions_count_and_neither_calls_nor_unused_functions() -> None:
    def function(name: str, *nodes: onnx_package.NodeProto) -> onnx_package.FunctionProto:
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
        return helper.make_function("own", name, ["a"], ["b"], list(nodes), opsets)

    made = helper.make_model(
        graph_of([node("Outer", "x", "y")], inputs="x", outputs="y"),
        opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("own", 1)],
        functions=[
            function("Outer", helper.make_node("Inner", ["a"], ["b"], domain="own")),
            function("Inner", node("Erf", "a", "b")),
            function("Unused", node("Sin", "a", "b")),
        ],
    )
    made.graph.node[0].domain = "own"
    assert op_ids(required_operators(read(made), types=False)) == [":Erf:13"]


def test_what_saved_optimizations_make_is_needed_beside_what_the_file_holds() -> None:
    model = corpus_model("v6_ort1.32.0_cnn_runtime_all.ort")
    held = {operator.op_id for operator in by_operator(model.graphs)}
    required = op_ids(required_operators(model, types=False))
    assert set(required) == held | {"com.microsoft:FusedConv:1"} != held


def test_types_are_those_that_a_build_can_be_told_of() -> None:
    nodes = [
        Node("Where", ["c", "x", "x"], ["a"]),
        Node("Reshape", ["a", "s"], ["b"]),
        Node("Gather", ["b", "i"], ["y"]),
    ]
    types = {"c": TensorType(DataType.BOOL, None), "s": INT64, "i": INT64}
    required = required_operators(
        ort(graph(nodes, inputs=["c", "x", "s", "i"], outputs=["y"], types=types)), types=True
    )
    assert required.types == {
        ("", "Where"): Types({1: frozenset({"float"})}),
        ("", "Gather"): Types({0: frozenset({"float"}), 1: frozenset({"int64_t"})}),
    }


def test_types_that_count_together_are_combinations() -> None:
    one_hot = Node("OneHot", ["i", "d", "v"], ["y"])
    types = {"i": INT64, "d": TensorType(DataType.INT32, None), "v": FLOAT}
    made = ort(graph([one_hot], inputs=["i", "d", "v"], outputs=["y"], types=types))
    assert types_of(made, "OneHot") == Types(together=frozenset({("int64_t", "float", "int32_t")}))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (TensorType(DataType.INT4, None), "Int4x2"),
        (TensorType(DataType.UINT4, None), "UInt4x2"),
        (TensorType(DataType.INT2, None), "Int2x4"),
        (TensorType(DataType.FLOAT4E2M1, None), "Float4E2M1x2"),
        (TensorType(DataType.STRING, None), "std::string"),
        (SequenceType(TensorType(DataType.FLOAT16, None)), "MLFloat16"),
        (MapType(DataType.INT64, FLOAT), "std::map<int64_t,float>"),
        (SequenceType(MapType(DataType.STRING, INT64)), "std::map<std::string,int64_t>"),
    ],
)
def test_types_have_the_names_of_c_plus_plus(kind: TensorType, name: str) -> None:
    made = ort(
        graph([Node("Transpose", ["x"], ["y"])], inputs=["x"], outputs=["y"], types={"x": kind})
    )
    assert types_of(made, "Transpose") == Types({0: frozenset({name})})


def test_an_operator_keeps_all_types_where_the_file_does_not_say_one() -> None:
    nodes = [Node("Relu", ["x"], ["a"]), Node("Relu", ["a"], ["y"]), Node("Exp", ["y"], ["z"])]
    made = ort(graph(nodes, inputs=["x"], outputs=["z"], types={"a": None}))
    required = required_operators(made, types=True)
    assert required.types == {("", "Exp"): Types({0: frozenset({"float"})})}
    assert {o.op_type for o in required.operators} == {"Relu", "Exp"}


def test_an_input_that_a_version_does_not_have_asks_for_nothing() -> None:
    made = ort(graph([Node("Slice", ["x"], ["y"])], inputs=["x"], outputs=["y"]))
    assert types_of(made, "Slice") == Types({0: frozenset({"float"}), 1: frozenset()})


def test_a_branch_reads_the_types_of_outer_values() -> None:
    outer = graph([Node("If", ["c"], ["y"])], inputs=["c", "x"], outputs=["y"], types={"x": INT64})
    inner = graph(
        [Node("Abs", ["x"], ["t"])],
        outputs=["t"],
        types={"x": None},
        path="/#0/then_branch",
        parent=Parent(0, 0, "then_branch"),
    )
    assert types_of(ort(outer, inner), "Abs") == Types({0: frozenset({"int64_t"})})


def test_merging_unites_types_whatever_the_order_and_the_versions() -> None:
    parts = [
        required_operators(cast(FLOAT, INT64, 11), types=True),
        required_operators(cast(INT64, FLOAT, 13), types=True),
    ]
    both = frozenset({"float", "int64_t"})
    for found in (merged(parts), merged(reversed(parts))):
        assert op_ids(found) == [":Cast:11", ":Cast:13"]
        assert found.types == {("", "Cast"): Types({0: both}, {0: both})}


def test_merging_with_an_operator_of_all_types_allows_all_types() -> None:
    typed = required_operators(cast(FLOAT, INT64), types=True)
    untyped = required_operators(cast(FLOAT, INT64), types=False)
    for parts in ((typed, untyped), (untyped, typed)):
        assert not merged(parts).types
    other = required_operators(corpus_model("v6_ort1.32.0_deep_fixed_basic.ort"), types=False)
    assert merged([typed, other]).types == typed.types


def test_merging_limits_of_whole_builds_unites_them_and_drops_them_beside_a_build_without() -> None:
    floats = RequiredOperators((Operator("", "Relu", 14),), allowed=frozenset({"float"}))
    doubles = RequiredOperators((Operator("", "Abs", 13),), allowed=frozenset({"double"}))
    assert merged([floats, doubles]).allowed == frozenset({"float", "double"})
    typed = required_operators(cast(FLOAT, INT64), types=True)
    assert merged([floats, typed]).allowed is None
    assert merged([floats, typed]).types == typed.types


def test_merging_with_a_build_that_has_everything_has_everything() -> None:
    everything = RequiredOperators(everything=True)
    found = merged([required_operators(cast(FLOAT, INT64), types=True), everything])
    assert found == everything


def test_nothing_merged_is_nothing() -> None:
    assert merged([]) == RequiredOperators()


def test_weights_that_are_read_by_name_have_their_types() -> None:
    made = ort(
        graph(
            [Node("DequantizeLinear", ["w", "s"], ["y"])],
            outputs=["y"],
            initializers=[tensor("w", (2,), DataType.INT4), tensor("s")],
            types={"w": TensorType(DataType.INT4, (2,))},
        )
    )
    assert types_of(made, "DequantizeLinear") == Types({0: frozenset({"Int4x2"})})
