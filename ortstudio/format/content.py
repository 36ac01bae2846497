"""All that a FlatBuffers file holds, by its schema and as columns that can be changed.

Where the readers of models take what they know and say what is damaged, this takes everything or
nothing: it is what a file is written from again, so a slot that the schema does not have is refused
like a damaged one. Long vectors of numbers stay in the file and are known by their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar, cast

import numpy as np

from ortstudio.errors import FormatError, RefusedError, Where
from ortstudio.format.arrays import Ints, Numbers
from ortstudio.format.buffer import Buffer
from ortstudio.format.fields import Field, Kind, Schema, TableType
from ortstudio.format.flatbuf import Tables
from ortstudio.format.source import Source

MOST_TABLES = 1_000_000
"""What FlatBuffers' own verifier, and with it every release of the runtime, accepts."""
MOST_NESTED = 64
"""The same, of tables in tables."""

Texts = list[bytes | None]
"""A string for each row. The bytes need not be UTF-8."""
TextRows = list[list[bytes] | None]
"""A vector of strings for each row."""


@dataclass(eq=False)
class Spans:
    """A vector of numbers or structs for each row, by its place in the file; -1 where absent."""

    starts: Ints
    counts: Ints


@dataclass(eq=False)
class Links:
    """A table for each row: its row in `batch`, -1 where absent."""

    batch: Batch
    rows: Ints


@dataclass(eq=False)
class LinkRows:
    """A vector of tables for each row: their rows in `batch`."""

    batch: Batch
    rows: list[list[int] | None]


@dataclass(eq=False)
class Union:
    """A table of one of several types for each row, under the tag of its type."""

    links: dict[int, Links]


Column = Numbers | Texts | TextRows | Spans | Links | LinkRows | Union


@dataclass(eq=False)
class Batch:
    """Tables of one type, by columns. A column that is not there is absent in every row."""

    table: TableType
    count: int
    columns: dict[int, Column] = field(default_factory=dict)
    """By the slot of the field."""

    def numbers(self, of: Field) -> Numbers:
        """The column of a scalar field."""
        kind = np.dtype(of.kind.code)
        made = self.columns.setdefault(of.slot, np.full(self.count, of.default, kind))
        return cast("Numbers", made)

    def texts(self, of: Field) -> Texts:
        """The column of a string field."""
        absent: Texts = [None] * self.count
        return cast("Texts", self.columns.setdefault(of.slot, absent))

    def text_rows(self, of: Field) -> TextRows:
        """The column of a vector of strings."""
        absent: TextRows = [None] * self.count
        return cast("TextRows", self.columns.setdefault(of.slot, absent))

    def links(self, of: Field) -> Links | None:
        """The column of a table field, if any row has it."""
        return cast("Links | None", self.columns.get(of.slot))

    def link_rows(self, of: Field, target: TableType) -> LinkRows:
        """The column of a vector of tables, which are of type `target`."""
        absent = LinkRows(Batch(target, 0), [None] * self.count)
        return cast("LinkRows", self.columns.setdefault(of.slot, absent))

    def remove(self, of: Field) -> None:
        """Leave a field out in every row."""
        self.columns.pop(of.slot, None)

    def append(self, texts: Mapping[Field, bytes]) -> int:
        """Add a row to tables that hold strings only; gives its number."""
        for of in texts:
            self.texts(of)
        for slot, column in self.columns.items():
            assert isinstance(column, list)
            column.append(texts.get(self.table.fields[slot]))  # type: ignore[arg-type]
        self.count += 1
        return self.count - 1

    def inner(self) -> Iterator[Batch]:
        """The batches that this one's columns lead to."""
        for column in self.columns.values():
            if isinstance(column, Links | LinkRows):
                yield column.batch
            elif isinstance(column, Union):
                yield from (links.batch for links in column.links.values())

    def all(self, name: str) -> Iterator[Batch]:
        """All batches of a type of table, this one and those at any depth inside it."""
        if self.table.name == name:
            yield self
        for batch in self.inner():
            yield from batch.all(name)


def read_content(source: Source, schema: Schema) -> Batch:
    """The root table, and in its columns everything else.

    Raises FormatError where anything is damaged or not in the schema, RefusedError where there is
    more of it than any release of the runtime loads.
    """
    buffer = Buffer(source)
    return _Reading(buffer, schema).batch(Tables.root(buffer, "content"), schema.root, 1)


class _Reading:
    """One walk through a file."""

    def __init__(self, buffer: Buffer, schema: Schema) -> None:
        self._buffer = buffer
        self._schema = schema

    def batch(self, tables: Tables, name: str, depth: int) -> Batch:
        """Some tables and all below them."""
        table = self._schema.tables[name]
        self._check(tables, table, depth)
        batch = Batch(table, len(tables))
        for of in table.fields if len(tables) else ():
            column = self._column(tables, of, depth)
            if column is not None:
                batch.columns[of.slot] = column
        if self._buffer.damage is not None:
            raise self._buffer.damage
        return batch

    def _check(self, tables: Tables, table: TableType, depth: int) -> None:
        if self._buffer.damage is not None:
            raise self._buffer.damage
        path = self._buffer.source.path
        unknown = tables.beyond(len(table.fields))
        if len(unknown):
            raise FormatError(
                f"A {table.name} has a slot that no format version up to 6 has",
                where=Where(path, int(unknown[0]), table.name),
                hint="It would be lost: nothing was written.",
            )
        if self._buffer.table_count > MOST_TABLES:
            raise RefusedError(
                f"The file has more than {MOST_TABLES:,} tables, and no release loads such a file",
                where=Where(path),
            )
        if depth > MOST_NESTED:
            raise RefusedError(
                f"Its tables are nested more than {MOST_NESTED} deep, and no release loads that",
                where=Where(path, int(tables.positions[0]), table.name),
            )

    def _column(self, tables: Tables, of: Field, depth: int) -> Column | None:
        """None where no table has the field."""
        if not (tables.places(of, of.kind.width) >= 0).any():
            return None
        if of.kind.is_scalar:
            return tables.numbers(of)
        if of.kind is Kind.STRING:
            return self._texts(tables.follow(of), of)
        if of.kind is Kind.UNION:
            return self._union(tables, of, depth)
        if of.kind is Kind.TABLE:
            return self._links(tables.follow(of), of.path, of.target, depth)
        if of.element is Kind.STRING:
            return self._text_rows(tables, of)
        if of.element is Kind.TABLE:
            return self._link_rows(tables, of, depth)
        size = self._schema.structs[of.target].size if of.element is Kind.STRUCT else 0
        vectors = tables.vectors(of, struct_size=size)
        return Spans(vectors.starts, vectors.counts)

    def _texts(self, positions: Ints, of: Field) -> Texts:
        found = self._buffer.blobs(positions, "content", of.path)
        present = (positions >= 0).tolist()
        return [text if there else None for text, there in zip(found, present, strict=True)]

    def _text_rows(self, tables: Tables, of: Field) -> TextRows:
        vectors = tables.vectors(of)
        ptr, positions = vectors.follow()
        texts = self._buffer.blobs(positions, "content", of.path)
        return _rows(texts, ptr, vectors.starts)

    def _links(self, positions: Ints, path: str, target: str, depth: int) -> Links:
        present = np.nonzero(positions >= 0)[0]
        rows = np.full(len(positions), -1, np.int64)
        rows[present] = np.arange(len(present))
        tables = Tables(self._buffer, positions[present], "content", path)
        return Links(self.batch(tables, target, depth + 1), rows)

    def _link_rows(self, tables: Tables, of: Field, depth: int) -> LinkRows:
        vectors = tables.vectors(of)
        ptr, inner = vectors.tables()
        batch = self.batch(inner, of.target, depth + 1)
        return LinkRows(batch, _rows(range(batch.count), ptr, vectors.starts))

    def _union(self, tables: Tables, of: Field, depth: int) -> Union:
        tag = self._schema.tables[of.table].fields[of.slot - 1]
        tags, positions = tables.ints(tag), tables.follow(of)
        types = self._schema.unions[of.target]
        unknown = (tags != 0) & ~np.isin(tags, list(types))
        self._buffer.note(unknown, tables.positions, f"{tag.path} is of no known type", tag.path)
        return Union(
            {
                number: self._links(np.where(tags == number, positions, -1), of.path, name, depth)
                for number, name in types.items()
                if (tags == number).any()
            }
        )


_Item = TypeVar("_Item")


def _rows(values: Sequence[_Item], ptr: Ints, starts: Ints) -> list[list[_Item] | None]:
    """Runs of values as lists, None where there is no vector."""
    ends, absent = ptr.tolist(), (starts < 0).tolist()
    return [None if absent[i] else list(values[a:b]) for i, (a, b) in enumerate(pairwise(ends))]
