"""The object of `inspect --json`, for every file of the corpus: its keys and its numbers."""

from __future__ import annotations

import functools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from ortstudio.services.document import Document, open_document
from ortstudio.services.inspect import answer
from tests.oracles import ort_bindings as oracle

CORPUS = Path(__file__).parents[2] / "corpus"
ORT_FILES = sorted(CORPUS.glob("*.ort"))
FILES = [*ORT_FILES, *sorted(CORPUS.rglob("*.onnx"))]

Answer: TypeAlias = Any

KEYS: dict[str, type | tuple[type, ...]] = {
    "schema": str,
    "file": dict,
    "format_version": (int, type(None)),
    "format_version_text": str,
    "written_by": str,
    "ir_version": (int, type(None)),
    "opset_imports": list,
    "producer_name": (str, type(None)),
    "producer_version": (str, type(None)),
    "domain": (str, type(None)),
    "model_version": (int, type(None)),
    "doc_string": (str, type(None)),
    "graph_doc_string": (str, type(None)),
    "metadata": dict,
    "graphs": list,
    "functions": list,
    "totals": dict,
    "kernel_type_resolver": (list, type(None)),
    "runtime_optimizations": list,
    "kernel_hashes": int,
    "size": dict,
    "portability": dict,
    "findings": list,
}
ROWS = {
    "opset_imports": {"domain", "version", "used"},
    "graphs": {
        "path", "name", "inputs", "outputs", "nodes", "initializers", "sparse_initializers",
        "values", "ops",
    },
    "kernel_type_resolver": {"op_id", "kernel_type_strs"},
    "runtime_optimizations": {
        "graph", "optimizer", "action", "nodes", "target", "produced_op_ids", "replays", "why",
    },
    "findings": {"severity", "code", "message", "where", "offset_bytes"},
    "nodes": {
        "graph", "index", "name", "domain", "op_type", "since_version", "inputs", "outputs",
        "attributes",
    },
    "initializers": {"graph", "name", "data_type", "dims", "size_bytes"},
}  # fmt: skip
OBJECTS = {
    "file": {"path", "size_bytes", "kind", "external_data"},
    "totals": {
        "nodes", "ops", "initializers", "parameters", "initializer_bytes", "bytes_by_type",
    },
    "portability": {"verdict", "reasons"},
}  # fmt: skip


def inspected(document: Document) -> Answer:
    """The answer as a script gets it, lists and all."""
    made = answer(document, nodes=True, initializers=True)
    return json.loads(json.dumps(made, allow_nan=False))


@functools.cache
def full(path: Path) -> Answer:
    return inspected(open_document(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_answer_holds_every_key_of_the_contract(path: Path) -> None:
    found = full(path)
    assert found["schema"] == "ortstudio/inspect@1"
    assert "error" not in found
    for key, kind in KEYS.items():
        assert isinstance(found[key], kind), key
    for key, names in OBJECTS.items():
        assert names <= found[key].keys(), key
    for key, names in ROWS.items():
        for row in found[key] or []:
            assert names <= row.keys(), key
    assert found["file"]["kind"] == path.suffix[1:]
    assert found["file"]["size_bytes"] == path.stat().st_size
    assert sum(found["size"].values()) == path.stat().st_size
    assert found["portability"]["verdict"] in ("portable", "onnxruntime-only", "this-cpu-family")
    assert {row["severity"] for row in found["findings"]} <= {"error", "warning", "info"}
    assert {row["replays"] for row in found["runtime_optimizations"]} <= {
        "yes", "no", "when enabled",
    }  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_totals_are_the_sums_of_the_graphs_and_lists(path: Path) -> None:
    found = full(path)
    graphs, totals = found["graphs"], found["totals"]
    assert graphs[0]["path"] == "/"
    assert totals["nodes"] == len(found["nodes"]) == sum(graph["nodes"] for graph in graphs)
    assert totals["ops"] == sum((Counter(graph["ops"]) for graph in graphs), Counter())
    assert totals["initializers"] == sum(graph["initializers"] for graph in graphs)
    sparse = sum(graph["sparse_initializers"] for graph in graphs)
    assert len(found["initializers"]) == totals["initializers"] + sparse
    listed = sum(row["size_bytes"] for row in found["initializers"])
    assert totals["initializer_bytes"] == listed == sum(totals["bytes_by_type"].values())


@pytest.mark.parametrize("path", ORT_FILES, ids=lambda path: path.name)
def test_it_says_what_the_bindings_say(path: Path) -> None:
    found, content = full(path), path.read_bytes()
    model = oracle.model(content)
    theirs: list[Answer] = list(oracle.graphs(content))
    assert found["format_version_text"] == model["format_version"]
    assert found["ir_version"] == model["ir_version"]
    assert [graph["nodes"] for graph in found["graphs"]] == [len(g["nodes"]) for g in theirs]
    assert [graph["initializers"] for graph in found["graphs"]] == [
        len(g["initializers"]) for g in theirs
    ]
    assert [graph["values"] for graph in found["graphs"]] == [len(g["types"]) for g in theirs]
    rows = [node for g in theirs for node in g["nodes"]]
    for key in ("name", "domain", "op_type", "index", "since_version", "inputs", "outputs"):
        assert [row[key] for row in found["nodes"]] == [node[key] for node in rows], key
    assert [set(row["attributes"]) for row in found["nodes"]] == [
        set(node["attributes"]) for node in rows
    ]
    resolver = oracle.resolver(content)
    ours = found["kernel_type_resolver"]
    assert resolver == (ours and [(row["op_id"], row["kernel_type_strs"]) for row in ours])
    assert [row["nodes"] for row in found["runtime_optimizations"]] == [
        [None if index == 0xFFFFFFFF else index for index in record["nodes"]]
        for g in theirs
        for record in g["runtime_optimizations"]
    ]


def test_versions_are_three_numbers_and_a_guess_is_marked() -> None:
    found = full(CORPUS / "v5_ort1.14.1_meta_fixed_disable.ort")
    assert (found["format_version"], found["ir_version"]) == (5, 7)
    assert {"domain": "", "version": 12, "used": True} in found["opset_imports"]
    assert found["written_by"] == "1.13 to 1.15"
    assert "guess" in found["written_by_guess"]["why"]
    assert found["model_version"] == 1234567890123
    assert found["graph_doc_string"] == "the graph's doc string\nsecond line"
    assert found["metadata"]["clé"] == "värde 値"


def test_a_model_version_that_was_never_set_is_null() -> None:
    assert full(CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort")["model_version"] is None


def test_only_used_domains_are_marked_used() -> None:
    found = full(CORPUS / "v6_ort1.32.0_cnn_nchwc_all.ort")
    used = {row["domain"] for row in found["opset_imports"] if row["used"]}
    assert used == {"", "com.microsoft.nchwc"}


def test_bodies_of_local_functions_stand_apart() -> None:
    found = full(CORPUS / "sources" / "functions.onnx")
    assert len(found["graphs"]) == 1
    assert {row["domain"] for row in found["functions"]} == {"local.fn"}
    assert all(row["nodes"] for row in found["functions"])


def test_external_data_is_found_or_not(tmp_path: Path) -> None:
    source = CORPUS / "sources" / "extdata.onnx"
    assert full(source)["file"]["external_data"] == [
        {"path": "extdata.bin", "size_bytes": 2400, "found": True, "problem": None}
    ]
    alone = tmp_path / "alone.onnx"
    alone.write_bytes(source.read_bytes())
    found = full(alone)
    row = found["file"]["external_data"][0]
    assert (row["size_bytes"], row["found"]) == (None, False)
    assert "extdata.bin" in row["problem"]
    assert found["totals"]["initializer_bytes"] == 2400


def test_every_kind_of_attribute_is_strict_json() -> None:
    values: list[object] = []
    for path in FILES:
        for node in full(path)["nodes"]:
            values += node["attributes"].values()
    kinds = {type(value).__name__ for value in values}
    assert kinds == {"int", "float", "str", "list", "dict"}
    subgraphs = [value for value in values if isinstance(value, dict) and "graph" in value]
    assert any(value["graph"].startswith("/") for value in subgraphs)


def test_numbers_that_json_has_no_word_for_are_strings() -> None:
    document = open_document(CORPUS / "sources" / "cnn.onnx")
    main = document.model.main
    column = main.nodes.attributes.floats_column
    assert len(column.flat)
    infinite = replace(column, flat=np.full_like(column.flat, -np.inf))
    nodes = replace(main.nodes, attributes=replace(main.nodes.attributes, floats_column=infinite))
    model = replace(document.model, graphs=(replace(main, nodes=nodes),))
    found = inspected(Document(model, document.known))
    assert "-Infinity" in [x for node in found["nodes"] for x in node["attributes"].values()]


def test_lists_come_only_when_asked_for() -> None:
    document = open_document(CORPUS / "sources" / "cnn.onnx")
    assert not {"nodes", "initializers"} & answer(document).keys()
    assert "initializers" not in answer(document, nodes=True)
    assert "nodes" not in answer(document, initializers=True)


def test_a_damaged_file_is_told_with_all_that_can_still_be_read(tmp_path: Path) -> None:
    whole = (CORPUS / "v6_ort1.32.0_cnn_runtime_all.ort").read_bytes()
    path = tmp_path / "half.ort"
    path.write_bytes(whole[: len(whole) // 2])
    found = full(path)
    assert found["error"]["schema"] == "ortstudio/error@1"
    assert "cut short" in found["error"]["message"]
    assert found["file"]["kind"] == "ort"
    assert sum(found["size"].values()) == path.stat().st_size
