"""How a tensor of any shape lies in a table: which element stands in which cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FLAT_COLUMNS = 8
MOST_ROWS = 1 << 24
MOST_COLUMNS = 1 << 20
"""Qt adds up section sizes in 31 bits, so 16 million rows and a million columns are safe."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix, chosen by `leading` indices out of the tensor, or all elements in running order.

    `flat` runs on over the rows: a vector, or a matrix too long for a table.
    """

    dims: tuple[int, ...]
    rows: int
    columns: int
    flat: bool
    leading: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many elements the tensor has."""
        return math.prod(self.dims)

    @property
    def leading_dims(self) -> tuple[int, ...]:
        """Sizes of the axes that are chosen from rather than laid out."""
        return () if self.flat else self.dims[:-2]

    def element(self, row: int, column: int) -> int:
        """Place of a cell's element in row-major order; past the last one in a last flat row."""
        first = 0
        for index, size in zip(self.leading, self.leading_dims, strict=True):
            first = first * size + index
        return (first * self.rows + row) * self.columns + column

    def cell(self, index: Sequence[int]) -> tuple[tuple[int, ...], int, int]:
        """Leading indices, row and column of an element, given one index for each axis.

        Raises ValueError in words where the index does not fit the shape.
        """
        self._check(index)
        if not self.flat:
            return tuple(index[:-2]), index[-2], index[-1]
        place = 0
        for at, size in zip(index, self.dims, strict=True):
            place = place * size + at
        return (), *divmod(place, self.columns)

    def index(self, element: int) -> tuple[int, ...]:
        """One index for each axis, of an element given by its place in row-major order."""
        index: list[int] = []
        for size in reversed(self.dims):
            element, at = divmod(element, size)
            index.insert(0, at)
        return tuple(index)

    def _check(self, index: Sequence[int]) -> None:
        if len(index) != len(self.dims):
            raise ValueError(f"{len(self.dims)} indices are needed, as in {example(self.dims)}")
        for axis, (at, size) in enumerate(zip(index, self.dims, strict=True)):
            if not 0 <= at < size:
                raise ValueError(f"Axis {axis} goes from 0 to {size - 1}")


def grid(dims: tuple[int, ...]) -> Grid:
    """The table for a shape: the last two axes if there are two, else rows of `FLAT_COLUMNS`."""
    count = math.prod(dims)
    fits = len(dims) >= 2 and dims[-2] <= MOST_ROWS and dims[-1] <= MOST_COLUMNS
    if fits and count:
        return Grid(dims, dims[-2], dims[-1], flat=False, leading=(0,) * (len(dims) - 2))
    columns = min(max(1, count), FLAT_COLUMNS)
    while math.ceil(count / columns) > MOST_ROWS:
        columns *= 2
    return Grid(dims, math.ceil(count / columns), columns, flat=True)


def example(dims: Sequence[int]) -> str:
    """The index of the last element, to show how one is written."""
    return ", ".join(str(max(0, size - 1)) for size in dims)
