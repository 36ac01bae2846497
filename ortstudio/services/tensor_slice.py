"""Parts of tensors by numpy's slice syntax: `0,:,2:5`, `...,-1`, `::2`."""

from __future__ import annotations

import re
from math import prod

import numpy as np

from ortstudio.errors import UsageError
from ortstudio.format.arrays import Numbers
from ortstudio.model.elements import CHUNK_ELEMENTS, Elements

Index = tuple[int | slice, ...]
"""One entry for each axis."""

_NUMBER = r"([+-]?[0-9]{1,18})"
_INTEGER = re.compile(_NUMBER)
_SLICE = re.compile(rf"{_NUMBER}?:{_NUMBER}?(?::{_NUMBER}?)?")


def parse_slice(text: str, dims: tuple[int, ...]) -> Index:
    """What a slice means for a shape. Raises UsageError in plain words."""
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    parts = [part.strip() for part in inner.split(",")] if inner.strip() else []
    parts = _expanded(text, parts, len(dims))
    return tuple(
        _entry(text, part, axis, size)
        for axis, (part, size) in enumerate(zip(parts, dims, strict=True))
    )


def _expanded(text: str, parts: list[str], rank: int) -> list[str]:
    """One part for each axis: `...`, or the end where there is none, stands for the others."""
    if parts.count("...") > 1:
        raise _wrong(text, "'...' can stand in it once")
    place = parts.index("...") if "..." in parts else len(parts)
    before, after = parts[:place], parts[place + 1 :]
    missing = rank - len(before) - len(after)
    if missing < 0:
        raise _wrong(text, f"it has {rank - missing} parts, the tensor {rank} dimensions")
    return [*before, *[":"] * missing, *after]


def _entry(text: str, part: str, axis: int, size: int) -> int | slice:
    if _INTEGER.fullmatch(part):
        if not -size <= int(part) < size:
            raise _wrong(text, f"{part} is beyond dimension {axis}, which has size {size}")
        return int(part) % size
    found = _SLICE.fullmatch(part)
    if not found:
        raise _wrong(text, f"{part!r} is no number and no start:stop:step")
    start, stop, step = (None if number is None else int(number) for number in found.groups())
    if step == 0:
        raise _wrong(text, "a step cannot be 0")
    return slice(start, stop, step)


def _wrong(text: str, why: str) -> UsageError:
    return UsageError(
        f"The slice {text!r} does not fit: {why}", hint="Write it as numpy does: 0,:,2:5 or ...,-1"
    )


def read_slice(elements: Elements, index: Index) -> Numbers:
    """A part of a tensor. Reads those rows of the first dimension that it needs, some at a time."""
    dims = elements.tensor.dims
    if not dims:
        return elements.array()
    first, *rest = index
    rows = range(dims[0])[first] if isinstance(first, slice) else range(first, first + 1)
    row_elements = prod(dims[1:])
    at_once = max(1, CHUNK_ELEMENTS // max(1, row_elements * abs(rows.step)))
    parts = []
    for start in range(0, max(1, len(rows)), at_once):
        some = rows[start : start + at_once]
        low, high = (min(some), max(some) + 1) if some else (0, 0)
        window = elements.window(low * row_elements, high * row_elements)
        block = window.reshape(high - low, *dims[1:])[[row - low for row in some]]
        parts.append(block[(slice(None), *rest)])
    whole = np.concatenate(parts)
    return whole if isinstance(first, slice) else whole[0]
