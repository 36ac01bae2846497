"""What a tensor's elements are whatever their order, and where those of two tensors differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Numbers
from ortstudio.model.elements import Elements


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Elements as a bag: how many there are, how many are not zero, and what stands for those."""

    count: int
    filled: int
    mark: int


def fingerprint(elements: Elements) -> Fingerprint:
    """Read a tensor of numbers once. Two marks differ by all odds unless the bags are the same."""
    filled, mark = 0, 0
    for chunk in elements.chunks():
        bits = _codes(chunk)
        bits = bits[bits != 0]
        filled += len(bits)
        mark += int(_scattered(bits).sum(dtype=np.uint64))
    return Fingerprint(elements.count, filled, mark & (1 << 64) - 1)


def _codes(chunk: Numbers) -> NDArray[np.uint64]:
    """The bits of each element as a number; a complex one is two."""
    flat = np.ascontiguousarray(chunk).ravel()
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    return flat.view(f"u{flat.dtype.itemsize}").astype(np.uint64)


def _scattered(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sums of these tell bags apart: the finalizer of SplitMix64 (Steele et al., 2014)."""
    x = bits + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Differences:
    """Where two tensors of one shape differ.

    `largest` is None where no difference is a number: strings, NaN on one side. `worst` is where it
    is, or else the first place that differs; `before` and `after` are the elements there.
    """

    count: int
    of: int
    largest: float | None
    worst: int
    before: object
    after: object


def differences(a: Elements, b: Elements) -> Differences | None:
    """Compare element by element, bit for bit; None where nothing differs. Reads both once."""
    count, worst = 0, -1
    largest: float | None = None
    pair: tuple[object, object] = (None, None)
    at = 0
    for ours, theirs in zip(a.chunks(), b.chunks(), strict=True):
        places = np.nonzero(_unequal(ours, theirs))[0]
        if len(places):
            count += len(places)
            apart = _apart(ours[places], theirs[places])
            place = int(np.argmax(apart))
            if worst < 0 or apart[place] > (-1.0 if largest is None else largest):
                largest = float(apart[place]) if apart[place] >= 0 else None
                worst = at + int(places[place])
                pair = _item(ours[places[place]]), _item(theirs[places[place]])
        at += len(ours)
    return Differences(count, at, largest, worst, *pair) if count else None


def _unequal(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
    """By bits where both have the same type, so that -0 and 0 differ and NaN equals itself."""
    if a.dtype != b.dtype or a.dtype.kind == "O":
        return np.asarray(a != b, np.bool_)
    if a.dtype.kind == "c":
        return np.asarray((_codes(a) != _codes(b)).reshape(-1, 2).any(axis=1), np.bool_)
    return np.not_equal(_codes(a), _codes(b))


def _apart(a: Numbers, b: Numbers) -> NDArray[np.float64]:
    """How far apart the numbers are; -1 where that is no number."""
    if a.dtype.kind == "O" or b.dtype.kind == "O":
        return np.full(len(a), -1.0)
    wide = np.complex128 if "c" in a.dtype.kind + b.dtype.kind else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(a.astype(wide) - b.astype(wide))
    return np.nan_to_num(apart, nan=-1.0, posinf=np.inf)


def _item(element: object) -> object:
    """The element as Python writes it, a float32 in no more digits than it has."""
    if isinstance(element, np.floating):
        return str(element)
    return element.item() if isinstance(element, np.generic) else element
