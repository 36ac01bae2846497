"""ONNX `AttributeProto` as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, Ragged, offsets_of
from ortstudio.format.onnx_messages import AttributeProto as A
from ortstudio.format.protobuf import Field, Fields, Messages
from ortstudio.model.graph import Attributes, AttributeValue, GraphRef
from ortstudio.model.onnx_tensors import int32, read_sparse_tensors, read_tensors
from ortstudio.model.onnx_types import TypeReader
from ortstudio.model.types import AttributeType

V = TypeVar("V")
Others = dict[int, AttributeValue | GraphRef | tuple[GraphRef, ...]]

_HOLDERS = (
    (A.F, AttributeType.FLOAT),
    (A.I, AttributeType.INT),
    (A.S, AttributeType.STRING),
    (A.T, AttributeType.TENSOR),
    (A.G, AttributeType.GRAPH),
    (A.TP, AttributeType.TYPE_PROTO),
    (A.SPARSE_TENSOR, AttributeType.SPARSE_TENSOR),
    (A.FLOATS, AttributeType.FLOATS),
    (A.INTS, AttributeType.INTS),
    (A.STRINGS, AttributeType.STRINGS),
    (A.TENSORS, AttributeType.TENSORS),
    (A.GRAPHS, AttributeType.GRAPHS),
    (A.TYPE_PROTOS, AttributeType.TYPE_PROTOS),
    (A.SPARSE_TENSORS, AttributeType.SPARSE_TENSORS),
)


@dataclass(frozen=True, eq=False)
class ReadAttributes:
    """Attributes of many nodes. The graphs in them are messages yet to be read.

    `parents` is the row of the node (or function) of each attribute; `graphs.parents` the row of
    the attribute of each graph. `tensor_bytes` is what tensors take, their records included.
    """

    columns: Attributes
    parents: Ints
    graphs: Messages
    tensor_bytes: int


def read_attributes(messages: Messages, types: TypeReader) -> ReadAttributes:
    """The attributes, one row for each message. `columns.others` has no graphs yet."""
    fields = messages.scan()
    kinds = _kinds(fields)
    references = fields.some_texts(A.REF_ATTR_NAME)
    # An attribute that stands for a function's attribute has a type but no value.
    held = kinds.copy()
    held[list(references)] = AttributeType.UNDEFINED
    others: Others = {}
    others |= _strings(fields, held)
    tensors = _nested(fields, held, A.T, A.TENSORS)
    sparse = _nested(fields, held, A.SPARSE_TENSOR, A.SPARSE_TENSORS)
    protos = _nested(fields, held, A.TP, A.TYPE_PROTOS)
    others |= _grouped(held, tensors.parents, read_tensors(tensors)[0], AttributeType.TENSOR)
    others |= _grouped(
        held, sparse.parents, read_sparse_tensors(sparse)[0], AttributeType.SPARSE_TENSOR
    )
    read = [found.type for found in types.read(protos)]
    others |= _grouped(held, protos.parents, read, AttributeType.TYPE_PROTO)
    columns = Attributes(
        names=fields.words(A.NAME),
        types=kinds,
        offsets=messages.offsets,
        floats_column=_floats(fields, held),
        ints_column=_ints(fields, held),
        others=others,
        doc_strings=fields.some_texts(A.DOC_STRING),
        references=references,
    )
    tensor_bytes = int(tensors.sizes.sum() + sparse.sizes.sum())
    graphs = _nested(fields, held, A.G, A.GRAPHS)
    return ReadAttributes(columns, messages.parents, graphs, tensor_bytes)


def _kinds(fields: Fields) -> Ints:
    """The type of each; where the file leaves it out, as IR version 1 did, that of what is held."""
    kinds = int32(fields.numbers(A.TYPE, -1))
    missing = fields.last(A.TYPE) < 0
    if not missing.any():
        return kinds
    kinds[missing] = AttributeType.UNDEFINED
    for field, kind in reversed(_HOLDERS):
        has = np.zeros(len(kinds), bool)
        has[fields.rows[(fields.keys == field.key) | (fields.keys == field.packed_key)]] = True
        kinds[missing & has] = kind
    return kinds


def _floats(fields: Fields, kinds: Ints) -> Ragged:
    singles = np.zeros(len(kinds), np.float32)
    places = fields.last(A.F)
    found = places >= 0
    singles[found] = fields.floats_at(places[found])
    return _column(
        fields.floats(A.FLOATS),
        kinds == AttributeType.FLOATS,
        singles,
        kinds == AttributeType.FLOAT,
    )


def _ints(fields: Fields, kinds: Ints) -> Ragged:
    return _column(
        fields.integers(A.INTS),
        kinds == AttributeType.INTS,
        fields.numbers(A.I),
        kinds == AttributeType.INT,
    )


def _column(
    many: Ragged,
    is_many: NDArray[np.bool_],
    singles: NDArray[np.generic],
    is_single: NDArray[np.bool_],
) -> Ragged:
    """Rows of lists and rows of one number, in one column."""
    counts = np.where(is_many, many.lengths, 0) + is_single
    ptr = offsets_of(counts)
    flat = np.empty(ptr[-1], singles.dtype)
    flat[ptr[:-1][is_single]] = singles[is_single]
    flat[np.repeat(is_many, counts)] = many.flat[np.repeat(is_many, many.lengths)]
    return Ragged(ptr, flat)


def _strings(fields: Fields, kinds: Ints) -> Others:
    """STRING and STRINGS attributes, as bytes."""
    only = (fields.keys == A.S.key) & (kinds[fields.rows] == AttributeType.STRING)
    only |= (fields.keys == A.STRINGS.key) & (kinds[fields.rows] == AttributeType.STRINGS)
    places = np.nonzero(only)[0]
    texts = fields.messages.walk.contents(fields.starts[places], fields.values[places])
    found = dict.fromkeys(np.nonzero(kinds == AttributeType.STRING)[0].tolist(), b"")
    return {**found, **_grouped(kinds, fields.rows[places], texts, AttributeType.STRING)}


_KIND_OF = dict(_HOLDERS)
_LISTS = {
    AttributeType.STRING: AttributeType.STRINGS,
    AttributeType.TENSOR: AttributeType.TENSORS,
    AttributeType.SPARSE_TENSOR: AttributeType.SPARSE_TENSORS,
    AttributeType.TYPE_PROTO: AttributeType.TYPE_PROTOS,
}


def _nested(fields: Fields, kinds: Ints, one: Field, many: Field) -> Messages:
    """The messages in a singular or repeated field, where the attribute's type says so."""
    kind = kinds[fields.rows]
    only = (fields.keys == one.key) & (kind == _KIND_OF[one])
    only |= (fields.keys == many.key) & (kind == _KIND_OF[many])
    return fields.children(one, many, only=only)


def _grouped(
    kinds: Ints, parents: Ints, values: Sequence[AttributeValue], single: AttributeType
) -> Others:
    """For each attribute of a kind its last value, or for the list of that kind a tuple."""
    several = _LISTS[single]
    lists: dict[int, list[AttributeValue]] = {
        row: [] for row in np.nonzero(kinds == several)[0].tolist()
    }
    found: Others = {}
    for row, value in zip(parents.tolist(), values, strict=True):
        if row in lists:
            lists[row].append(value)
        else:
            found[row] = value
    found.update((row, tuple(items)) for row, items in lists.items())  # type: ignore[misc]
    return found
