"""What models say beside what they compute: doc strings, notes, and where their weights lie.

Texts are compared as bags, for names may change around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ortstudio.analysis.pairing.facts import NO_PLACE, fact_row
from ortstudio.analysis.pairing.rows import ModelRow
from ortstudio.analysis.words import count, listed
from ortstudio.model.external import external_tensors
from ortstudio.model.model import Model

VALUE_DOCS, TENSOR_DOCS, NODE_DOCS, GRAPH_DOCS = (
    f"doc strings of {what}" for what in ("values", "tensors", "nodes", "subgraphs")
)
NODE_METADATA, GRAPH_METADATA = "metadata of nodes", "metadata of graphs"
ANNOTATIONS, DEVICES, TRAINING = (
    "quantization annotations",
    "device configurations",
    "training information",
)
EXTERNAL, OPTIMIZATIONS = "external data", "saved optimizations"

NOT_IN_ORT = frozenset(
    {VALUE_DOCS, GRAPH_DOCS, NODE_METADATA, GRAPH_METADATA, ANNOTATIONS, DEVICES, TRAINING}
)
"""What the ORT format has no place for."""


def remark_rows(a: Model, b: Model) -> Iterator[ModelRow]:
    """A row for each of these that at least one side has."""
    for name, noun, texts in (
        (VALUE_DOCS, "doc string", _value_docs),
        (TENSOR_DOCS, "doc string", _tensor_docs),
        (NODE_DOCS, "doc string", _node_docs),
        (GRAPH_DOCS, "doc string", _graph_docs),
        (NODE_METADATA, "note", _node_metadata),
        (GRAPH_METADATA, "note", _graph_metadata),
    ):
        yield from _bag(name, noun, texts(a), texts(b), _lost(name, b))
    for name, counted in (
        (ANNOTATIONS, "quantization_annotations"),
        (DEVICES, "device_configurations"),
    ):
        yield from fact_row(name, *_counts(a, b, counted), _lost(name, b))
    yield from fact_row(TRAINING, _training(a), _training(b), _lost(TRAINING, b))
    yield from fact_row(EXTERNAL, _locations(a), _locations(b), "The file holds its weights itself")
    yield from fact_row(OPTIMIZATIONS, _records(a), _records(b), new=_RECORDS)


_RECORDS = "For the device to apply where it may; the nodes are still those before them"


def _lost(name: str, b: Model) -> str:
    return NO_PLACE if b.ort and name in NOT_IN_ORT else ""


def _bag(name: str, noun: str, a: Sequence[str], b: Sequence[str], lost: str) -> Iterator[ModelRow]:
    """Texts of one sort; with the same number of others it is still a change."""
    ours, theirs = Counter(a), Counter(b)
    before, after = (count(len(side), noun) if side else "" for side in (a, b))
    if ours == theirs or not a or not b:
        yield from fact_row(name, before, after, lost, "Only the result has any")
        return
    gone, new = (sum(bag.values()) for bag in (ours - theirs, theirs - ours))
    yield ModelRow("changed", name, before, after, f"{gone:,} are gone, {new:,} are new")


def _value_docs(model: Model) -> list[str]:
    return [text for graph in model.graphs for text in graph.values.doc_strings.values() if text]


def _tensor_docs(model: Model) -> list[str]:
    return [t for graph in model.graphs for t in graph.initializers.doc_strings.values() if t]


def _node_docs(model: Model) -> list[str]:
    return [text for graph in model.graphs for text in graph.nodes.doc_strings.values() if text]


def _graph_docs(model: Model) -> list[str]:
    return [graph.doc_string for graph in model.graphs[1:] if graph.doc_string]


def _node_metadata(model: Model) -> list[str]:
    notes = (row for graph in model.graphs for row in graph.nodes.metadata.values())
    return [f"{key}={text}" for row in notes for key, text in row.items()]


def _graph_metadata(model: Model) -> list[str]:
    return [f"{key}={text}" for graph in model.graphs for key, text in graph.metadata.items()]


def _counts(a: Model, b: Model, name: str) -> tuple[int | None, int | None]:
    """How many of something that only ONNX has; None for none."""
    ours, theirs = (getattr(side.onnx, name, 0) or None for side in (a, b))
    return ours, theirs


def _training(model: Model) -> str:
    return "present" if model.onnx and model.onnx.has_training_info else ""


def _locations(model: Model) -> str:
    """The files with weights."""
    return listed(list(dict.fromkeys(data.location for _, data in external_tensors(model))))


def _records(model: Model) -> str:
    graphs = model.ort.graphs if model.ort else ()
    number = sum(len(graph.runtime_optimizations) for graph in graphs)
    return count(number, "record") if number else ""
