"""What a FlatBuffers schema declares, as plain values: fields, tables, structs, whole schemas.

The modules `*_tables` are made of these by `schema/generate.py`. What reads, verifies, names or
writes a field takes its description from here and holds no list of fields of its own.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum


class Kind(Enum):
    """What a slot of a table, an element of a vector or a member of a struct is.

    `code` is the little-endian format for `struct` and numpy of what stands there, `width` its size
    in bytes: the value of a scalar, the offset that leads to anything else. A STRUCT has no width
    here: it stands in place with the size of its `StructType`.
    """

    code: str
    width: int

    BOOL = "bool", "?"
    INT8 = "int8", "b"
    UINT8 = "uint8", "B"
    INT16 = "int16", "h"
    UINT16 = "uint16", "H"
    INT32 = "int32", "i"
    UINT32 = "uint32", "I"
    INT64 = "int64", "q"
    UINT64 = "uint64", "Q"
    FLOAT = "float", "f"
    DOUBLE = "double", "d"
    STRING = "string", "I"
    TABLE = "table", "I"
    STRUCT = "struct", ""
    UNION_TYPE = "union type", "B"
    UNION = "union", "I"
    VECTOR = "vector", "I"

    def __init__(self, text: str, code: str) -> None:
        self.text = text
        self.code = f"<{code}"
        self.width = struct.calcsize(self.code)

    @property
    def is_scalar(self) -> bool:
        """Whether the value itself stands in the table; the tag of a union counts."""
        return self not in _NOT_SCALAR


_NOT_SCALAR = {Kind.STRING, Kind.TABLE, Kind.STRUCT, Kind.UNION, Kind.VECTOR}


@dataclass(frozen=True, slots=True)
class Field:
    """A slot of a table."""

    table: str
    name: str
    slot: int
    kind: Kind
    element: Kind | None = None
    """Of a VECTOR."""
    target: str = ""
    """The table, struct, enum or union that the value, or each element, is one of."""
    default: int | float = 0
    since: int = 1
    """The format version that brought it."""
    until: int | None = None
    """The last format version that wrote it, if it is no longer written."""
    deprecated: bool = False
    key: bool = False
    """A vector of this table is sorted by it, and a string may not be absent."""
    force_align: int = 0
    """Bytes to which the writer aligns a vector's elements, where they alone ask for less."""
    doc: str = ""

    @property
    def path(self) -> str:
        """`Node.inputs`."""
        return f"{self.table}.{self.name}"


@dataclass(frozen=True, slots=True)
class TableType:
    """A table; `fields` stand in slot order without gaps, so that `fields[n]` is slot n."""

    name: str
    fields: tuple[Field, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class StructField:
    """A member of a struct, `offset` bytes from its start."""

    name: str
    offset: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct: scalars in a row, `size` bytes with padding, aligned to `alignment`."""

    name: str
    size: int
    alignment: int
    fields: tuple[StructField, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """All that can be reached from the root table, by name."""

    identifier: bytes
    """Bytes 4 to 8 of a file."""
    root: str
    tables: Mapping[str, TableType]
    structs: Mapping[str, StructType]
    enums: Mapping[str, type[IntEnum]]
    """The tags of unions are among them."""
    unions: Mapping[str, Mapping[int, str]]
    """For each tag but 0, NONE, the table that it stands for."""


def tables_of(*namespaces: type) -> dict[str, TableType]:
    """The tables whose fields stand as attributes of these classes."""
    return {
        namespace.__name__: TableType(
            namespace.__name__,
            tuple(field for field in vars(namespace).values() if isinstance(field, Field)),
            inspect.getdoc(namespace) or "",
        )
        for namespace in namespaces
    }
