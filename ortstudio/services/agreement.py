"""Do the outputs of two runs agree, and where do they differ most? Pure: values in, verdict out.

Floats agree where |a−b| ≤ atol·max(1, max|a|) + rtol·|a|, `a` being the source. NaN equals NaN.
Where an output comes out of a quantizer, one of its steps is allowed too. All else must be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Numbers
from ortstudio.model.types import DataType, data_type_text
from ortstudio.services.exchange import MapValue, SequenceValue, TensorValue, Value

BLOCK = 1 << 20
"""Elements looked at together: outputs may be large, and every step needs a copy of them."""
BIGGEST = float(np.finfo(np.float64).max)
"""Stands for an infinite difference, which JSON cannot say."""

_SPACINGS = {
    DataType.BFLOAT16: 2.0**-7,
    DataType.FLOAT8E4M3FN: 2.0**-3,
    DataType.FLOAT8E4M3FNUZ: 2.0**-3,
    DataType.FLOAT8E5M2: 2.0**-2,
    DataType.FLOAT8E5M2FNUZ: 2.0**-2,
    DataType.FLOAT4E2M1: 2.0**-1,
    DataType.FLOAT6E2M3: 2.0**-3,
    DataType.FLOAT6E3M2: 2.0**-2,
    DataType.FLOAT8E8M0: 1.0,
}
"""Relative distance to the next number, of types where it is more than the usual tolerance."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What floats may differ by."""

    rtol: float = 1e-3
    atol: float = 1e-4


@dataclass(frozen=True, slots=True)
class OutputAgreement:
    """One output of both runs.

    `equal` means exactly equal, `agrees` within tolerance. `where` is the index of the worst
    difference (in a sequence after the position, in a map after the key), None where there is none.
    `max_abs` and `max_rel` leave NaN out, `max_rel` also zeros of the source. `excess` is the
    largest difference in units of what is allowed there: up to 1 it agrees. `note` says what cannot
    be said in numbers.
    """

    name: str
    agrees: bool = True
    equal: bool = True
    max_abs: float = 0.0
    max_rel: float = 0.0
    where: tuple[int | str, ...] | None = None
    nan_both: int = 0
    nan_one: int = 0
    excess: float = 0.0
    note: str = ""

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        found: dict[str, object] = {key: getattr(self, key) for key in self.__slots__}
        found["where"] = None if self.where is None else list(self.where)
        return found


def agreement(
    source: Mapping[str, Value],
    result: Mapping[str, Value],
    tolerance: Tolerance,
    steps: Mapping[str, float] | None = None,
) -> list[OutputAgreement]:
    """Every output of either run; `steps` names the quantization step of an output."""
    found = []
    for name in [*source, *(name for name in result if name not in source)]:
        if name not in result or name not in source:
            found.append(_different(name, "only one of the two has this output"))
        else:
            step = (steps or {}).get(name, 0.0)
            found.append(_value(name, source[name], result[name], tolerance, step))
    return found


def _different(name: str, note: str) -> OutputAgreement:
    return OutputAgreement(name, agrees=False, equal=False, excess=BIGGEST, note=note)


def _value(name: str, a: Value, b: Value, tolerance: Tolerance, step: float) -> OutputAgreement:
    if isinstance(a, TensorValue) and isinstance(b, TensorValue):
        return _tensor(name, a, b, tolerance, step)
    if isinstance(a, SequenceValue) and isinstance(b, SequenceValue):
        if len(a.elements) != len(b.elements):
            return _different(name, f"{len(a.elements)} elements against {len(b.elements)}")
        pairs = enumerate(zip(a.elements, b.elements, strict=True))
        return _together(name, [(i, _value(name, x, y, tolerance, step)) for i, (x, y) in pairs])
    if isinstance(a, MapValue) and isinstance(b, MapValue):
        return _map(name, a, b, tolerance, step)
    if a is None and b is None:
        return OutputAgreement(name)
    return _different(name, "values of different kinds")


def _map(name: str, a: MapValue, b: MapValue, tolerance: Tolerance, step: float) -> OutputAgreement:
    """Maps have no order."""
    keys, others = a.keys.array.tolist(), b.keys.array.tolist()
    if set(keys) != set(others):
        return _different(name, "different keys")
    places = [others.index(key) for key in keys]
    moved = TensorValue(b.values.data_type, b.values.dims, b.values.array[places])
    found = _tensor(name, a.values, moved, tolerance, step)
    if found.where:
        key = keys[int(found.where[0])]
        found = replace(found, where=(key if isinstance(key, int | str) else str(key),))
    return found


def _together(name: str, found: list[tuple[int, OutputAgreement]]) -> OutputAgreement:
    """The elements of a sequence as one output; `where` is that of the worst of them."""
    if not found:
        return OutputAgreement(name)
    place, worst = max(found, key=lambda e: (not e[1].agrees, e[1].nan_one, e[1].max_abs))
    parts = [part for _, part in found]
    return OutputAgreement(
        name,
        agrees=all(part.agrees for part in parts),
        equal=all(part.equal for part in parts),
        max_abs=max(part.max_abs for part in parts),
        max_rel=max(part.max_rel for part in parts),
        where=None if worst.equal else (place, *(worst.where or ())),
        nan_both=sum(part.nan_both for part in parts),
        nan_one=sum(part.nan_one for part in parts),
        excess=max(part.excess for part in parts),
        note=worst.note,
    )


def _tensor(
    name: str, a: TensorValue, b: TensorValue, tolerance: Tolerance, step: float
) -> OutputAgreement:
    if a.data_type != b.data_type:
        types = data_type_text(a.data_type), data_type_text(b.data_type)
        return _different(name, f"element types {types[0]} and {types[1]}")
    if a.dims != b.dims:
        return _different(name, f"shapes {list(a.dims)} and {list(b.dims)}")
    x, y = a.numbers.reshape(-1), b.numbers.reshape(-1)
    if x.dtype.kind in "fc":
        limit = _Limit.of(x, a.data_type, tolerance, step)
        blocks = [_floats(x[i], y[i], limit) for i in _blocks(len(x))]
    else:
        blocks = [_exact(x[i], y[i], step) for i in _blocks(len(x))]
    return _summary(name, blocks, a.dims)


def _blocks(count: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, count, BLOCK))


@dataclass(frozen=True, slots=True)
class _Limit:
    """|a−b| may be up to `fixed + relative·|a|`."""

    fixed: float
    relative: float

    @staticmethod
    def of(x: Numbers, data_type: int, tolerance: Tolerance, step: float) -> _Limit:
        size = 1.0
        for block in _blocks(len(x)):
            sizes = np.abs(_wide(x[block]))
            size = max(size, float(np.max(sizes, initial=0.0, where=np.isfinite(sizes))))
        spacing = _SPACINGS.get(DataType(data_type), 0.0)
        return _Limit(tolerance.atol * size + step, max(tolerance.rtol, spacing))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """What was found in one run of elements; arrays run along them."""

    equal: NDArray[np.bool_]
    agrees: NDArray[np.bool_]
    differences: NDArray[np.float64]
    max_rel: float = 0.0
    nan_both: int = 0
    nan_one: int = 0
    excess: float = 0.0


def _floats(a: Numbers, b: Numbers, limit: _Limit) -> _Block:
    x, y = _wide(a), _wide(b)
    both, one = np.isnan(x) & np.isnan(y), np.isnan(x) ^ np.isnan(y)
    equal = (x == y) | both
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.where(equal | one, 0.0, np.abs(x - y))
        sizes = np.abs(x)
        agrees = equal | (~one & np.isfinite(differences))
        allowed = limit.fixed + limit.relative * sizes
        agrees &= equal | (differences <= allowed)
        counted = np.isfinite(sizes) & (sizes > 0)
        relative = differences[counted] / sizes[counted]
    return _Block(
        equal,
        agrees,
        np.minimum(differences, BIGGEST),
        min(float(relative.max(initial=0.0)), BIGGEST),
        int(both.sum()),
        int(one.sum()),
        _excess(agrees, differences, allowed),
    )


def _exact(x: Numbers, y: Numbers, step: float) -> _Block:
    """Integers, booleans and strings; integers out of a quantizer may be `step` apart."""
    equal = np.asarray(x == y, np.bool_)
    if x.dtype.kind not in "iu":
        excess = 0.0 if equal.all() else BIGGEST
        return _Block(equal, equal, np.zeros(len(x)), excess=excess)
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    # Neighbours beyond 2^53 look the same as float64.
    differences = np.where(equal, 0.0, np.maximum(np.abs(wide_x - wide_y), 1.0))
    sizes = np.abs(wide_x)
    relative = differences[sizes > 0] / sizes[sizes > 0]
    agrees = differences <= step
    excess = _excess(agrees, differences, step)
    return _Block(equal, agrees, differences, float(relative.max(initial=0.0)), excess=excess)


def _excess(agrees: NDArray[np.bool_], differences: Numbers, allowed: Numbers | float) -> float:
    """The largest difference in units of what is allowed; `BIGGEST` where that is no number."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        units = np.nan_to_num(differences / allowed, nan=0.0, posinf=BIGGEST)
    return float(np.max(np.where(agrees | (units > 1.0), units, BIGGEST), initial=0.0))


def _wide(x: Numbers) -> Numbers:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _summary(name: str, blocks: list[_Block], dims: tuple[int, ...]) -> OutputAgreement:
    if not blocks:
        return OutputAgreement(name)
    agrees, equal = all(b.agrees.all() for b in blocks), all(b.equal.all() for b in blocks)
    worst = None if equal else _worst(blocks, agrees)
    return OutputAgreement(
        name,
        agrees=agrees,
        equal=equal,
        max_abs=max(float(b.differences.max()) for b in blocks),
        max_rel=max(b.max_rel for b in blocks),
        where=None if worst is None else tuple(int(i) for i in np.unravel_index(worst, dims)),
        nan_both=sum(b.nan_both for b in blocks),
        nan_one=sum(b.nan_one for b in blocks),
        excess=max(b.excess for b in blocks),
    )


def _worst(blocks: list[_Block], agrees: bool) -> int:
    """Flat index of the largest difference; of those that do not agree where there are any."""
    best, found = -1.0, 0
    for number, block in enumerate(blocks):
        rows = np.nonzero(~block.equal if agrees else ~block.agrees)[0]
        if len(rows):
            row = rows[np.argmax(block.differences[rows])]
            if block.differences[row] > best:
                best, found = float(block.differences[row]), number * BLOCK + int(row)
    return found
