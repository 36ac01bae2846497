"""A model against what a config's build has."""

from __future__ import annotations

import pytest

from ortstudio.analysis.config_coverage import Coverage, Missing, coverage
from ortstudio.analysis.nodes import NodeRef, Operator
from ortstudio.analysis.required_operators import RequiredOperators, required_operators
from ortstudio.analysis.required_types import Types
from ortstudio.model.model import Model
from ortstudio.model.types import DataType, TensorType
from ortstudio.services.operator_config_reader import parse_config
from tests.builders.corpus import corpus_files, corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, onnx, ort

INT64 = TensorType(DataType.INT64, None)
RELU = Operator("", "Relu", 14)


def held(model: Model, config: str) -> Coverage:
    return coverage(model, parse_config(config).built(), operators())


def relus(*types: TensorType | None, since: int = 14) -> Model:
    """A Relu for each type, of values x0, x1 and so on."""
    nodes = [Node("Relu", [f"x{i}"], [f"y{i}"], since=since) for i in range(len(types))]
    names = {f"x{i}": found for i, found in enumerate(types)}
    return ort(graph(nodes, inputs=list(names), types=names))


def nodes(*indices: int) -> tuple[NodeRef, ...]:
    return tuple(NodeRef("/", index) for index in indices)


def test_a_missing_operator_is_told_with_its_nodes() -> None:
    found = held(relus(INT64, INT64), "ai.onnx;14;Abs\nai.onnx;13;Relu\ncom.microsoft;14;Relu")
    assert found.missing == (Missing(RELU, None, nodes(0, 1)),)
    assert found.covered is False
    assert [operator.op_id for operator in found.unused] == [
        ":Relu:13",
        ":Abs:14",
        "com.microsoft:Relu:14",
    ]


@pytest.mark.parametrize(("version", "covered"), [(14, True), (17, True), (25, True), (13, False)])
def test_a_config_may_name_any_opset_that_means_the_form(version: int, covered: bool) -> None:
    assert held(relus(INT64), f"ai.onnx;{version};Relu").covered is covered


def test_missing_types_are_told_with_just_their_nodes() -> None:
    config = 'ai.onnx;14;Relu{"inputs": {"0": ["float"]}}'
    found = held(relus(TensorType(DataType.FLOAT, None), INT64, INT64), config)
    assert found.missing == (Missing(RELU, Types({0: frozenset({"int64_t"})}), nodes(1, 2)),)


def test_types_that_the_file_does_not_say_are_not_known_to_be_covered() -> None:
    config = 'ai.onnx;14;Relu{"inputs": {"0": ["float"]}}'
    found = held(relus(TensorType(DataType.FLOAT, None), None), config)
    assert (found.covered, found.unknown) == (None, nodes(1))
    assert held(relus(None), "ai.onnx;14;Relu").covered is True


def test_types_that_every_build_has_need_not_be_listed() -> None:
    add = ort(graph([Node("Add", ["x", "x"], ["y"], since=14)], inputs=["x"], types={"x": INT64}))
    assert held(add, 'ai.onnx;14;Add{"inputs": {"0": ["float"]}}').covered is True
    assert held(add, "!globally_allowed_types;float\nai.onnx;14;Add").covered is True


def test_combinations_count_as_a_whole() -> None:
    one_hot = Node("OneHot", ["i", "i", "v"], ["y"], since=11)
    model = ort(graph([one_hot], inputs=["i", "v"], types={"i": INT64}))
    config = 'ai.onnx;11;OneHot{"custom": [["int64_t", "float", "%s"]]}'
    assert held(model, config % "int64_t").covered is True
    lacking = Types(together=frozenset({("int64_t", "float", "int64_t")}))
    (missing,) = held(model, config % "int32_t").missing
    assert missing.types == lacking


def test_types_of_the_whole_build_limit_every_operator() -> None:
    found = held(relus(INT64), "!globally_allowed_types;float,double\nai.onnx;14;Relu")
    assert found.missing[0].types == Types({0: frozenset({"int64_t"})})
    assert held(relus(INT64), "!globally_allowed_types;int64_t\nai.onnx;14;Relu").covered is True


def test_a_build_with_everything_covers_everything_but_what_its_types_leave_out() -> None:
    everything = "!no_ops_specified_means_all_ops_are_required"
    assert held(relus(INT64), everything).covered is True
    limited = f"{everything}\n!globally_allowed_types;float"
    assert held(relus(INT64), limited).covered is False


def test_what_replay_makes_must_be_there_too() -> None:
    model = corpus_model("v6_ort1.32.0_cnn_runtime_all.ort")
    required = required_operators(model, types=True)
    assert coverage(model, required, operators()).covered is True
    fused = Operator("com.microsoft", "FusedConv", 1)
    less = RequiredOperators.of(set(required.operators) - {fused}, required.types)
    (missing,) = coverage(model, less, operators()).missing
    assert (missing.operator, missing.types, missing.on_replay) == (fused, None, True)
    assert len(missing.nodes) > 0


@pytest.mark.parametrize("file", [row["file"] for row in corpus_files()])
def test_every_model_is_covered_by_its_own_config_and_uses_all_of_it(file: str) -> None:
    model = corpus_model(file)
    for types in (False, True):
        found = coverage(model, required_operators(model, types=types), operators())
        assert found == Coverage((), (), ())


def test_calls_of_local_functions_need_nothing() -> None:
    assert coverage(onnx(graph([])), RequiredOperators(), operators()).covered is True
