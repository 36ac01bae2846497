"""What two models say of themselves as a whole, and what the other format has no place for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ortstudio.analysis.pairing.facts import FORMAT, GRAPH_NAME, NO_PLACE, fact_row
from ortstudio.analysis.pairing.interfaces import interface_rows
from ortstudio.analysis.pairing.remarks import remark_rows
from ortstudio.analysis.pairing.rows import ModelRow, NodeRow
from ortstudio.analysis.pairing.training import training_rows
from ortstudio.analysis.pairing.verdict import node_differs
from ortstudio.analysis.words import count
from ortstudio.model.graph import Function, onnx_domain
from ortstudio.model.model import FileKind, Model

_FORMATS = {
    FileKind.ONNX: "ONNX",
    FileKind.ORT: "ORT",
    FileKind.CHECKPOINT: "training checkpoint",
    FileKind.ADAPTER: "LoRA adapter",
}


PairNodes = Callable[[Model, Model], Sequence[NodeRow]]


def model_rows(a: Model, b: Model, pair_nodes: PairNodes) -> tuple[ModelRow, ...]:
    """Every fact that at least one side states, those that are the same included.

    `pair_nodes` compares the bodies of functions that both sides have.
    """
    return (
        *_format(a, b),
        *_facts(a, b),
        *_opsets(a, b),
        *_functions(a, b, pair_nodes),
        *_metadata(a.metadata, b.metadata, _lost(b, _METADATA_SINCE)),
        *remark_rows(a, b),
        *training_rows(a, b),
        *interface_rows(a, b),
    )


def _format(a: Model, b: Model) -> Iterator[ModelRow]:
    yield from fact_row(FORMAT, _format_text(a), _format_text(b))


def _format_text(model: Model) -> str:
    text = _FORMATS[model.kind]
    return f"{text} format {model.ort.format_version_text or '?'}" if model.ort else text


def _facts(a: Model, b: Model) -> Iterator[ModelRow]:
    yield from fact_row("IR version", a.ir_version, b.ir_version)
    yield from fact_row("producer name", a.producer_name, b.producer_name)
    yield from fact_row("producer version", a.producer_version, b.producer_version)
    yield from fact_row("domain", a.domain, b.domain)
    yield from fact_row("model version", a.model_version, b.model_version)
    yield from fact_row("doc string", a.doc_string, b.doc_string)
    ours, theirs = a.graph_doc_string, b.graph_doc_string
    yield from fact_row("graph doc string", ours, theirs, _lost(b, _GRAPH_DOC_SINCE))
    yield from fact_row(GRAPH_NAME, _graph_name(a), _graph_name(b), NO_PLACE if b.ort else "")


_GRAPH_DOC_SINCE, _METADATA_SINCE = 3, 4
"""The ORT format versions that first had a place for these."""


def _lost(b: Model, since: int) -> str:
    version = b.ort.format_version if b.ort else None
    return f"{NO_PLACE} before version {since}" if version is not None and version < since else ""


def _graph_name(model: Model) -> str:
    return model.main.name if model.graphs else ""


def _opsets(a: Model, b: Model) -> Iterator[ModelRow]:
    ours, theirs = ({row.domain: row.version for row in model.opset_imports} for model in (a, b))
    used_a, used_b = _used_domains(a), _used_domains(b)
    for domain in dict.fromkeys((*ours, *theirs)):
        new = "Imported by the result, and its nodes use it"
        if domain not in used_b:
            new = "No node uses it"
            if b.ort:
                new += ": the runtime writes every domain that it knows"
        lost = "No longer imported" + (", no node used it" if domain not in used_a else "")
        name = f"opset {domain or 'ai.onnx'}"
        yield from fact_row(name, ours.get(domain), theirs.get(domain), lost, new)


def _used_domains(model: Model) -> set[str]:
    domains = {domain for graph in model.all_graphs for domain in graph.nodes.domains}
    return {onnx_domain(domain) for domain in domains}


def _functions(a: Model, b: Model, pair_nodes: PairNodes) -> Iterator[ModelRow]:
    ours, theirs = _named_functions(a), _named_functions(b)
    lost = "Inlined: the ORT format has no local functions" if b.ort else ""
    for key in dict.fromkeys((*ours, *theirs)):
        name, mine, other = f"function {key}", ours.get(key), theirs.get(key)
        before, after = (_body_text(side) for side in (mine, other))
        changed = 0
        if mine and other:
            bodies = replace(a, graphs=mine.graphs), replace(b, graphs=other.graphs)
            changed = sum(node_differs(row) for row in pair_nodes(*bodies))
        if changed:
            reason = f"{count(changed, 'row')} of its body differ" + ("s" if changed == 1 else "")
            yield ModelRow("changed", name, before, after, reason)
        else:
            yield from fact_row(name, before, after, lost)


def _named_functions(model: Model) -> dict[str, Function]:
    found = {}
    for function in model.functions:
        name = f"{function.domain}.{function.name}"
        if function.overload:
            name += f" ({function.overload})"
        found[name] = function
    return found


def _body_text(function: Function | None) -> str:
    return count(len(function.body.nodes), "node") if function else ""


def _metadata(a: Mapping[str, str], b: Mapping[str, str], lost: str) -> Iterator[ModelRow]:
    for key in dict.fromkeys((*a, *b)):
        # A key may have an empty value, which is not the same as no key.
        ours, theirs = (repr(side[key]) if key in side else None for side in (a, b))
        yield from fact_row(f"metadata {key}", ours, theirs, lost)
