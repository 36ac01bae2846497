"""Columns over all graphs of one depth, cut into the columns of each graph.

`ptr` says where each graph's rows begin and where the last one's end. One graph alone, the usual
case, keeps the columns as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TypeVar

import numpy as np

from ortstudio.format.arrays import Ints, Ragged
from ortstudio.model.graph import Attributes
from ortstudio.model.tensor import Tensors

V = TypeVar("V")


def split_map(found: Mapping[int, V], ptr: Ints) -> list[dict[int, V]]:
    """A mapping by row, as one mapping for each graph."""
    parts: list[dict[int, V]] = [{} for _ in range(len(ptr) - 1)]
    if found:
        rows = np.fromiter(found, np.int64, len(found))
        owners = np.searchsorted(ptr, rows, side="right") - 1
        within = (rows - ptr[owners]).tolist()
        for owner, row, value in zip(owners.tolist(), within, found.values(), strict=True):
            parts[owner][row] = value
    return parts


def _ragged_rows(ragged: Ragged, first: int, end: int) -> Ragged:
    """Consecutive rows."""
    ptr = ragged.ptr[first : end + 1]
    return Ragged(ptr - ptr[0], ragged.flat[ptr[0] : ptr[-1]])


def split_tensors(tensors: Tensors, ptr: Ints) -> list[Tensors]:
    """The tensors of each graph."""
    elsewhere = split_map(tensors.elsewhere, ptr)
    doc_strings = split_map(tensors.doc_strings, ptr)
    ends = ptr.tolist()
    return [
        Tensors(
            names=tensors.names[a:b],
            data_types=tensors.data_types[a:b],
            dims=_ragged_rows(tensors.dims, a, b),
            storages=tensors.storages[a:b],
            data_offsets=tensors.data_offsets[a:b],
            data_lengths=tensors.data_lengths[a:b],
            offsets=tensors.offsets[a:b],
            elsewhere=elsewhere[i],
            doc_strings=doc_strings[i],
        )
        for i, (a, b) in enumerate(pairwise(ends))
    ]


def split_attributes(attributes: Attributes, ptr: Ints) -> list[Attributes]:
    """The attributes of each graph."""
    others = split_map(attributes.others, ptr)
    doc_strings = split_map(attributes.doc_strings, ptr)
    references = split_map(attributes.references, ptr)
    ends = ptr.tolist()
    return [
        Attributes(
            names=attributes.names[a:b],
            types=attributes.types[a:b],
            offsets=attributes.offsets[a:b],
            floats_column=_ragged_rows(attributes.floats_column, a, b),
            ints_column=_ragged_rows(attributes.ints_column, a, b),
            others=others[i],
            doc_strings=doc_strings[i],
            references=references[i],
        )
        for i, (a, b) in enumerate(pairwise(ends))
    ]
