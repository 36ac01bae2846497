"""Build flags that follow from models, and what contradicts them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.analysis.build_facts import BuildFacts, build_facts
from ortstudio.analysis.build_flags import (
    BuildWishes,
    build_flags,
    contradictions,
    left_out,
)
from ortstudio.analysis.given_flags import given_contradictions, parsed
from ortstudio.analysis.required_operators import required_operators
from ortstudio.model.model import Model
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)
from tests.builders.corpus import corpus_model
from tests.builders.knowledge import operators
from tests.builders.models import Node, graph, onnx, ort, tensor

WISHES = BuildWishes("ops.config", types=False)


def facts(model: Model, name: str = "m.ort") -> BuildFacts:
    return build_facts(name, model, required_operators(model, types=False), operators())


def one(op_type: str = "Relu", domain: str = "", types: ValueType | None = None) -> BuildFacts:
    """The facts about a model of one node."""
    made = {} if types is None else {"x": types}
    node = Node(op_type, ["x"], ["y"], domain=domain)
    return facts(ort(graph([node], inputs=["x"], outputs=["y"], types=made)))


def texts(models: list[BuildFacts], wishes: BuildWishes = WISHES) -> list[str]:
    return [flag.text for flag in build_flags(models, wishes)]


def test_a_plain_model_gets_the_smallest_build() -> None:
    assert texts([one()]) == [
        "--minimal_build",
        "--include_ops_by_config ops.config",
        "--skip_tests",
        "--disable_ml_ops",
        "--disable_exceptions",
        "--disable_rtti",
        "--disable_types float8 optional sparsetensor",
    ]
    assert all(flag.reason for flag in build_flags([one()], WISHES))
    assert left_out([one()]) == ()


def test_types_are_reduced_where_the_config_has_them() -> None:
    wishes = replace(WISHES, types=True)
    assert "--enable_reduced_operator_type_support" in texts([one()], wishes)


def test_saved_optimizations_providers_and_libraries_widen_the_minimal_build() -> None:
    recorded = facts(corpus_model("v6_ort1.32.0_cnn_runtime_all.ort"), "r.ort")
    assert texts([recorded])[0] == "--minimal_build extended"
    custom = one("BpeLike", "my.ops")
    assert texts([custom])[0] == "--minimal_build custom_ops"
    assert texts([recorded, custom])[0] == "--minimal_build extended custom_ops"
    wished = texts([one()], replace(WISHES, providers=("xnnpack",)))
    assert (wished[0], wished[-1]) == ("--minimal_build extended", "--use_xnnpack")
    (flag, *_) = build_flags([one(), recorded], WISHES)
    assert flag.models == ("r.ort",)


def test_a_file_saved_for_a_provider_asks_for_it() -> None:
    saved = replace(one(), providers=("NnapiExecutionProvider",))
    assert texts([saved])[-1] == "--use_nnapi"


@pytest.mark.parametrize(
    ("found", "flag"),
    [
        (one("ZipMap", "ai.onnx.ml"), "--disable_ml_ops"),
        (one(types=MapType(DataType.INT64, None)), "--disable_ml_ops"),
        (one("BpeLike", "my.ops"), "--disable_exceptions"),
        (one(types=TensorType(DataType.FLOAT8E5M2, None)), "--disable_types float8"),
        (one(types=SparseTensorType(DataType.FLOAT, None)), "--disable_types sparsetensor"),
        (one("OptionalHasElement"), "--disable_types optional"),
        (
            one(types=OptionalType(SequenceType(TensorType(DataType.FLOAT8E4M3FN, None)))),
            "--disable_types optional",
        ),
        (facts(corpus_model("v6_ort1.32.0_sparse_init_fixed_disable.ort")),
         "--disable_types sparsetensor"),
        (facts(corpus_model("v6_ort1.16.3_float8_fixed_disable.ort")), "--disable_types float8"),
    ],
)  # fmt: skip
def test_what_a_model_needs_is_left_in_and_said(found: BuildFacts, flag: str) -> None:
    assert flag in [one.text for one in left_out([found])]
    assert flag not in texts([one(), found])
    word = flag.rsplit(maxsplit=1)[-1]
    assert word not in " ".join(texts([one(), found])).split()


def test_attributes_count_too() -> None:
    weights = tensor("v", (2,), DataType.FLOAT8E5M2)
    node = Node("Constant", [], ["y"], attributes={"value": weights})
    assert "float8" in facts(ort(graph([node], outputs=["y"]))).kinds


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("v4_ort1.12.1_mlp_fixed_basic.ort", "format before 5"),
        ("v6_ort1.32.0_int4_fixed_disable.ort", "refuses since 1.28"),
        ("v6_ort1.32.0_cnn_nchwc_all.ort", "blocked layout"),
        ("v5_ort1.15.1_qdq_runtime_all.ort", "stops the load"),
    ],
)
def test_what_no_flag_mends_is_said(file: str, words: str) -> None:
    found = contradictions([one(), facts(corpus_model(file), file)])
    assert [(words in one.text, one.models) for one in found] == [(True, (file,))]


def test_an_onnx_model_is_for_no_minimal_build() -> None:
    source = facts(onnx(graph([Node("Relu", ["x"], ["y"], since=14)])), "s.onnx")
    (found,) = contradictions([source, one()])
    assert (found.models, "Convert it" in found.text) == (("s.onnx",), True)
    assert texts([source])[0] == "--include_ops_by_config ops.config"
    assert texts([source, one()])[0] == "--minimal_build"


@pytest.mark.parametrize(
    ("given", "models", "words"),
    [
        ("--disable_ml_ops", [one("ZipMap", "ai.onnx.ml")], "takes operators or maps"),
        ("--disable_contrib_ops", [one("FusedConv", "com.microsoft")], "takes operators away"),
        ("--minimal_build", [one("BpeLike", "my.ops")], "without custom_ops"),
        ("--minimal_build=custom_ops", [replace(one(), optimizations=1)], "without extended"),
        ("--minimal_build --disable_types float8 optional",
         [replace(one(), kinds=frozenset({"optional"}))], "optional values"),
        ("--disable_exceptions", [one()], "minimal builds only"),
        ("--minimal_build --disable_exceptions --build_wheel", [one()], "Python"),
        ("--enable_reduced_operator_type_support", [one()], "without a config"),
        ("--include_ops_by_config f --enable_reduced_operator_type_support", [one()],
         "without types"),
        ("--minimal_build --use_coreml", [one()], "needs --minimal_build extended"),
    ],
)  # fmt: skip
def test_given_flags_are_held_against_models_and_each_other(
    given: str, models: list[BuildFacts], words: str
) -> None:
    (found,) = given_contradictions(parsed(given.split()), models, types=False)
    assert words in found.text


def test_flags_that_follow_contradict_nothing() -> None:
    files = ["v6_ort1.32.0_cnn_runtime_all.ort", "v6_ort1.16.3_float8_fixed_disable.ort"]
    models = [facts(corpus_model(file), file) for file in files]
    wishes = BuildWishes("ops.config", types=True, providers=("nnapi",))
    words = " ".join(texts(models, wishes)).split()
    assert given_contradictions(parsed(words), models, types=True) == ()
