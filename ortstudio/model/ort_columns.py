"""Tables of the ORT schema that recur, turned into the model's columns: tensors, types, strings."""

from __future__ import annotations

from functools import partial

import numpy as np

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints, Ragged
from ortstudio.format.buffer import Buffer
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import (
    Dimension,
    DimensionValue,
    DimensionValueType,
    Shape,
    TensorTypeAndShape,
    TypeInfo,
    TypeInfoValue,
)
from ortstudio.format.ort_tables import (
    MapType as MapTable,
)
from ortstudio.format.ort_tables import (
    SequenceType as SequenceTable,
)
from ortstudio.format.ort_tables import (
    Tensor as TensorTable,
)
from ortstudio.model.tensor import ExternalData, Span, Storage, StringData, Tensors, TypedData
from ortstudio.model.types import (
    DataType,
    Dim,
    MapType,
    SequenceType,
    TensorType,
    ValueType,
)

TYPE_NESTING = 64
"""Sequences of maps of sequences ... deeper than this are no real types."""


def read_tensors(tables: Tables, data_use: str, external_file: str = "") -> Tensors:
    """Initializers as columns; of their data only the place is read.

    `external_file` is where a training checkpoint keeps what has an external offset.
    """
    if not len(tables):
        return Tensors.none()
    buffer = tables.buffer
    raw = tables.vectors(TensorTable.raw_data, data_use)
    has_raw = raw.starts >= 0
    strings = tables.vectors(TensorTable.string_data)
    external = tables.ints(TensorTable.external_data_offset)
    data_types = tables.ints(TensorTable.data_type)
    storages = np.where(has_raw, Storage.RAW, Storage.NONE).astype(np.int64)
    elsewhere: dict[int, TypedData | StringData | ExternalData] = {}
    for row in np.nonzero((strings.starts >= 0) & (data_types == DataType.STRING))[0].tolist():
        elsewhere[row] = _string_data(buffer, strings.only(row).follow()[1], data_use)
        storages[row] = Storage.STRINGS
    for row in np.nonzero((external >= 0) & ~has_raw)[0].tolist():
        elsewhere[row] = ExternalData(external_file, int(external[row]), None)
        storages[row] = Storage.EXTERNAL
    return Tensors(
        names=tables.texts(TensorTable.name),
        data_types=data_types,
        dims=tables.vectors(TensorTable.dims).numbers(),
        storages=storages,
        data_offsets=np.where(storages == Storage.RAW, raw.starts, 0),
        data_lengths=np.where(storages == Storage.RAW, raw.counts, 0),
        offsets=tables.positions,
        elsewhere=elsewhere,
        doc_strings=tables.some_texts(TensorTable.doc_string),
    )


def _string_data(buffer: Buffer, positions: Ints, use: str) -> StringData:
    lengths = buffer.u32(positions, TensorTable.string_data.path)
    good = buffer.sound(positions, lengths + 5, 4, TensorTable.string_data.path) & (lengths >= 0)
    positions, lengths = positions[good], lengths[good]
    buffer.account.claim(use, positions, lengths + 5)
    starts = (positions + 4).tolist()
    return StringData(tuple(Span(a, n) for a, n in zip(starts, lengths.tolist(), strict=True)))


def read_types(tables: Tables, depth: int = 0) -> list[ValueType | None]:
    """The value type of each `TypeInfo`, None where there is none; equal types are one object."""
    if depth > TYPE_NESTING:
        where = Where(tables.buffer.source.path, int(tables.positions[0]), TypeInfo.value.path)
        raise FormatError("A value's type is nested too deep", where=where)
    found: list[ValueType | None] = [None] * len(tables)
    tags = tables.ints(TypeInfo.value_type)
    targets = tables.follow(TypeInfo.value)
    readers = (
        (TypeInfoValue.tensor_type, _tensor_types),
        (TypeInfoValue.sequence_type, partial(_sequence_types, depth=depth)),
        (TypeInfoValue.map_type, partial(_map_types, depth=depth)),
    )
    for tag, reader in readers:
        rows = np.nonzero((tags == tag) & (targets >= 0))[0]
        if len(rows):
            chosen = Tables(tables.buffer, targets[rows], tables.use, TypeInfo.value.path)
            for row, value_type in zip(rows.tolist(), reader(chosen), strict=True):
                found[row] = value_type
    return found


def _sequence_types(tables: Tables, depth: int) -> list[ValueType]:
    elements = read_types(tables.tables(SequenceTable.elem_type), depth + 1)
    return [SequenceType(element) for element in elements]


def _map_types(tables: Tables, depth: int) -> list[ValueType]:
    keys = tables.ints(MapTable.key_type).tolist()
    values = read_types(tables.tables(MapTable.value_type), depth + 1)
    return [MapType(key, value) for key, value in zip(keys, values, strict=True)]


def _tensor_types(tables: Tables) -> list[ValueType]:
    elem_types = tables.ints(TensorTypeAndShape.elem_type)
    shapes = tables.tables(TensorTypeAndShape.shape)
    ptr, dimensions = shapes.vectors(Shape.dim).tables()
    codes, dims = _dimensions(dimensions)
    ranks = np.where(shapes.is_present, np.diff(ptr), -1)
    first, which = _distinct_rows(elem_types, ranks, Ragged(ptr, codes))
    flat, ends, kinds, ranked = codes.tolist(), ptr.tolist(), elem_types.tolist(), ranks.tolist()
    made: list[ValueType] = [
        TensorType(
            kinds[row],
            tuple(map(dims.__getitem__, flat[ends[row] : ends[row + 1]]))
            if ranked[row] >= 0
            else None,
        )
        for row in first.tolist()
    ]
    return [made[k] for k in which.tolist()]


def _distinct_rows(elem_types: Ints, ranks: Ints, codes: Ragged) -> tuple[Ints, Ints]:
    """First row of each distinct (element type, rank, codes), and for each row which it is."""
    longest = int(ranks.max(initial=0))
    _, key = np.unique(elem_types * (longest + 2) + ranks + 1, return_inverse=True)
    for place in range(longest):
        longer = ranks > place
        key[longer] += len(key) * (1 + codes.flat[codes.ptr[:-1][longer] + place])
        _, key = np.unique(key, return_inverse=True)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which


def _dimensions(tables: Tables) -> tuple[Ints, list[Dim]]:
    """Each dimension as a small number, and what the numbers stand for."""
    values = tables.tables(Dimension.value)
    kinds = values.ints(DimensionValue.dim_type)
    sizes = values.ints(DimensionValue.dim_value)
    names, which = values.buffer.intern(
        values.follow(DimensionValue.dim_param), values.use, DimensionValue.dim_param.path
    )
    distinct, rows = np.unique(sizes, return_inverse=True)
    dims: list[Dim] = [*distinct.tolist(), *names, None]
    codes = np.full(len(values), len(dims) - 1)
    fixed = kinds == DimensionValueType.VALUE
    codes[fixed] = rows[fixed]
    named = (kinds == DimensionValueType.PARAM) & (which >= 0)
    codes[named] = len(distinct) + which[named]
    return codes, dims
