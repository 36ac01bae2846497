"""Elements as numbers: which numpy type an element type has, and bits ↔ numbers where it has none.

Bits are little-endian bytes as both formats keep them: elements under 8 bits are packed without
gaps, the first one in the low bits. The values are those of
https://onnx.ai/onnx/technical/float8.html and its neighbours there.
"""

from __future__ import annotations

from functools import cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Numbers
from ortstudio.model.types import DataType, bit_width

NUMPY_TYPES: dict[int, np.dtype[np.generic]] = {
    DataType.FLOAT: np.dtype("<f4"),
    DataType.UINT8: np.dtype("u1"),
    DataType.INT8: np.dtype("i1"),
    DataType.UINT16: np.dtype("<u2"),
    DataType.INT16: np.dtype("<i2"),
    DataType.INT32: np.dtype("<i4"),
    DataType.INT64: np.dtype("<i8"),
    DataType.BOOL: np.dtype("?"),
    DataType.FLOAT16: np.dtype("<f2"),
    DataType.DOUBLE: np.dtype("<f8"),
    DataType.UINT32: np.dtype("<u4"),
    DataType.UINT64: np.dtype("<u8"),
    DataType.COMPLEX64: np.dtype("<c8"),
    DataType.COMPLEX128: np.dtype("<c16"),
}
"""Element types that numpy has."""

SMALL_FLOATS = frozenset(
    {
        DataType.BFLOAT16,
        DataType.FLOAT8E4M3FN,
        DataType.FLOAT8E4M3FNUZ,
        DataType.FLOAT8E5M2,
        DataType.FLOAT8E5M2FNUZ,
        DataType.FLOAT8E8M0,
        DataType.FLOAT4E2M1,
        DataType.FLOAT6E2M3,
        DataType.FLOAT6E3M2,
    }
)
"""Floating-point types that numpy lacks."""

_SMALL_INTEGERS = {
    DataType.UINT4: (4, False),
    DataType.INT4: (4, True),
    DataType.UINT2: (2, False),
    DataType.INT2: (2, True),
}

Bytes = NDArray[np.uint8]


def decode(data_type: int, bits: Bytes, count: int) -> Numbers:
    """`count` numbers out of bytes; a type that numpy lacks widens to float32, int8 or uint8.

    Raises ValueError for strings, unknown types, and where the bytes do not reach.
    """
    if data_type in NUMPY_TYPES:
        return np.frombuffer(bits.tobytes(), NUMPY_TYPES[data_type], count)
    width = bit_width(data_type)
    if width is None or len(bits) * 8 < count * width:
        raise ValueError(f"{count} elements of type {data_type} do not fit {len(bits)} bytes")
    if data_type == DataType.BFLOAT16:
        return _widened(np.frombuffer(bits.tobytes(), "<u2", count))
    codes = regroup(bits, 8, width)[:count]
    if data_type in _SMALL_INTEGERS:
        width, signed = _SMALL_INTEGERS[DataType(data_type)]
        return _signed(codes, width) if signed else codes
    return _table(data_type)[codes]


def encode(data_type: int, numbers: Numbers) -> Bytes:
    """The bytes of numbers, each as the nearest that the type has; integers lose high bits."""
    if data_type in NUMPY_TYPES:
        return _bytes_of(numbers.astype(NUMPY_TYPES[data_type]))
    if data_type == DataType.BFLOAT16:
        return _bytes_of(_narrowed(numbers.astype(np.float32)))
    width = bit_width(data_type)
    if width is None:
        raise ValueError(f"elements of type {data_type} have no bits")
    if data_type in _SMALL_INTEGERS:
        codes = numbers.ravel().astype(np.int64) & ((1 << width) - 1)
        return regroup(codes.astype(np.uint8), width, 8)
    return regroup(_nearest(_table(data_type), numbers.ravel().astype(np.float32)), width, 8)


def regroup(parts: Bytes, width: int, new_width: int) -> Bytes:
    """Cut bits anew, from parts of one width into parts of another: 2, 4, 6 or 8, one a byte.

    The first part is in the low bits; what is left of the last new one is zero.
    """
    if width == new_width:
        return parts
    word = lcm(width, new_width)
    kind = np.uint8 if word == 8 else np.uint32
    words = np.zeros((-(-len(parts) * width // word), word // width), kind)
    words.ravel()[: len(parts)] = parts
    joined = np.bitwise_or.reduce(words << np.arange(0, word, width, dtype=kind), axis=1)
    cut = joined[:, None] >> np.arange(0, word, new_width, dtype=kind)
    new: Bytes = (cut & ((1 << new_width) - 1)).astype(np.uint8).ravel()
    return new[: -(-len(parts) * width // new_width)]


def _bytes_of(array: Numbers) -> Bytes:
    return np.frombuffer(array.tobytes(), np.uint8)


def _widened(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """A bfloat16 is the upper half of a float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _narrowed(numbers: NDArray[np.float32]) -> NDArray[np.uint16]:
    """To bfloat16, ties to even; NaN stays NaN."""
    bits = numbers.ravel().view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(numbers.ravel()), 0x7FC0, rounded).astype(np.uint16)


def _signed(codes: Bytes, width: int) -> NDArray[np.int8]:
    half = 1 << (width - 1)
    return ((codes.astype(np.int16) ^ half) - half).astype(np.int8)


def _nearest(table: NDArray[np.float32], numbers: NDArray[np.float32]) -> Bytes:
    """The code of the number in the table that is nearest; beyond the ends it is the end."""
    codes = np.nonzero(np.isfinite(table))[0]
    codes = codes[np.argsort(table[codes], kind="stable")]
    values = table[codes].astype(np.float64)
    places = np.searchsorted((values[1:] + values[:-1]) / 2, numbers)
    return codes[places].astype(np.uint8)


@cache
def _table(data_type: int) -> NDArray[np.float32]:
    """The number of each code of a type of 4, 6 or 8 bits."""
    if data_type == DataType.FLOAT8E8M0:
        powers = np.ldexp(np.ones(255, np.float32), np.arange(255) - 127)
        table = np.append(powers, np.float32(np.nan))
    elif data_type == DataType.FLOAT8E4M3FN:
        table = _minifloat(4, 3, 7)
        table[[0x7F, 0xFF]] = np.nan
    elif data_type == DataType.FLOAT8E4M3FNUZ:
        table = _minifloat(4, 3, 8)
        table[0x80] = np.nan
    elif data_type == DataType.FLOAT8E5M2:
        table = _minifloat(5, 2, 15)
        table[[0x7C, 0xFC]] = np.inf, -np.inf
        table[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    elif data_type == DataType.FLOAT8E5M2FNUZ:
        table = _minifloat(5, 2, 16)
        table[0x80] = np.nan
    elif data_type == DataType.FLOAT4E2M1:
        table = _minifloat(2, 1, 1)
    elif data_type == DataType.FLOAT6E2M3:
        table = _minifloat(2, 3, 1)
    elif data_type == DataType.FLOAT6E3M2:
        table = _minifloat(3, 2, 3)
    else:
        raise ValueError(f"there is no element type {data_type}")
    return table


def _minifloat(exponent_bits: int, mantissa_bits: int, bias: int) -> NDArray[np.float32]:
    """Sign, exponent, mantissa; numbers of the lowest exponent have no leading one."""
    codes = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    mantissas = codes & ((1 << mantissa_bits) - 1)
    exponents = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1)
    leading = np.where(exponents > 0, 1 << mantissa_bits, 0)
    powers = np.maximum(exponents, 1) - bias - mantissa_bits
    sizes = np.ldexp((leading + mantissas).astype(np.float32), powers)
    signs = np.where(codes >> (exponent_bits + mantissa_bits), -1, 1).astype(np.float32)
    return np.asarray(signs * sizes, np.float32)
