"""The model that an upgrade would make, for the oracle to judge before anything is written."""

from __future__ import annotations

from dataclasses import replace

from ortstudio.analysis.nodes import by_operator
from ortstudio.model.model import Model, OrtModel, ResolverEntry
from ortstudio.services.document import Document


def identified(document: Document) -> Document:
    """The file with the identifier that release 1.5.1 left out."""
    ort = _ort(document.model)
    return _with(document, replace(ort, has_identifier=True))


def upgraded(document: Document, version: int, *, keeps_records: bool) -> Document:
    """The file as a model of another version: a resolver in the place of kernel hashes."""
    model = document.model
    ort = _ort(model)
    graphs = ort.graphs
    if not keeps_records:
        graphs = tuple(replace(graph, runtime_optimizations=()) for graph in graphs)
    resolver = ort.resolver
    if resolver is None:
        used = by_operator(model.graphs)
        resolver = tuple(ResolverEntry(operator.op_id, ()) for operator in used)
    return _with(
        document,
        replace(
            ort,
            format_version_text=str(version),
            format_version=version,
            has_identifier=True,
            graphs=graphs,
            resolver=resolver,
            kernel_hashes=(),
        ),
    )


def _ort(model: Model) -> OrtModel:
    assert model.ort is not None
    return model.ort


def _with(document: Document, ort: OrtModel) -> Document:
    return Document(replace(document.model, ort=ort), document.known)
