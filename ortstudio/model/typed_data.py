"""ONNX typed fields (`float_data` and its sisters) as the bytes that `raw_data` would hold.

The specification puts elements of every width into five fields: one unit, which is a float, a
double or a varint, holds one element, or one half of a complex one, or all 4-bit or 2-bit elements
of one byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints, Numbers, ints
from ortstudio.format.onnx_messages import TensorProto
from ortstudio.format.protowire import VARINT_BYTES, decode_varints, varints_at
from ortstudio.format.source import Source
from ortstudio.model.bits import regroup
from ortstudio.model.tensor import Span, TypedData
from ortstudio.model.types import bit_width

_PIECE_BYTES = 1 << 18
_PIECE_SINGLES = 1 << 14
_FIXED_BYTES = {TensorProto.FLOAT_DATA.number: 4, TensorProto.DOUBLE_DATA.number: 8}


class _Piece(NamedTuple):
    """Some consecutive units: the bytes of a packed run, or where single units begin."""

    units: int
    run: Span
    singles: Ints | None


class TypedUnits:
    """The units of one tensor.

    `unit_bits` is how much of the tensor one unit holds. Varints are counted in one pass when they
    are first asked for.
    """

    def __init__(self, source: Source, data: TypedData, data_type: int) -> None:
        self._source = source
        self._data = data
        self._is_fixed = data.field_number in _FIXED_BYTES
        self.unit_bits = 8 * _FIXED_BYTES.get(data.field_number, 0) or _varint_bits(data_type)
        self._unit_bytes = (self.unit_bits + 7) // 8

    @cached_property
    def count(self) -> int:
        """How many units there are. Reads varints once."""
        return int(self._starts[-1])

    def read(self, first: int, end: int) -> NDArray[np.uint8]:
        """What units `first` to `end` hold, packed."""
        parts = [np.zeros(0, np.uint8)]
        i = bisect_right(self._starts, first) - 1
        while i < len(self._pieces) and self._starts[i] < end:
            start = self._starts[i]
            parts.append(self._units(self._pieces[i], max(0, first - start), end - start))
            i += 1
        content = np.concatenate(parts)
        if self.unit_bits >= 8:
            return content
        return regroup(content & np.uint8((1 << self.unit_bits) - 1), self.unit_bits, 8)

    @cached_property
    def _pieces(self) -> list[_Piece]:
        return list(self._cut())

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *np.cumsum([piece.units for piece in self._pieces], dtype=np.int64).tolist()]

    def _cut(self) -> Iterator[_Piece]:
        pairs = zip(self._data.spans, self._data.packed, strict=True)
        for packed, group in groupby(pairs, key=lambda pair: pair[1]):
            spans = [span for span, _ in group]
            if packed:
                for span in spans:
                    yield from self._cut_run(span)
            else:
                for i in range(0, len(spans), _PIECE_SINGLES):
                    starts = ints([span.offset for span in spans[i : i + _PIECE_SINGLES]])
                    yield _Piece(len(starts), Span(0, 0), starts)

    def _cut_run(self, span: Span) -> Iterator[_Piece]:
        if self._is_fixed:
            units, rest = divmod(span.length, self._unit_bytes)
            if rest:
                raise self._damage(span, "ends inside of an element")
            yield _Piece(units, span, None)
            return
        at, end = span.offset, span.offset + span.length
        while at < end:
            length = min(_PIECE_BYTES, end - at)
            lasts = np.nonzero(self._bytes(at, length) < 128)[0]
            if not len(lasts) or (at + length == end and lasts[-1] != length - 1):
                raise self._damage(span, "ends inside of a number")
            length = int(lasts[-1]) + 1
            yield _Piece(len(lasts), Span(at, length), None)
            at += length

    def _units(self, piece: _Piece, first: int, end: int) -> NDArray[np.uint8]:
        if piece.singles is not None:
            return self._singles(piece.singles[first:end])
        if self._is_fixed:
            size, end = self._unit_bytes, min(end, piece.units)
            return self._bytes(piece.run.offset + first * size, (end - first) * size)
        values, _, bad = decode_varints(self._bytes(*piece.run))
        if bad.any():
            raise self._damage(piece.run, "holds a number that does not fit 64 bits")
        return self._low_bytes(values[first:end])

    def _singles(self, starts: Ints) -> NDArray[np.uint8]:
        size = self._unit_bytes if self._is_fixed else VARINT_BYTES
        self._source.need_all(starts, np.minimum(size, self._source.size - starts))
        if self._is_fixed:
            content: NDArray[np.uint8] = self._source.u8[starts[:, None] + np.arange(size)]
            return content.ravel()
        return self._low_bytes(varints_at(self._source.u8, starts)[0])

    def _low_bytes(self, values: Numbers) -> NDArray[np.uint8]:
        return values.astype(f"<u{self._unit_bytes}").view(np.uint8)

    def _bytes(self, offset: int, length: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._source.payload(offset, length, "typed data"), np.uint8)

    def _damage(self, span: Span, what: str) -> FormatError:
        where = Where(self._source.path, span.offset, f"field {self._data.field_number}")
        return FormatError(f"The typed data of a tensor {what}", where=where)


def _varint_bits(data_type: int) -> int:
    """How much of a varint counts: the low bits, an element or a byte that elements fill."""
    bits = bit_width(data_type) or 8
    return bits if 8 % bits else 8
