"""Checks of initializers, of sparse ones, and of tensors in attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.checks.external import external_problems
from ortstudio.analysis.checks.subject import Subject
from ortstudio.analysis.element_types import BEYOND_SCHEMA, COMPLEX, LOADED
from ortstudio.analysis.finding import Finding, Severity
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.model.graph import Graph
from ortstudio.model.model import FileKind
from ortstudio.model.tensor import Span, SparseTensor, Storage, StringData, Tensor, Tensors
from ortstudio.model.types import (
    DataType,
    bit_width,
    data_type_text,
    element_count,
    packed_size,
)

KNOWN_TYPES = frozenset(DataType) - {DataType.UNDEFINED}
_BITS = np.array([bit_width(kind) or 0 for kind in DataType], np.float64)
INDEX_TYPES = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one tensor."""

    severity: Severity
    code: str
    text: str


def check_constants(subject: Subject) -> Iterator[Finding]:
    """All constants of all graphs; those alike in one graph make one finding."""
    for graph in subject.model.all_graphs:
        found: dict[tuple[str, str], list[tuple[Problem, Tensor, str]]] = {}
        for tensor, role in _suspects(graph):
            for problem in _problems(subject, tensor):
                found.setdefault((problem.code, role), []).append((problem, tensor, role))
        for sparse in graph.sparse_initializers:
            for problem in _sparse_problems(sparse):
                key = (problem.code, "Sparse initializer")
                found.setdefault(key, []).append((problem, sparse.values, key[1]))
        yield from (_finding(graph, alike) for alike in found.values())


def _finding(graph: Graph, alike: list[tuple[Problem, Tensor, str]]) -> Finding:
    problem, tensor, role = alike[0]
    text = f"{role} {tensor.name!r}: {problem.text}"
    if len(alike) > 1:
        text += f"; the same with {listed([repr(other.name) for _, other, _ in alike[1:]])}"
    return Finding(problem.severity, problem.code, text, graph.path, tensor.offset)


def _suspects(graph: Graph) -> Iterator[tuple[Tensor, str]]:
    """Every tensor but the initializers that are plainly sound, and what it is."""
    for row in _suspect_rows(graph.initializers):
        yield graph.initializers[row], "Initializer"
    for sparse in graph.sparse_initializers:
        yield sparse.values, "Sparse initializer"
        yield sparse.indices, "Indices of a sparse initializer"
    for value in graph.nodes.attributes.others.values():
        parts = value if isinstance(value, tuple) else (value,)
        for part in parts:
            if isinstance(part, Tensor):
                yield part, "Tensor in an attribute"


def _suspect_rows(tensors: Tensors) -> list[int]:
    """The rows that are not raw data of a common type in exactly the size they need.

    Sizes are floats here: where they are not exact, rows are looked at that need not be.
    """
    padded = np.append(tensors.dims.flat, 1).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        counts = np.multiply.reduceat(padded, tensors.dims.ptr[:-1]) if len(tensors) else padded[:0]
    counts[tensors.dims.lengths == 0] = 1
    kinds = np.clip(tensors.data_types, 0, len(_BITS) - 1)
    sound = tensors.storages == Storage.RAW
    sound &= np.isin(tensors.data_types, LOADED)
    sound &= np.ceil(counts * _BITS[kinds] / 8) == tensors.data_lengths
    sound[tensors.dims.owners[tensors.dims.flat < 0]] = False
    rows: list[int] = np.nonzero(~sound)[0].tolist()
    return rows


def _problems(subject: Subject, tensor: Tensor) -> Iterator[Problem]:
    """Everything wrong with one tensor, what hides the rest first."""
    if tensor.data_type not in KNOWN_TYPES:
        text = f"its element type is {data_type_text(tensor.data_type)}, which ONNX does not have"
        yield Problem("error", "unknown-element-type", text)
        return
    yield from _type_problems(subject, tensor)
    if any(dim < 0 for dim in tensor.dims):
        text = f"it has a negative dimension ({', '.join(map(str, tensor.dims))})"
        yield Problem("error", "negative-dimension", text)
        return
    if tensor.storage is Storage.EXTERNAL:
        yield from _external_problems(subject, tensor)
    elif tensor.data_type == DataType.STRING:
        yield from _string_problems(tensor)
    else:
        yield from _size_problems(subject, tensor)


def _type_problems(subject: Subject, tensor: Tensor) -> Iterator[Problem]:
    kind = data_type_text(tensor.data_type)
    if subject.is_ort and tensor.data_type in COMPLEX:
        text = f"it is of type {kind}, which the runtime does not load from an ORT-format model"
        yield Problem("error", "element-type-refused", text)
    elif subject.is_ort and tensor.data_type in BEYOND_SCHEMA:
        text = f"it is of type {kind}, which the schema does not have: 1.28 and newer refuse it"
        yield Problem("error", "element-type-refused", text)
    elif subject.model.kind is FileKind.ONNX and tensor.data_type in (*COMPLEX, *BEYOND_SCHEMA):
        text = (
            f"it is of type {kind}: where conversion leaves it as it is, 1.28 and newer refuse"
            " the ORT-format model"
        )
        yield Problem("warning", "element-type-refused-after-conversion", text)


def _external_problems(subject: Subject, tensor: Tensor) -> Iterator[Problem]:
    if subject.is_ort:
        text = "its data is in another file, which only training checkpoints may do"
        yield Problem("error", "external-data-in-ort", text)
        return
    for code, text in external_problems(tensor, subject.external):
        yield Problem("error", code, text)


def _string_problems(tensor: Tensor) -> Iterator[Problem]:
    wanted = element_count(tensor.dims)
    found = len(tensor.data.spans) if isinstance(tensor.data, StringData) else 0
    if tensor.storage is not Storage.TYPED and found != wanted:
        text = f"it needs {count(wanted, 'string')} and has {found:,}"
        if not found:
            text += "; releases 1.23.0 to 1.25.1 lose strings on saving"
        yield Problem("error", "string-count-mismatch", text)


def _size_problems(subject: Subject, tensor: Tensor) -> Iterator[Problem]:
    wanted = packed_size(tensor.data_type, tensor.dims)
    assert wanted is not None
    if tensor.storage is Storage.NONE and (wanted or subject.is_ort):
        yield Problem("error", "missing-data", f"it has no data and needs {size_text(wanted)}")
    elif isinstance(tensor.data, Span) and tensor.data.length != wanted:
        bits = bit_width(tensor.data_type)
        text = (
            f"it has {tensor.data.length:,} bytes and needs {wanted:,}"
            f" ({element_count(tensor.dims):,} elements of {bits} bits)"
        )
        yield Problem("error", "raw-size-mismatch", text)


def _sparse_problems(sparse: SparseTensor) -> Iterator[Problem]:
    if sparse.indices.data_type not in INDEX_TYPES:
        kind = data_type_text(sparse.indices.data_type)
        text = f"its indices are of type {kind}; only int8, int16, int32 and int64 may be"
        yield Problem("error", "sparse-index-type", text)
    values, indices = sparse.values.dims[:1], sparse.indices.dims[:1]
    if values != indices:
        text = f"it has {values[0] if values else 1} values and {indices[0] if indices else 1}"
        yield Problem("error", "sparse-count-mismatch", f"{text} indices")
