"""Repeated numbers in packed form: many runs of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints, offsets_of
from ortstudio.format.protowire import Mask, decode_varints
from ortstudio.format.source import Source


def unpack_varints(
    source: Source, starts: Ints, lengths: Ints
) -> tuple[Ints, NDArray[np.int64], Mask]:
    """How many numbers each run holds, all of them, and which runs are damaged: they give none."""
    source.need_all(starts, lengths)
    bad = (lengths > 0) & (source.u8[np.maximum(starts + lengths - 1, 0)] >= 128)
    while True:
        sound = np.where(bad, 0, lengths)
        values, firsts, wrong = decode_varints(source.u8[_spread(starts, sound)])
        owners = np.searchsorted(np.cumsum(sound), firsts, side="right")
        if not wrong.any():
            return np.bincount(owners, minlength=len(starts)), values.view(np.int64), bad
        bad[owners[wrong]] = True


def unpack_floats(
    source: Source, starts: Ints, lengths: Ints
) -> tuple[Ints, NDArray[np.float32], Mask]:
    """How many floats each run holds, all of them, and which runs end inside of one."""
    source.need_all(starts, lengths)
    counts = lengths // 4
    return counts, floats_at(source, _spread(starts, counts, 4)), lengths % 4 != 0


def floats_at(source: Source, starts: Ints) -> NDArray[np.float32]:
    """The little-endian 32-bit floats at unaligned positions, which must be in memory."""
    content = np.ascontiguousarray(source.u8[starts[:, None] + np.arange(4)])
    return content.view("<f4")[:, 0]


def _spread(starts: Ints, counts: Ints, step: int = 1) -> Ints:
    """`start`, `start + step`, ... for each start, `count` of them."""
    ptr = offsets_of(counts)
    within = np.arange(ptr[-1]) - np.repeat(ptr[:-1], counts)
    places: Ints = np.repeat(starts, counts) + within * step
    return places
