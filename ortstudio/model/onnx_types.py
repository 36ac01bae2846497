"""ONNX `TypeProto`: each distinct one is read once, and equal types are one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ortstudio.format.onnx_messages import (
    DimensionProto,
    ElementTypeProto,
    MapTypeProto,
    OpaqueTypeProto,
    TensorShapeProto,
    TensorTypeProto,
    TypeProto,
)
from ortstudio.format.protobuf import Fields, Messages
from ortstudio.model.onnx_tensors import int32
from ortstudio.model.tensor import Tensors
from ortstudio.model.types import (
    Dim,
    MapType,
    OpaqueType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)

MAX_TYPE_DEPTH = 64
"""How deep sequences, maps and optionals may nest; protobuf's own parser stops near 48."""

_KINDS = (
    TypeProto.TENSOR_TYPE,
    TypeProto.SEQUENCE_TYPE,
    TypeProto.MAP_TYPE,
    TypeProto.OPAQUE_TYPE,
    TypeProto.SPARSE_TENSOR_TYPE,
    TypeProto.OPTIONAL_TYPE,
)


class ReadType(NamedTuple):
    """A type and its denotation."""

    type: ValueType | None
    denotation: str


class TypeReader:
    """Reads types and remembers them."""

    def __init__(self) -> None:
        self._known: dict[bytes, ReadType] = {}
        self._interned: dict[ValueType, ValueType] = {}
        self._constants: dict[bytes, ValueType] = {}

    def constants(self, tensors: Tensors) -> list[ValueType]:
        """The type of each constant."""
        ptr = tensors.dims.ptr
        # Element type and shape of each, one after the other: their bytes are the key.
        numbers = np.insert(tensors.dims.flat, ptr[:-1], tensors.data_types)
        content, ends = numbers.tobytes(), ((ptr + np.arange(len(ptr))) * 8).tolist()
        known, types = self._constants, []
        for first, end in pairwise(ends):
            found = known.get(content[first:end])
            if found is None:
                data_type, *dims = np.frombuffer(content[first:end], np.int64).tolist()
                found = self._intern(TensorType(data_type, tuple(dims)))
                known[content[first:end]] = found
            types.append(found)
        return types

    def sparse(self, data_type: int, dims: Sequence[int]) -> ValueType:
        """The type of a sparse constant."""
        return self._intern(SparseTensorType(data_type, tuple(dims)))

    def _intern(self, value_type: ValueType) -> ValueType:
        """The one object that stands for this type."""
        return self._interned.setdefault(value_type, value_type)

    def read(self, messages: Messages) -> list[ReadType]:
        """The type of each message."""
        contents = _contents(messages)
        new: dict[bytes, int] = {}
        for row, content in enumerate(contents):
            if content not in self._known:
                new.setdefault(content, row)
        if new:
            rows = np.fromiter(new.values(), np.int64, len(new))
            self._known.update(zip(new, self._read(messages.take(rows)), strict=True))
        return [self._known[content] for content in contents]

    def _read(self, messages: Messages) -> list[ReadType]:
        levels: list[_Level] = []
        while len(messages):
            if len(levels) == MAX_TYPE_DEPTH:
                _report_depth(messages)
                break
            level, messages = _read_level(messages)
            levels.append(level)
        types: list[ValueType | None] = []
        for level in reversed(levels):
            types = [self._made(level, row, types) for row in range(len(level.kinds))]
        return [ReadType(*pair) for pair in zip(types, levels[0].denotations, strict=True)]

    def _made(self, level: _Level, row: int, nested: list[ValueType | None]) -> ValueType | None:
        kind, number, inner = level.kinds[row], level.numbers[row], level.nested[row]
        element = nested[inner] if 0 <= inner < len(nested) else None
        made: ValueType
        if kind == TypeProto.TENSOR_TYPE.key:
            made = TensorType(number, level.shapes[row])
        elif kind == TypeProto.SPARSE_TENSOR_TYPE.key:
            made = SparseTensorType(number, level.shapes[row])
        elif kind == TypeProto.SEQUENCE_TYPE.key:
            made = SequenceType(element)
        elif kind == TypeProto.OPTIONAL_TYPE.key:
            made = OptionalType(element)
        elif kind == TypeProto.MAP_TYPE.key:
            made = MapType(number, element)
        elif kind == TypeProto.OPAQUE_TYPE.key:
            made = OpaqueType(*level.opaque[row])
        else:
            return None
        return self._intern(made)


@dataclass(frozen=True, eq=False)
class _Level:
    """Types at one depth, by row. `nested` is the row of the element type one level down, or -1."""

    kinds: list[int]
    denotations: list[str]
    numbers: list[int]
    shapes: dict[int, tuple[Dim, ...] | None]
    opaque: dict[int, tuple[str, str]]
    nested: list[int]


def _contents(messages: Messages) -> list[bytes]:
    """The bytes of each message; those of its parts joined."""
    source = messages.walk.source
    source.need_all(messages.starts, messages.ends - messages.starts)
    view = source.view
    parts = [
        view[start:end].tobytes()
        for start, end in zip(messages.starts.tolist(), messages.ends.tolist(), strict=True)
    ]
    if np.array_equal(messages.rows, np.arange(len(messages))):
        return parts
    joined: list[list[bytes]] = [[] for _ in range(len(messages))]
    for row, part in zip(messages.rows.tolist(), parts, strict=True):
        joined[row].append(part)
    return [b"".join(row) for row in joined]


def _read_level(messages: Messages) -> tuple[_Level, Messages]:
    fields = messages.scan()
    chosen = fields.last(*_KINDS)
    kinds = fields.keys_at(chosen)
    # All six kinds keep a number in field 1 or a message in field 1 or 2: one scan serves them all.
    only = fields.keys == kinds[fields.rows]
    content = fields.inside(*_KINDS, only=only).scan()
    numbers = int32(content.numbers(TensorTypeProto.ELEM_TYPE))
    is_map = kinds == TypeProto.MAP_TYPE.key
    has_element = (kinds == TypeProto.SEQUENCE_TYPE.key) | (kinds == TypeProto.OPTIONAL_TYPE.key)
    rows = content.rows
    inner = content.children(
        ElementTypeProto.ELEM_TYPE,
        MapTypeProto.VALUE_TYPE,
        only=np.where(content.keys == MapTypeProto.VALUE_TYPE.key, is_map[rows], has_element[rows]),
    )
    nested = np.full(len(kinds), -1, np.int64)
    nested[inner.parents] = np.arange(len(inner))
    is_tensor = (kinds == TypeProto.TENSOR_TYPE.key) | (kinds == TypeProto.SPARSE_TENSOR_TYPE.key)
    level = _Level(
        kinds=kinds.tolist(),
        denotations=fields.texts(TypeProto.DENOTATION),
        numbers=numbers.tolist(),
        shapes=_read_shapes(content, is_tensor),
        opaque=_read_opaque(content, kinds == TypeProto.OPAQUE_TYPE.key),
        nested=nested.tolist(),
    )
    return level, inner


Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


def _read_shapes(content: Fields, is_tensor: Mask) -> dict[int, tuple[Dim, ...] | None]:
    """The shape of each tensor type; None where the file gives none."""
    shapes: dict[int, tuple[Dim, ...] | None] = dict.fromkeys(np.nonzero(is_tensor)[0].tolist())
    found = content.children(TensorTypeProto.SHAPE, only=is_tensor[content.rows])
    dims = found.scan().children(TensorShapeProto.DIM)
    owners = found.parents[dims.parents]
    rows: dict[int, list[Dim]] = {row: [] for row in found.parents.tolist()}
    for row, dim in zip(owners.tolist(), _read_dims(dims.scan()), strict=True):
        rows[row].append(dim)
    shapes.update({row: tuple(shape) for row, shape in rows.items()})
    return shapes


def _read_dims(fields: Fields) -> list[Dim]:
    chosen = fields.last(DimensionProto.DIM_VALUE, DimensionProto.DIM_PARAM)
    keys = fields.keys_at(chosen)
    dims: list[Dim] = [None] * len(chosen)
    sized = np.nonzero(keys == DimensionProto.DIM_VALUE.key)[0]
    for row, size in zip(sized.tolist(), fields.values[chosen[sized]].tolist(), strict=True):
        dims[row] = size
    named = np.nonzero(keys == DimensionProto.DIM_PARAM.key)[0]
    for row, name in zip(named.tolist(), fields.texts_at(chosen[named]), strict=True):
        dims[row] = name or None
    return dims


def _read_opaque(content: Fields, is_opaque: Mask) -> dict[int, tuple[str, str]]:
    if not is_opaque.any():
        return {}
    domains = content.texts(OpaqueTypeProto.DOMAIN)
    names = content.texts(OpaqueTypeProto.NAME)
    return {row: (domains[row], names[row]) for row in np.nonzero(is_opaque)[0].tolist()}


def _report_depth(messages: Messages) -> None:
    messages.walk.report(
        f"A type is nested more than {MAX_TYPE_DEPTH} deep",
        int(messages.starts[0]),
        lambda: messages.path(0),
    )
