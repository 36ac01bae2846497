"""Operator configs: written as upstream reads them, and read strictly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ortstudio.analysis.kernel_types import GLOBAL_TYPES
from ortstudio.analysis.nodes import Operator
from ortstudio.analysis.required_operators import (
    RequiredOperators,
    merged,
    name_of,
    required_operators,
)
from ortstudio.analysis.required_types import Types
from ortstudio.errors import FormatError, MissingError, RefusedError
from ortstudio.model.model import Model
from ortstudio.model.types import DataType
from ortstudio.services.operator_config import config_text
from ortstudio.services.operator_config_reader import parse_config, read_config
from tests.builders.corpus import corpus_files, corpus_model
from tests.oracles import upstream_config

CONTROL = "v6_ort1.32.0_control_fixed_disable.ort"
ALL_TYPES = frozenset({"float", "double", "int64_t", "std::map<int64_t,float>"})
CONFIG_A = """
ai.onnx;11;ReduceProd{"inputs": {"0": ["int64_t"]}},\
Cast{"inputs": {"0": ["float"]}, "outputs": {"0": ["int64_t"]}}
"""
CONFIG_B = """
ai.onnx;11;ReduceProd{"inputs": {"0": ["int32_t"]}}
ai.onnx;13;Cast{"inputs": {"0": ["int64_t"]}, "outputs": {"0": ["float"]}}
"""
kinds = st.frozensets(st.sampled_from(sorted(ALL_TYPES)), min_size=1)
slots = st.dictionaries(st.integers(0, 3), kinds, max_size=2)
operators = st.builds(
    Operator,
    st.sampled_from(["", "com.microsoft", "my.ops"]),
    st.sampled_from(["Conv", "Cast", "Relu", "BpeLike"]),
    st.integers(1, 30),
)
all_types = st.builds(
    Types, slots, slots, st.none() | st.frozensets(st.tuples(*[st.just("float")] * 3), min_size=1)
).filter(lambda types: bool(types.inputs or types.outputs or types.together))


@st.composite
def requirements(draw: st.DrawFn) -> RequiredOperators:
    found = draw(st.lists(operators, max_size=6))
    allowed = draw(st.none() | st.frozensets(st.sampled_from(sorted(GLOBAL_TYPES)), min_size=1))
    if allowed is not None:
        return RequiredOperators.of(found, {}, allowed, everything=not found)
    names = sorted({name_of(operator) for operator in found})
    return RequiredOperators.of(
        found,
        {name: draw(st.none() | all_types) for name in names},
        None,
        not found and draw(st.booleans()),
    )


@given(requirements())
def test_what_is_written_reads_back_as_it_was(required: RequiredOperators) -> None:
    config = parse_config(config_text(required, ["model.ort"]))
    assert config.built() == config.listed() == required
    assert not config.overridden()


@given(st.lists(requirements(), max_size=3))
def test_merging_forgets_no_operator_and_no_type(parts: list[RequiredOperators]) -> None:
    found = merged(parts)
    assert found == merged(reversed(parts)) == merged([found, *parts])
    for part in parts:
        assert found.everything or set(part.operators) <= set(found.operators)
        for name in map(name_of, part.operators):
            kept = found.types.get(name)
            assert kept is None or name in part.types


@pytest.mark.parametrize("file", [row["file"] for row in corpus_files()])
def test_configs_equal_upstreams(file: str, corpus: Path, tmp_path: Path) -> None:
    model = without_records(corpus_model(file))
    for types in (False, True):
        text = config_text(required_operators(model, types=types))
        try:
            theirs = upstream_config.written([corpus / file], tmp_path, types=types)
        except (KeyError, RuntimeError) as error:
            # Upstream knows neither types beyond the schema nor files without an identifier.
            beyond = error.args[0] in range(DataType.UINT4, DataType.INT2 + 1)
            assert beyond or (model.ort and not model.ort.has_identifier)
            continue
        assert upstream_config.lines(text) == theirs


def test_saved_optimizations_add_to_what_upstream_sees_in_a_file() -> None:
    model = corpus_model("v6_ort1.32.0_qdq_conv_runtime_all.ort")
    plain = required_operators(without_records(model), types=True)
    found = required_operators(model, types=True)
    assert merged([plain, found]) == found != plain
    assert found.types["", "MaxPool"] == Types({0: frozenset({"float", "uint8_t"})})


def test_the_config_of_two_models_equals_upstreams(corpus: Path, tmp_path: Path) -> None:
    files = ["v6_ort1.32.0_types_fixed_disable.ort", "v6_ort1.32.0_control_fixed_disable.ort"]
    found = merged(required_operators(corpus_model(file), types=True) for file in files)
    theirs = upstream_config.written([corpus / file for file in files], tmp_path, types=True)
    assert upstream_config.lines(config_text(found)) == theirs


def test_merged_configs_keep_the_types_that_upstream_loses_of_joined_ones(tmp_path: Path) -> None:
    parts = [parse_config(text) for text in (CONFIG_A, CONFIG_B)]
    joined = write(tmp_path, CONFIG_A + CONFIG_B)
    assert upstream_config.types(joined, "ai.onnx:ReduceProd") == {"inputs": {"0": ["int32_t"]}}
    for order in (parts, parts[::-1]):
        found = write(tmp_path, config_text(merged(part.built() for part in order)))
        both = {"0": ["int32_t", "int64_t"]}
        assert upstream_config.types(found, "ai.onnx:ReduceProd") == {"inputs": both}
        both = {"0": ["float", "int64_t"]}
        assert upstream_config.types(found, "ai.onnx:Cast") == {"inputs": both, "outputs": both}
        assert upstream_config.operators(found) == {
            "ai.onnx": {11: {"Cast", "ReduceProd"}, 13: {"Cast"}}
        }


def test_a_joined_config_is_built_as_upstream_builds_it_and_listed_in_full() -> None:
    joined = parse_config(CONFIG_A + CONFIG_B)
    lost = joined.overridden()
    assert [(entry.operator.op_id, entry.line) for entry in lost] == [
        (":ReduceProd:11", 2),
        (":Cast:11", 2),
    ]
    assert joined.built().types["", "ReduceProd"] == Types({0: frozenset({"int32_t"})})
    parts = [parse_config(text).built() for text in (CONFIG_A, CONFIG_B)]
    assert joined.listed() == merged(parts)


def test_a_config_is_the_same_text_every_time_and_its_comments_are_lines_of_ascii() -> None:
    required = required_operators(corpus_model(CONTROL), types=True)
    text = config_text(required, ["M\u00fcller\nai.onnx;1;Evil"])
    assert text == config_text(merged([required, required]), ["M\u00fcller\nai.onnx;1;Evil"])
    assert r"# M\xfcller\nai.onnx;1;Evil" in text.splitlines()
    assert text.isascii()


def test_a_config_without_operators_says_what_that_means() -> None:
    text = config_text(RequiredOperators())
    assert "none at all" in text
    assert parse_config(text).built() == RequiredOperators()


def test_a_name_that_separates_names_is_not_written() -> None:
    for operator in (Operator("", "A,B", 1), Operator("a b", "A", 1), Operator("", "", 1)):
        with pytest.raises(RefusedError, match="cannot be written"):
            config_text(RequiredOperators((operator,)))


def test_what_upstream_allows_in_a_config_is_read() -> None:
    config = parse_config(
        '\ufeff# head\r\n\n  ai.onnx ; 11, 13 ; Add , Cast{"inputs": {"0": ["float"]}},Sub\r\n'
    )
    assert [entry.operator.op_id for entry in config.entries] == [
        ":Add:11", ":Add:13", ":Cast:11", ":Cast:13", ":Sub:11", ":Sub:13"
    ]  # fmt: skip
    assert config.built().types == {("", "Cast"): Types({0: frozenset({"float"})})}
    everything = parse_config("!no_ops_specified_means_all_ops_are_required")
    assert everything.built() == RequiredOperators(everything=True)
    limited = parse_config("!globally_allowed_types;float,int64_t\nai.onnx;11;Add")
    assert limited.built().allowed == frozenset({"float", "int64_t"})


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("ai.onnx;11", 11, "';' is expected"),
        ("ai.onnx", 8, "';' is expected"),
        (";11;Add", 1, "A domain is expected"),
        ("ai.onnx;x;Add", 9, "A version is expected"),
        ("ai.onnx;0;Add", 9, "0 is no version"),
        ("ai.onnx;99999999999;Add", 9, "is no version"),
        ("ai.onnx;11,;Add", 12, "A version is expected"),
        ("ai.onnx;11;", 12, "An operator is expected"),
        ("ai.onnx;11;Add,", 16, "An operator is expected"),
        ("ai.onnx;11;Add,,Sub", 16, "An operator is expected"),
        ("ai.onnx;11;Add Sub", 16, "',' is expected"),
        ("ai.onnx;11;Add;Sub", 15, "',' is expected"),
        ('ai.onnx;11;Add{"inputs": {"0": ["float"]}', 42, "no JSON"),
        ('ai.onnx;11;Add{"inputs": {"0": ["float"]}}Sub', 43, "',' is expected"),
        ("ai.onnx;11;Add{}", 15, "inputs, outputs or custom"),
        ('ai.onnx;11;Add{"input": {}}', 15, "'input' is neither"),
        ('ai.onnx;11;Add{"inputs": []}', 15, "positions"),
        ('ai.onnx;11;Add{"inputs": {"x": ["float"]}}', 15, "'x' is no position"),
        ('ai.onnx;11;Add{"inputs": {"0": []}}', 15, "at least one"),
        ('ai.onnx;11;Add{"inputs": {"0": [1]}}', 15, "1 is no C++ type"),
        ('ai.onnx;11;Add{"inputs": {}, "inputs": {}}', 15, "stands twice"),
        ('ai.onnx;11;Add{"custom": ["float"]}', 15, "a list"),
        ('ai.onnx;11;Add{"inputs": ' + "[" * 100000, 15, "nest too deep"),
        ("!globally_allowed_types;float,flaot", 31, "'flaot' is no type"),
        ("!globally_allowed_types;", 25, "A type is expected"),
        ("!no_such_order", 1, "no such order"),
    ],
)
def test_errors_name_line_and_column(line: str, column: int, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_config(f"# head\n{line}\n", "ops.config")
    assert caught.value.where.path == "ops.config"
    assert caught.value.where.field == f"line 2, column {column}"
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!globally_allowed_types;float\n!globally_allowed_types;float", "already"),
        ('!globally_allowed_types;float\nai.onnx;1;A{"inputs":{"0":["float"]}}', "exclude"),
        ('ai.onnx;1;A{"inputs":{"0":["float"]}}\n!globally_allowed_types;float', "exclude"),
    ],
)
def test_contradictions_are_errors(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_config(text)


def test_files_that_are_no_configs_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        read_config(tmp_path / "none.config")
    binary = tmp_path / "binary.config"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="not text"):
        read_config(binary)


@given(st.text(alphabet='ai.onx;,:1{}[]"# !\n', max_size=60))
def test_any_text_is_a_config_or_an_error(text: str) -> None:
    try:
        config = parse_config(text)
    except FormatError:
        return
    assert parse_config(config_text(config.listed())).built() == config.listed()


def without_records(model: Model) -> Model:
    """The model as upstream's scripts see it: they do not look at saved optimizations."""
    assert model.ort is not None
    graphs = tuple(replace(graph, runtime_optimizations=()) for graph in model.ort.graphs)
    return replace(model, ort=replace(model.ort, graphs=graphs))


def write(folder: Path, text: str) -> Path:
    path = folder / "some.config"
    path.write_text(text, encoding="utf-8")
    return path
