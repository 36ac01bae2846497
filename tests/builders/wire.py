"""Protobuf messages byte by byte, well formed or not."""

from __future__ import annotations

import struct


def varint(value: int, size: int = 0) -> bytes:
    """A number of 64 bits; `size` stretches it to that many bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127 or len(out) + 1 < size:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def tag(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


def number(field: int, value: int) -> bytes:
    """A varint field."""
    return tag(field, 0) + varint(value)


def chunk(field: int, content: bytes | str, claimed: int | None = None) -> bytes:
    """A length-delimited field; `claimed` is the length it claims, if not the true one."""
    raw = content.encode() if isinstance(content, str) else content
    return tag(field, 2) + varint(len(raw) if claimed is None else claimed) + raw


def float32(field: int, value: float) -> bytes:
    return tag(field, 5) + struct.pack("<f", value)


def model(graph: bytes, *more: bytes) -> bytes:
    """A model file around the bytes of a graph."""
    return number(1, 10) + chunk(7, graph) + b"".join(more)


def node(*fields: bytes, op_type: str = "Op") -> bytes:
    """A node as a field of a graph."""
    return chunk(1, chunk(4, op_type) + b"".join(fields))
