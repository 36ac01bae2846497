"""ONNX `TensorProto` and `SparseTensorProto` as columns; the elements stay where they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ortstudio.format.arrays import Ints
from ortstudio.format.onnx_messages import EXTERNAL, SparseTensorProto, StringStringEntryProto
from ortstudio.format.onnx_messages import TensorProto as T
from ortstudio.format.protobuf import Fields, Messages
from ortstudio.format.protowire import LENGTH
from ortstudio.model.tensor import (
    ExternalData,
    Span,
    SparseTensor,
    Storage,
    StringData,
    Tensors,
    TypedData,
)
from ortstudio.model.types import DataType

TYPED_FIELDS = {
    DataType.FLOAT: T.FLOAT_DATA,
    DataType.COMPLEX64: T.FLOAT_DATA,
    DataType.DOUBLE: T.DOUBLE_DATA,
    DataType.COMPLEX128: T.DOUBLE_DATA,
    DataType.INT64: T.INT64_DATA,
    DataType.UINT32: T.UINT64_DATA,
    DataType.UINT64: T.UINT64_DATA,
}
"""Which typed field holds the elements of a type; `int32_data` those of every other one."""

_PAYLOADS = (T.FLOAT_DATA, T.INT32_DATA, T.INT64_DATA, T.DOUBLE_DATA, T.UINT64_DATA)


def int32(values: Ints) -> Ints:
    """What protobuf reads of varints into 32-bit fields: the low half, signed."""
    return values.astype(np.int32).astype(np.int64)


def read_tensors(messages: Messages) -> tuple[Tensors, int]:
    """The tensors, one row for each message, and the bytes that their elements take in the file."""
    if not len(messages):
        return Tensors.none(), 0
    fields = messages.scan()
    data_types = int32(fields.numbers(T.DATA_TYPE))
    raw = fields.last(T.RAW_DATA)
    external = int32(fields.numbers(T.DATA_LOCATION)) == EXTERNAL
    is_raw = (raw >= 0) & ~external
    elsewhere = _elsewhere(fields, data_types, is_raw | external)
    elsewhere |= _external(fields, external)
    storages = np.where(is_raw, int(Storage.RAW), int(Storage.NONE))
    for row, data in elsewhere.items():
        storages[row] = _STORAGE[type(data)]
    offsets, lengths = np.zeros((2, len(raw)), np.int64)
    offsets[is_raw] = fields.starts[raw[is_raw]]
    lengths[is_raw] = fields.values[raw[is_raw]]
    tensors = Tensors(
        names=fields.texts(T.NAME),
        data_types=data_types,
        dims=fields.integers(T.DIMS),
        storages=storages,
        data_offsets=offsets,
        data_lengths=lengths,
        offsets=messages.offsets,
        elsewhere=elsewhere,
        doc_strings=fields.some_texts(T.DOC_STRING),
    )
    return tensors, _payload_bytes(fields)


_STORAGE = {
    TypedData: Storage.TYPED,
    StringData: Storage.STRINGS,
    ExternalData: Storage.EXTERNAL,
}


def _payload_bytes(fields: Fields) -> int:
    keys = [field.packed_key for field in (*_PAYLOADS, T.RAW_DATA, T.STRING_DATA)]
    return int(fields.values[fields.having(keys)].sum())


def _elsewhere(
    fields: Fields, data_types: Ints, done: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> dict[int, TypedData | StringData | ExternalData]:
    """Typed fields and strings, for the rows that are not done."""
    keys = [key for field in (*_PAYLOADS, T.STRING_DATA) for key in (field.key, field.packed_key)]
    places = np.nonzero(fields.having(keys))[0]
    places = places[~done[fields.rows[places]]]
    starts = fields.starts[places]
    sizes = fields.ends[places] - starts
    spans: dict[int, list[Span]] = {}
    packed: dict[int, list[bool]] = {}
    for row, key, start, size in zip(
        fields.rows[places].tolist(),
        fields.keys[places].tolist(),
        starts.tolist(),
        sizes.tolist(),
        strict=True,
    ):
        if key >> 3 == _field_number(int(data_types[row])):
            spans.setdefault(row, []).append(Span(start, size))
            packed.setdefault(row, []).append(key & 7 == LENGTH)
    found: dict[int, TypedData | StringData | ExternalData] = {}
    for row, runs in spans.items():
        number = _field_number(int(data_types[row]))
        if number == T.STRING_DATA.number:
            found[row] = StringData(tuple(runs))
        else:
            found[row] = TypedData(number, tuple(runs), tuple(packed[row]))
    return found


def _field_number(data_type: int) -> int:
    if data_type == DataType.STRING:
        return T.STRING_DATA.number
    return TYPED_FIELDS.get(data_type, T.INT32_DATA).number  # type: ignore[call-overload,no-any-return]


def _external(
    fields: Fields, external: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> dict[int, TypedData | StringData | ExternalData]:
    """Where the elements are that stand in other files."""
    if not external.any():
        return {}
    entries = read_entries(fields.children(T.EXTERNAL_DATA))
    found: dict[int, TypedData | StringData | ExternalData] = {}
    for row in np.nonzero(external)[0].tolist():
        said = entries.get(row, {})
        numbers = {key: _number(said[key]) for key in ("offset", "length") if said.get(key)}
        if None in numbers.values() or not said.get("location"):
            _report(fields.messages, row, said)
        found[row] = ExternalData(
            location=said.get("location", ""),
            offset=numbers.get("offset") or 0,
            length=numbers.get("length"),
            checksum=said.get("checksum", ""),
        )
    return found


def _number(text: str) -> int | None:
    """A decimal number that fits a file's size; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def _report(messages: Messages, row: int, said: Mapping[str, str]) -> None:
    part = int(np.searchsorted(messages.rows, row))
    what = ", ".join(f"{key} {value[:40]!r}" for key, value in sorted(said.items())) or "nothing"
    messages.walk.report(
        f"The place of the tensor's external data cannot be understood: it says {what}",
        int(messages.offsets[row]),
        lambda: f"{messages.path(part)}.external_data",
    )


def read_entries(messages: Messages) -> dict[int, dict[str, str]]:
    """Keys and values of `StringStringEntryProto` messages, by the row of the message around."""
    found: dict[int, dict[str, str]] = {}
    if not len(messages):
        return found
    fields = messages.scan()
    keys = fields.texts(StringStringEntryProto.KEY)
    values = fields.texts(StringStringEntryProto.VALUE)
    for row, key, value in zip(messages.parents.tolist(), keys, values, strict=True):
        found.setdefault(row, {})[key] = value
    return found


def read_sparse_tensors(messages: Messages) -> tuple[list[SparseTensor], int]:
    """The sparse tensors, one for each message, and the bytes that their elements take."""
    if not len(messages):
        return [], 0
    fields = messages.scan()
    values, value_bytes = read_tensors(fields.inside(SparseTensorProto.VALUES))
    indices, index_bytes = read_tensors(fields.inside(SparseTensorProto.INDICES))
    dims = fields.integers(SparseTensorProto.DIMS).lists()
    rows = range(len(messages))
    tensors = [SparseTensor(values[i], indices[i], tuple(dims[i])) for i in rows]
    return tensors, value_bytes + index_bytes
