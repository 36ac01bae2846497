"""Which bytes of a file serve what, and how often they may be named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ortstudio.errors import FormatError, Where
from ortstudio.format.arrays import Ints
from ortstudio.format.source import Source

BUDGET_FACTOR = 8
"""How often a file may name the same bytes before it is taken for hostile. Writers share some."""


class Account:
    """The claims on a file's bytes."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._budget = BUDGET_FACTOR * source.size + 1024
        self._claims: list[tuple[str, Ints | Sequence[int], Ints | Sequence[int]]] = []

    def claim(self, use: str, offsets: Ints | Sequence[int], lengths: Ints | Sequence[int]) -> None:
        """Note which bytes serve a use, and charge them to the budget.

        Raises FormatError when that is spent: the file was made to keep a reader busy.
        """
        if not len(offsets):
            return
        self._budget -= int(lengths.sum() if isinstance(lengths, np.ndarray) else sum(lengths))
        if self._budget < 0:
            where = Where(self._source.path, int(offsets[0]), use)
            raise FormatError("The file names the same bytes over and over", where=where)
        self._claims.append((use, offsets, lengths))

    def sizes(self) -> Mapping[str, int]:
        """Bytes by use, adding up to the file's size; what is claimed twice counts once."""
        uses = sorted({use for use, _, _ in self._claims})
        number = {use: i for i, use in enumerate(uses)}
        starts = np.concatenate([offsets for _, offsets, _ in self._claims])
        ends = starts + np.concatenate([lengths for _, _, lengths in self._claims])
        counts = [len(offsets) for _, offsets, _ in self._claims]
        labels = np.repeat([number[use] for use, _, _ in self._claims], counts)
        order = np.argsort(starts, kind="stable")
        starts, ends, labels = starts[order], ends[order], labels[order]
        reached = np.maximum.accumulate(np.concatenate([np.zeros(1, np.int64), ends[:-1]]))
        own = np.maximum(ends - np.maximum(starts, reached), 0)
        totals = np.bincount(labels, own, len(uses)).astype(np.int64).tolist()
        sizes = {use: total for use, total in zip(uses, totals, strict=True) if total}
        sizes["padding"] = self._source.size - sum(sizes.values())
        return sizes
