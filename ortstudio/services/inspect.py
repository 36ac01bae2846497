"""All that a file holds, as the object that `inspect --json` answers with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ortstudio.analysis.portability import Portability
from ortstudio.model.graph import Graph
from ortstudio.model.model import NO_NODE, FileKind, Model
from ortstudio.services.document import Document
from ortstudio.services.inspect_rows import initializer_rows, node_rows
from ortstudio.services.stamp import Stamp

Json = dict[str, object]

SCHEMA = "ortstudio/inspect@1"


def answer(document: Document, *, nodes: bool = False, initializers: bool = False) -> Json:
    """The answer; with all nodes and all initializers where they are asked for."""
    model = document.model
    found: Json = {
        "schema": SCHEMA,
        "file": _file(document),
        **_versions(document),
        **_model(document),
        "graphs": [_graph(model, i, graph) for i, graph in enumerate(model.graphs)],
        "functions": _functions(model),
        "totals": _totals(document),
        "kernel_type_resolver": _resolver(model),
        "runtime_optimizations": _optimizations(document),
        "kernel_hashes": len(model.ort.kernel_hashes) if model.ort else 0,
        "size": dict(model.sizes),
        "portability": portability_json(document.portability),
        "findings": [finding.to_json() for finding in document.findings],
        **_siblings(model),
    }
    if nodes:
        found["nodes"] = node_rows(model)
    if initializers:
        found["initializers"] = initializer_rows(model)
    if model.error is not None:
        found["error"] = model.error.to_json()
    return found


def _file(document: Document) -> Json:
    model = document.model
    return {
        "path": model.source.path,
        "size_bytes": model.source.size,
        "kind": model.kind.value,
        "external_data": [
            {
                "path": file.path,
                "size_bytes": file.size_bytes,
                "found": file.found,
                "problem": file.problem or None,
            }
            for file in document.external_files
        ],
    }


def _versions(document: Document) -> Json:
    model = document.model
    number: int | None = None
    text, written_by = "", ""
    if model.ort is not None:
        number, text = model.ort.format_version, model.ort.format_version_text
        written_by = document.known.versions.written_by(model)
    elif model.checkpoint is not None:
        number = model.checkpoint.version
    elif model.adapter is not None:
        number = model.adapter.format_version
    guess = document.known.versions.guess(model)
    return {
        "format_version": number,
        "format_version_text": text or ("" if number is None else str(number)),
        "written_by": written_by,
        "written_by_guess": None if guess is None else {"text": guess.text, "why": guess.why},
    }


def _model(document: Document) -> Json:
    model = document.model
    used = {domain for graph in document.graphs for domain in graph.nodes.domains}
    stamp = Stamp.read(model.metadata)
    return {
        "ir_version": model.ir_version,
        "opset_imports": [
            {"domain": o.domain, "version": o.version, "used": o.domain in used}
            for o in model.opset_imports
        ],
        "producer_name": model.producer_name,
        "producer_version": model.producer_version,
        "domain": model.domain,
        "model_version": model.model_version,
        "doc_string": model.doc_string,
        "graph_doc_string": model.graph_doc_string,
        "metadata": dict(model.metadata),
        "stamp": None if stamp is None else stamp.to_json(),
    }


def _graph(model: Model, index: int, graph: Graph) -> Json:
    values = model.ort.graphs[index].declared_values if model.ort else len(graph.values)
    return {
        "path": graph.path,
        "name": graph.name,
        "inputs": _ends(graph, graph.inputs.tolist()),
        "outputs": _ends(graph, graph.outputs.tolist()),
        "nodes": len(graph.nodes),
        "initializers": len(graph.initializers),
        "sparse_initializers": len(graph.sparse_initializers),
        "values": values,
        "ops": dict(Counter(graph.nodes.ops).most_common()),
    }


def _ends(graph: Graph, ids: Iterable[int]) -> list[Json]:
    return [
        {"name": graph.values.names[i], "type": _text(graph.values.types[i])} for i in ids if i >= 0
    ]


def _text(value_type: object) -> str | None:
    return None if value_type is None else str(value_type)


def _functions(model: Model) -> list[Json]:
    if model.onnx is None:
        return []
    return [
        {
            "domain": function.domain,
            "name": function.name,
            "overload": function.overload,
            "inputs": function.body.value_names(function.body.inputs.tolist()),
            "outputs": function.body.value_names(function.body.outputs.tolist()),
            "attributes": list(function.attributes),
            "nodes": len(function.body.nodes),
            "ops": dict(Counter(function.body.nodes.ops).most_common()),
        }
        for function in model.onnx.functions
    ]


def _totals(document: Document) -> Json:
    totals = document.totals
    return {
        "nodes": totals.nodes,
        "ops": dict(totals.ops),
        "initializers": totals.initializers,
        "sparse_initializers": totals.sparse_initializers,
        "parameters": totals.parameters,
        "initializer_bytes": totals.initializer_bytes,
        "bytes_by_type": dict(totals.bytes_by_type),
    }


def _resolver(model: Model) -> list[Json] | None:
    if model.ort is None or model.ort.resolver is None:
        return None
    return [
        {
            "op_id": entry.op_id,
            "kernel_type_strs": {s.name: list(s.args) for s in entry.kernel_type_strs},
        }
        for entry in model.ort.resolver
    ]


def _optimizations(document: Document) -> list[Json]:
    return [
        {
            "graph": saved.graph,
            "optimizer": saved.record.optimizer,
            "action": saved.record.action,
            "nodes": [None if index == NO_NODE else index for index in saved.record.nodes],
            "target": saved.record.target,
            "produced_op_ids": list(saved.record.produced_op_ids),
            "replays": saved.replays,
            "why": saved.why,
            "text": saved.text,
        }
        for saved in document.optimizations
    ]


def portability_json(found: Portability) -> Json:
    """The verdict and its reasons."""
    return {"verdict": found.verdict, "reasons": [reason.text for reason in found.reasons]}


def _siblings(model: Model) -> Json:
    """What only checkpoints and adapters hold."""
    if model.kind is FileKind.CHECKPOINT and model.checkpoint is not None:
        checkpoint = model.checkpoint
        return {
            "checkpoint": {
                "is_nominal_state": checkpoint.is_nominal_state,
                "has_external_data": checkpoint.has_external_data,
                "trained_parameters": list(checkpoint.trained_parameters),
                "frozen_parameters": list(checkpoint.frozen_parameters),
                "optimizer_groups": [
                    {
                        "name": group.name,
                        "step": group.step,
                        "initial_learning_rate": group.initial_learning_rate,
                        "parameters": list(group.parameters),
                    }
                    for group in checkpoint.optimizer_groups
                ],
                "properties": {entry.name: entry.value for entry in checkpoint.properties},
            }
        }
    if model.kind is FileKind.ADAPTER and model.adapter is not None:
        return {"adapter": {"adapter_version": model.adapter.adapter_version}}
    return {}
