"""Rows of different lengths, held as two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[Any]
"""Numbers of whatever type the file keeps them in."""


def ints(values: Iterable[int] | Sequence[int]) -> Ints:
    """An int64 array of the values."""
    return np.fromiter(values, np.int64)


def offsets_of(counts: Ints) -> Ints:
    """Where each of consecutive runs begins, and where the last one ends."""
    ends = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    return ends


def distinct(values: Numbers, axis: int | None = None) -> Numbers:
    """The distinct values in order: `np.unique`, which alone would load numpy.ma each start."""
    return np.unique(values, return_index=True, axis=axis)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Row `i` is `flat[ptr[i]:ptr[i + 1]]`. `ptr` has one entry more than there are rows."""

    ptr: Ints
    flat: Numbers

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def row(self, i: int) -> Numbers:
        """A view of row `i`."""
        return self.flat[self.ptr[i] : self.ptr[i + 1]]

    @property
    def lengths(self) -> Ints:
        """How many entries each row has."""
        return np.diff(self.ptr)

    @property
    def owners(self) -> Ints:
        """For each entry of `flat`, the row it belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def lists(self) -> list[list[int]]:
        """All rows as lists of plain Python values: the fast way to walk every row."""
        flat, ends = self.flat.tolist(), self.ptr.tolist()
        return [flat[a:b] for a, b in pairwise(ends)]

    @staticmethod
    def of(rows: Sequence[Sequence[int]], dtype: type[np.generic] = np.int64) -> Ragged:
        """From a list of lists."""
        ptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=ptr[1:])
        flat = np.array([value for row in rows for value in row], dtype)
        return Ragged(ptr, flat)

    @staticmethod
    def empty(rows: int) -> Ragged:
        """`rows` rows with nothing in them."""
        return Ragged(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64))
