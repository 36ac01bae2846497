"""What one constant is to another: the same, in another order or type, padded, changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.pairing.fingerprints import (
    Differences,
    Fingerprint,
    differences,
    fingerprint,
)
from ortstudio.analysis.pairing.layouts import layout_text
from ortstudio.analysis.pairing.quantized import quantization_text
from ortstudio.analysis.pairing.rows import Change
from ortstudio.analysis.words import count
from ortstudio.format.arrays import Numbers
from ortstudio.model.bits import decode, encode
from ortstudio.model.elements import Elements
from ortstudio.model.types import DataType, data_type_text

MOST_ELEMENTS = 1 << 24
"""Larger tensors are not held in memory as a whole, so their order and scales stay unnamed."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """In words how B came of A. `proven` is False where only name or place ties the two."""

    reason: str
    changes: tuple[Change, ...]
    proven: bool


def likeness(a: Elements, b: Elements) -> Likeness | None:
    """Compare two tensors that are not the same. None where neither shape nor elements agree."""
    if a.tensor.data_type != b.tensor.data_type:
        return _other_type(a, b)
    if a.tensor.data_type != DataType.STRING:
        moved = _moved(a, b)
        if moved is not None:
            return moved
    return _changed(a, b) if a.tensor.dims == b.tensor.dims else None


Declared = tuple[int, tuple[int, ...]]
"""The type and the shape of a constant."""


def type_and_shape(a: Declared, b: Declared) -> tuple[Change, ...]:
    """What of the two is not the same."""
    pairs = [
        ("type", *(data_type_text(data_type) for data_type, _ in (a, b))),
        ("shape", *(str(list(dims)) for _, dims in (a, b))),
    ]
    return tuple(Change(what, ours, theirs) for what, ours, theirs in pairs if ours != theirs)


def _declared(elements: Elements) -> Declared:
    return elements.tensor.data_type, elements.tensor.dims


def _moved(a: Elements, b: Elements) -> Likeness | None:
    """The same elements, but for zeros, in another order or shape."""
    ours, theirs = fingerprint(a), fingerprint(b)
    if (ours.filled, ours.mark) != (theirs.filled, theirs.mark) or not ours.filled:
        return None
    changes = type_and_shape(_declared(a), _declared(b))
    if ours.count == theirs.count and _same_order(a, b):
        return Likeness("Reshaped: the same elements in the same order", changes, proven=True)
    order = _order(a, b)
    text = _padding(ours, theirs)
    if text and order:
        text += f", {order}"
    elif not text:
        text = f"Re-laid out: the same elements, {order or 'in another order'}"
    return Likeness(text, changes, proven=True)


def _padding(ours: Fingerprint, theirs: Fingerprint) -> str:
    more = theirs.count - ours.count
    if not more:
        return ""
    if more > 0:
        return f"Padded with {count(more, 'zero')}"
    return f"Without {count(-more, 'zero')} that padded it"


def _same_order(a: Elements, b: Elements) -> bool:
    return _all(a, b, lambda x, y: x.tobytes() == y.tobytes())


def _order(a: Elements, b: Elements) -> str:
    if max(a.count, b.count) > MOST_ELEMENTS:
        return ""
    return layout_text(a.array(), b.array())


def _other_type(a: Elements, b: Elements) -> Likeness | None:
    types = data_type_text(a.tensor.data_type), data_type_text(b.tensor.data_type)
    changes = type_and_shape(_declared(a), _declared(b))
    if a.count != b.count or DataType.STRING in (a.tensor.data_type, b.tensor.data_type):
        return None
    if _all(a, b, lambda x, y: _is_cast(x, y, b.tensor.data_type)):
        text = f"Converted from {types[0]} to {types[1]}, {_rounding(differences(a, b))}"
        return Likeness(text, changes, proven=True)
    if _all(a, b, lambda x, y: _is_cast(y, x, a.tensor.data_type)):
        text = f"Converted from {types[0]} to {types[1]}, at full precision"
        return Likeness(text, changes, proven=True)
    if set(types) == {"int8", "uint8"}:
        step = 128 if types[0] == "int8" else -128
        if _all(a, b, lambda x, y: bool((y.astype(np.int16) - x == step).all())):
            text = f"From {types[0]} to {types[1]}: every element is {abs(step)} "
            text += "more" if step > 0 else "less"
            return Likeness(text, changes, proven=True)
    scale = "" if a.count > MOST_ELEMENTS else quantization_text(a, b)
    if scale:
        return Likeness(f"Quantized from {types[0]} to {types[1]}, {scale}", changes, proven=True)
    return _changed(a, b) if a.tensor.dims == b.tensor.dims else None


def _is_cast(x: Numbers, y: Numbers, data_type: int) -> bool:
    """Whether Y is X in another type, each element as the nearest that the type has."""
    with np.errstate(all="ignore"):
        cast = decode(data_type, encode(data_type, x), len(x))
    return bool(np.array_equal(cast, y, equal_nan=cast.dtype.kind in "fc"))


def _rounding(found: Differences | None) -> str:
    if found is None or not found.largest:
        return "every value the same"
    return f"rounded by at most {found.largest:.3g}"


def _changed(a: Elements, b: Elements) -> Likeness | None:
    found = differences(a, b)
    if found is None:
        return None
    place = _place(found.worst, a.tensor.dims)
    text = f"{found.count:,} of {count(found.of, 'element')} "
    text += "differs" if found.count == 1 else "differ"
    if found.largest:
        text += f", at most by {found.largest:.3g} at {place}"
    elif found.largest == 0:
        text += f" in bits but not in value, first at {place}"
    else:
        text += f", first at {place}"
    change = Change(f"element {place}", str(found.before), str(found.after))
    return Likeness(text, (*type_and_shape(_declared(a), _declared(b)), change), proven=False)


def _place(flat: int, dims: tuple[int, ...]) -> str:
    return str([int(i) for i in np.unravel_index(flat, dims)]) if dims else "[]"


def _all(a: Elements, b: Elements, same: Callable[[Numbers, Numbers], bool]) -> bool:
    """Whether it holds of each part of the two; ends at the first where it does not."""
    pairs = zip(a.chunks(), b.chunks(), strict=True)
    return all(same(ours, theirs) for ours, theirs in pairs)
