"""In which order the elements of one tensor stand in another that has the same ones."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

from ortstudio.format.arrays import Numbers

MOST_RANK = 5
"""Of more dimensions there are too many orders to try."""
BLOCKS = (16, 8)


def layout_text(a: Numbers, b: Numbers) -> str:
    """`transposed by [1, 0]`, `in blocks, OIHW16i16o`; empty for an order that is not known here.

    Of padded tensors the places of the added zeros count too.
    """
    for axes in _orders(a, b):
        if _same(a.transpose(axes), b):
            return f"transposed by {list(axes)}"
    if a.ndim == 4:
        for block in BLOCKS:
            for name, made in _blocked(a, block):
                if made.size == b.size and _same(made.ravel(), b.ravel()):
                    return f"in blocks, {name}"
    return ""


def _orders(a: Numbers, b: Numbers) -> list[tuple[int, ...]]:
    """The orders of dimensions that give B's shape, but for A's own."""
    if a.ndim != b.ndim or a.ndim > MOST_RANK:
        return []
    orders = list(permutations(range(a.ndim)))[1:]
    return [axes for axes in orders if tuple(a.shape[i] for i in axes) == b.shape]


def _blocked(a: Numbers, block: int) -> list[tuple[str, Numbers]]:
    """Convolution weights as the runtime's blocked layout has them: both channels, or outputs."""
    inputs = a.shape[1]
    outputs = _up(a.shape[0], block)
    height, width = a.shape[2:]
    if math.prod((outputs, _up(inputs, block), height, width)) > 4 * max(a.size, 1 << 20):
        return []
    wide = _filled(a, (outputs, _up(inputs, block)))
    tall = _filled(a, (outputs, inputs))
    both = wide.reshape(outputs // block, block, -1, block, height, width)
    rows = tall.reshape(outputs // block, block, inputs, height, width)
    return [
        (f"OIHW{block}i{block}o", both.transpose(0, 2, 4, 5, 3, 1)),
        (f"OIHW{block}o", rows.transpose(0, 2, 3, 4, 1)),
    ]


def _up(channels: int, block: int) -> int:
    return -(-channels // block) * block


def _filled(a: Numbers, channels: tuple[int, int]) -> Numbers:
    """With zeros up to so many channels."""
    return np.pad(a, [(0, channels[0] - a.shape[0]), (0, channels[1] - a.shape[1]), (0, 0), (0, 0)])


def _same(a: Numbers, b: Numbers) -> bool:
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
