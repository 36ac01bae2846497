"""The object of `tensor --json`, and which tensor a name means."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from ortstudio.errors import FormatError, MissingError, UsageError
from ortstudio.services.document import Document, open_document
from ortstudio.services.tensor_answer import MOST_VALUES, answer, view_tensor
from ortstudio.services.tensor_lookup import find_tensor

CORPUS = Path(__file__).parents[2] / "corpus"
SOURCES = sorted((CORPUS / "sources").glob("*.onnx"))
FILES = [*SOURCES, *sorted(CORPUS.glob("*.ort"))]
KEYS = {
    "schema", "graph", "name", "data_type", "dims", "size_bytes", "statistics", "values",
}  # fmt: skip

LOST = {
    ("v1_ort1.5.2_extdata_fixed_basic.ort", "b_ext"),
    ("v1_ort1.5.2_extdata_fixed_basic.ort", "w_ext"),
    ("v6_ort1.23.2_types_fixed_disable.ort", "tab_str"),
}
"""Elements that these releases did not write."""

Answer: TypeAlias = Any
Save = Callable[[onnx.GraphProto], Path]


def look(path: Path, name: str, graph: str | None = None, part: str | None = None) -> Answer:
    """The answer as a script gets it."""
    return look_in(open_document(path), name, graph, part)


def look_in(
    document: Document, name: str, graph: str | None = None, part: str | None = None
) -> Answer:
    made = answer(view_tensor(document, find_tensor(document, name, graph), part))
    return json.loads(json.dumps(made, allow_nan=False))


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write a model of one graph."""

    def write(graph: onnx.GraphProto) -> Path:
        path = tmp_path / "model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
        return path

    return write


def one_tensor(values: np.ndarray, name: str = "w") -> onnx.GraphProto:
    return helper.make_graph([], "g", [], [], [numpy_helper.from_array(values, name)])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_initializer_of_the_corpus_is_answered_with_every_key(path: Path) -> None:
    document = open_document(path)
    for graph in document.model.graphs:
        dense = graph.initializers.names
        for name in [*dense, *(sparse.values.name for sparse in graph.sparse_initializers)]:
            if (path.name, name) in LOST:
                with pytest.raises(FormatError, match="shape need"):
                    look_in(document, name, graph.path)
                continue
            found = look_in(document, name, graph.path)
            assert found.keys() >= KEYS
            assert found["statistics"].keys() == {
                "min", "max", "mean", "std", "zeros", "nan", "inf",
            }  # fmt: skip
            assert (found["graph"], found["name"]) == (graph.path, name)
            if name in dense:
                assert list(np.array(found["values"]).shape) == found["dims"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_values_are_those_that_onnx_reads(path: Path) -> None:
    document = open_document(path)
    for tensor in onnx.load(path).graph.initializer:
        theirs = numpy_helper.to_array(tensor)
        values = look_in(document, tensor.name)["values"]
        if theirs.dtype.kind == "c":
            values = np.array(values) @ [1, 1j]
        if theirs.dtype.kind == "O":
            assert values == [text.decode() if isinstance(text, bytes) else text for text in theirs]
        elif theirs.dtype.kind in "fiubc":
            np.testing.assert_array_equal(np.array(values, theirs.dtype), theirs)
        else:
            np.testing.assert_array_equal(np.array(values), theirs.astype(np.float32))


def test_what_is_not_finite_is_counted_and_written_as_a_string(save: Save) -> None:
    path = save(one_tensor(np.array([1, np.nan, np.inf, -np.inf, 0], np.float32)))
    found = look(path, "w")
    assert found["values"] == [1.0, "NaN", "Infinity", "-Infinity", 0.0]
    assert found["statistics"] == {
        "min": 0.0, "max": 1.0, "mean": 0.5, "std": 0.5, "zeros": 1, "nan": 1, "inf": 2,
    }  # fmt: skip


def test_more_values_than_anyone_reads_are_left_out_and_a_slice_brings_them(save: Save) -> None:
    path = save(one_tensor(np.ones((2, MOST_VALUES // 2 + 1), np.int8)))
    found = look(path, "w")
    assert found["values"] is None
    assert "1,000,002 elements" in found["values_omitted"]
    assert found["statistics"]["max"] == 1
    part = look(path, "w", part=":,0")
    assert (part["values"], part["values_omitted"], part["slice"]) == ([1, 1], None, ":,0")
    assert part["dims"] == [2, MOST_VALUES // 2 + 1]


def test_a_type_that_numpy_lacks_is_widened_and_said_so() -> None:
    found = look(CORPUS / "sources" / "bf16.onnx", "bf_w")
    assert (found["data_type"], found["values_type"]) == ("bfloat16", "float32")
    assert look(CORPUS / "sources" / "int4.onnx", "w_i4")["values_type"] == "int8"
    assert look(CORPUS / "sources" / "types.onnx", "tab_f16")["values_type"] == "float16"
    assert look(CORPUS / "sources" / "types.onnx", "tab_str")["values_type"] == "string"


@pytest.mark.parametrize(
    "file", ["sources/sparse_init.onnx", "v6_ort1.32.0_sparse_init_fixed_disable.ort"]
)
def test_a_sparse_initializer_has_its_dense_shape_and_its_stored_values(file: str) -> None:
    found = look(CORPUS / file, "sp_lin")
    assert found["dims"] == [6, 5]
    assert found["values"] == [1.5, -2.0, 0.25]
    assert found["sparse"]["values"]["dims"] == [3]
    assert found["sparse"]["indices"]["dims"] == [3]
    sizes = [found["sparse"][part]["size_bytes"] for part in ("values", "indices")]
    assert found["size_bytes"] == sum(sizes)


def test_a_tensor_in_an_attribute_is_named_by_node_and_attribute(save: Save) -> None:
    value = numpy_helper.from_array(np.array([3], np.int64))
    nodes = [
        helper.make_node("Constant", [], ["a"], "scope/const", value=value),
        helper.make_node("Constant", [], ["b"], value=value),
    ]
    path = save(helper.make_graph(nodes, "g", [], []))
    for name in ("scope~1const/value", "scope/const/value"):
        assert look(path, name)["name"] == "scope~1const/value"
    assert look(path, "#1/value")["values"] == [3]


def branches(names: tuple[str, str], outer: str | None = None) -> onnx.GraphProto:
    """An `If` whose branches each have an initializer; 0 in the main graph, 1 and 2 in these."""

    def constant(name: str, value: int) -> onnx.TensorProto:
        return numpy_helper.from_array(np.array([value], np.int64), name)

    def branch(name: str, value: int) -> onnx.GraphProto:
        output = helper.make_tensor_value_info("y", TensorProto.INT64, [1])
        node = helper.make_node("Identity", [name], ["y"])
        return helper.make_graph([node], "b", [], [output], [constant(name, value)])

    node = helper.make_node(
        "If", ["c"], ["z"], "choose",
        then_branch=branch(names[0], 1), else_branch=branch(names[1], 2),
    )  # fmt: skip
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    output = helper.make_tensor_value_info("z", TensorProto.INT64, [1])
    weights = [constant(outer, 0)] if outer else []
    return helper.make_graph([node], "g", [condition], [output], weights)


def test_of_several_graphs_the_main_one_is_meant(save: Save) -> None:
    path = save(branches(("w", "w"), "w"))
    assert look(path, "w")["graph"] == "/"
    assert look(path, "w", "/choose/else_branch")["values"] == [2]


def test_a_name_that_only_one_graph_has_needs_no_graph(save: Save) -> None:
    assert look(save(branches(("w", "v"))), "v")["graph"] == "/choose/else_branch"


def test_a_name_that_only_several_subgraphs_have_needs_one(save: Save) -> None:
    with pytest.raises(UsageError, match="/choose/else_branch and /choose/then_branch") as caught:
        look(save(branches(("w", "w"))), "w")
    assert "--graph" in caught.value.hint


def test_what_is_not_there_is_an_error_that_names_what_is(save: Save) -> None:
    path = save(branches(("weight_a", "weight_b")))
    with pytest.raises(MissingError) as caught:
        look(path, "weight_c")
    assert "'weight_a'" in caught.value.hint
    with pytest.raises(MissingError) as caught:
        look(path, "weight_a", "/nope")
    assert "/choose/then_branch" in caught.value.hint


def test_elements_that_cannot_be_had_are_an_error_with_the_file(save: Save) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], raw_data=bytes(12))
    path = save(helper.make_graph([], "g", [], [], [tensor]))
    with pytest.raises(FormatError, match="'w' has 12 bytes") as caught:
        look(path, "w")
    assert caught.value.where.path == str(path)
