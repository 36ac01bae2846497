from __future__ import annotations

from dataclasses import replace

import pytest

from ortstudio.analysis.totals import attribute_bytes, totals, what_dominates
from ortstudio.model.graph import GraphRef, Parent
from ortstudio.model.tensor import SparseTensor
from ortstudio.model.types import DataType
from tests.builders.corpus import CorpusFile, corpus_files, corpus_model
from tests.builders.models import Node, Value, graph, onnx, ort, tensor


def test_nested_graphs_and_all_kinds_of_constants_are_counted() -> None:
    branch = graph(
        [Node("Add", ["x", "k"], ["z"])],
        initializers=[tensor("k", (2, 3), DataType.DOUBLE)],
        path="/if/then_branch",
        parent=Parent(0, 0, "then_branch"),
    )
    sparse = SparseTensor(tensor("s", (5,)), tensor("", (5,), DataType.INT8), dims=(100, 100))
    main = graph(
        [Node("If", ["c"], ["y"], name="if", attributes={"then_branch": GraphRef(1)})],
        initializers=[tensor("c", (), DataType.BOOL), tensor("w", (3,), DataType.INT4)],
        sparse=[sparse],
    )
    found = totals(ort(main, branch))
    assert found.nodes == 2
    assert found.ops == {"Add": 1, "If": 1}
    assert (found.initializers, found.sparse_initializers) == (3, 1)
    assert found.parameters == 1 + 3 + 6 + 5
    assert found.bytes_by_type == {"double": 48, "float": 20, "int8": 5, "int4": 2, "bool": 1}
    assert found.initializer_bytes == 76


def test_most_frequent_operators_come_first() -> None:
    nodes = [Node("Relu", ["x"], ["a"]), Node("Conv", ["a"], ["b"]), Node("Relu", ["b"], ["y"])]
    assert list(totals(onnx(graph(nodes))).ops.items()) == [("Relu", 2), ("Conv", 1)]


def test_a_negative_dimension_counts_as_no_parameters() -> None:
    broken = graph([], initializers=[tensor("w", (-1, 4), size=8)])
    assert totals(ort(broken)).parameters == 0


def test_attribute_bytes_go_to_their_nodes() -> None:
    trees: dict[str, Value] = {"ids": (1, 2, 3), "modes": (b"LEAF", b"LEAF"), "base": 0.5}
    nodes = [
        Node("Relu", ["x"], ["a"]),
        Node("TreeEnsembleRegressor", ["a"], ["b"], domain="ai.onnx.ml", attributes=trees),
        Node("Constant", [], ["y"], attributes={"value": tensor("", (10,))}),
    ]
    assert attribute_bytes(graph(nodes)).tolist() == [0, 3 * 8 + 2 * 12 + 4, 40]


def test_a_tensor_in_an_attribute_counts_as_it_is_stored() -> None:
    huge = tensor("", (1 << 40, 1 << 40), size=12)
    node = Node("Constant", [], ["y"], attributes={"value": huge})
    assert attribute_bytes(graph([node])).tolist() == [12]


def test_the_biggest_use_and_the_node_behind_it_are_named() -> None:
    trees = {"ids": tuple(range(1000))}
    node = Node("TreeEnsembleRegressor", ["x"], ["y"], "tree", "ai.onnx.ml", attributes=trees)
    model = ort(graph([node]))
    made = replace(model, account=lambda: {"attributes": 8100, "nodes": 900})
    assert what_dominates(made) == (
        "9.00 kB: attributes 90 %; of the attributes, 100 % are for"
        " ai.onnx.ml.TreeEnsembleRegressor 'tree'."
    )


def test_without_one_big_thing_the_uses_are_told_until_most_is_said() -> None:
    nodes = [Node("Relu", ["x"], ["y"])]
    model = ort(graph(nodes))
    made = replace(model, account=lambda: {"nodes": 500, "values": 400, "container": 100})
    assert what_dominates(made) == (
        "1.00 kB: node records 50 % and the types and shapes of values 40 %."
    )
    assert what_dominates(replace(model, account=dict)) == "The file is empty."


def test_of_many_things_alike_none_is_named() -> None:
    nodes = [Node("Cast", ["x"], [f"y{i}"], attributes={"to": (1, 2, 3)}) for i in range(3)]
    model = ort(graph(nodes, initializers=[tensor("v", (8,)), tensor("w", (8,))]))
    for sizes in ({"attributes": 90}, {"initializer_data": 90}):
        assert "; of the" not in what_dominates(replace(model, account=sizes.copy))


def test_a_big_weight_is_named() -> None:
    model = ort(graph([], initializers=[tensor("a", (4,)), tensor("w", (500, 500))]))
    made = replace(model, account=lambda: {"initializer_data": 1_000_016, "values": 16})
    assert what_dominates(made).endswith("weights 100 %; of the weights, 100 % are for 'w'.")


@pytest.mark.parametrize("file", corpus_files(), ids=lambda file: file["file"])
def test_operators_of_the_corpus(file: CorpusFile) -> None:
    model = corpus_model(file["file"])
    found = totals(model)
    assert {op.replace(":", "."): n for op, n in file["ops"].items()} == found.ops
    assert found.nodes == sum(file["ops"].values())
    assert sum(found.bytes_by_type.values()) == found.initializer_bytes
    assert what_dominates(model).endswith(".")
