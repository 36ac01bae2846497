"""Our reader of `.ort` against the runtime's own bindings, field by field, over the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from ortstudio.format.source import Source
from ortstudio.model.graph import AttributeValue, Graph, GraphRef
from ortstudio.model.model import Model, OrtGraph
from ortstudio.model.ort_reader import read_ort, strict_version
from ortstudio.model.tensor import Span, SparseTensor, StringData, Tensor
from ortstudio.model.types import MapType, SequenceType, TensorType, ValueType
from tests.oracles import ort_bindings as oracle

CORPUS = sorted((Path(__file__).parents[2] / "corpus").glob("*.ort"))


def tensor(model: Model, t: Tensor) -> dict[str, object]:
    source = model.source
    strings = raw = None
    if isinstance(t.data, StringData):
        strings = [source.payload(*span) for span in t.data.spans]
    if isinstance(t.data, Span):
        raw = source.payload(*t.data)
    return {
        "name": t.name,
        "doc_string": t.doc_string,
        "dims": list(t.dims),
        "data_type": t.data_type,
        "strings": strings,
        "raw": raw,
    }


def sparse(model: Model, t: SparseTensor) -> dict[str, object]:
    return {
        "values": tensor(model, t.values),
        "indices": tensor(model, t.indices),
        "dims": list(t.dims),
    }


def type_text(t: ValueType | None) -> str | None:
    if isinstance(t, TensorType):
        return f"T{t.elem_type}{None if t.dims is None else list(t.dims)}"
    if isinstance(t, SequenceType):
        return f"S({type_text(t.element)})"
    if isinstance(t, MapType):
        return f"M({t.key_type},{type_text(t.value)})"
    assert t is None
    return None


def attribute(model: Model, value: AttributeValue | GraphRef | tuple[GraphRef, ...]) -> object:
    if isinstance(value, GraphRef):
        return "graph"
    if isinstance(value, Tensor):
        return tensor(model, value)
    if isinstance(value, tuple):
        return [attribute(model, item) for item in value]
    return value


def nodes(model: Model, graph: Graph, ort: OrtGraph) -> list[dict[str, object]]:
    n = graph.nodes
    return [
        {
            "name": n.names[i],
            "doc_string": n.doc_strings.get(i, ""),
            "domain": n.domains[i],
            "op_type": n.op_types[i],
            "since_version": int(n.since_versions[i]),
            "index": int(n.indices[i]),
            "type": int(ort.node_types[i]),
            "execution_provider": ort.execution_providers[i],
            "inputs": graph.value_names(n.inputs.row(i).tolist()),
            "outputs": graph.value_names(n.outputs.row(i).tolist()),
            "implicit_inputs": graph.value_names(n.implicit_inputs.row(i).tolist()),
            "input_arg_counts": ort.input_arg_counts.row(i).tolist(),
            "attributes": {
                name: attribute(model, value) for name, value in n.attribute_values(i).items()
            },
        }
        for i in range(len(n))
    ]


def records(ort: OrtGraph) -> list[dict[str, object]]:
    return [
        {
            "optimizer": r.optimizer,
            "action": r.action,
            "nodes": list(r.nodes),
            "inputs": r.input_count,
            "outputs": r.output_count,
            "variadic": (
                r.variadic_input,
                r.variadic_output,
                r.variadic_input_count,
                r.variadic_output_count,
            ),
            "produced_op_ids": list(r.produced_op_ids),
        }
        for r in ort.runtime_optimizations
    ]


def graph_fields(model: Model, graph: Graph, ort: OrtGraph) -> dict[str, object]:
    types = dict(zip(graph.values.names, map(type_text, graph.values.types), strict=True))
    declared = graph.values.names[: ort.declared_values]
    docs, denotations = graph.values.doc_strings.items(), graph.values.denotations.items()
    return {
        "inputs": graph.value_names(graph.inputs.tolist()),
        "outputs": graph.value_names(graph.outputs.tolist()),
        "max_node_index": ort.max_node_index,
        "nodes": nodes(model, graph, ort),
        "initializers": [tensor(model, t) for t in graph.initializers],
        "sparse_initializers": [sparse(model, t) for t in graph.sparse_initializers],
        "types": {name: types[name] for name in declared},
        "value_docs": {graph.values.names[i]: text for i, text in docs},
        "denotations": {graph.values.names[i]: text for i, text in denotations},
        "edges": [
            (index, ort.input_edges.row(i).tolist(), ort.output_edges.row(i).tolist())
            for i, index in enumerate(ort.edge_nodes.tolist())
        ],
        "runtime_optimizations": records(ort),
    }


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_every_graph_equals_what_the_bindings_read(path: Path) -> None:
    model = read_ort(Source.open(path))
    assert model.error is None
    assert model.ort is not None
    expected = oracle.graphs(path.read_bytes())
    found = [graph_fields(model, g, o) for g, o in zip(model.graphs, model.ort.graphs, strict=True)]
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        for field, value in theirs.items():
            assert ours[field] == value, field


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_model_facts_equal_what_the_bindings_read(path: Path) -> None:
    content = path.read_bytes()
    model = read_ort(Source.of_bytes(content))
    expected = oracle.model(content)
    unset = expected["model_version"] in (0, 2**63 - 1)
    assert model.model_version == (None if unset else expected["model_version"])
    assert model.ort is not None
    assert model.ort.format_version_text == expected["format_version"]
    assert model.ir_version == expected["ir_version"]
    imports = [(o.domain, o.version) for o in model.opset_imports]
    assert imports == [
        ("" if d == "ai.onnx" else d, v)
        for d, v in expected["opset_import"]  # type: ignore[attr-defined]
    ]
    for name in ("producer_name", "producer_version", "domain", "doc_string", "graph_doc_string"):
        assert (getattr(model, name) or "") == expected[name]
    assert model.metadata == expected["metadata"]


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_resolver_equals_what_the_bindings_read(path: Path) -> None:
    content = path.read_bytes()
    model = read_ort(Source.of_bytes(content))
    assert model.ort is not None
    entries = model.ort.resolver
    ours = None
    if entries is not None:
        ours = [
            (entry.op_id, {s.name: list(s.args) for s in entry.kernel_type_strs})
            for entry in entries
        ]
    assert ours == oracle.resolver(content)


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_bytes_by_use_add_up_to_the_file(path: Path) -> None:
    model = read_ort(Source.open(path))
    assert sum(model.sizes.values()) == path.stat().st_size
    assert all(size >= 0 for size in model.sizes.values())
    assert model.sizes["padding"] < path.stat().st_size * 0.15


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_old_files_have_a_kernel_hash_for_each_node_and_new_ones_none(path: Path) -> None:
    model = read_ort(Source.open(path))
    assert model.ort is not None
    assert model.ort.format_version is not None
    hashed = [(h.graph_id, h.node_index) for h in model.ort.kernel_hashes]
    assert len(set(hashed)) == len(hashed)
    old = model.ort.format_version < 5
    assert len(hashed) == (sum(len(g.nodes) for g in model.graphs) if old else 0)
    assert all(0 < h.kernel_hash < 2**64 for h in model.ort.kernel_hashes)


def test_a_version_that_is_no_plain_number_is_none() -> None:
    assert strict_version("6") == 6
    assert [strict_version(text) for text in ("", "x", "-1", "5abc", "٦", "9" * 14)] == [None] * 6
