"""Inputs for a model, made from a seed for every type that a model can ask for.

They are made here and not in the child, from what the file says of its inputs, so that source and
result get the same ones and what was used can be recorded. Which sizes and numbers a model accepts
only a run can tell: `attempts` gives what is worth trying, in order.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ortstudio.errors import FormatError, MissingError, RefusedError, UsageError, Where
from ortstudio.format.arrays import Numbers
from ortstudio.model.bits import NUMPY_TYPES, SMALL_FLOATS, encode
from ortstudio.model.model import Model
from ortstudio.model.types import (
    DataType,
    Dim,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
    bit_width,
    element_count,
)
from ortstudio.services.exchange import MapValue, SequenceValue, TensorValue, Value
from ortstudio.services.input_sizes import suggested_sizes

SIZES = (1, 8, 64, 224, 320, 640)
MANY_ELEMENTS = 1 << 24
"""Above this, sizes that only ever come first (batches) stay 1: they cost and prove nothing."""
SEQUENCE_LENGTH = 2

_FLOATS = SMALL_FLOATS | {DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE}
_RANGES: dict[int, tuple[int, int]] = {
    DataType.UINT8: (0, 255),
    DataType.INT8: (-128, 127),
    DataType.UINT16: (0, 1000),
    DataType.INT16: (-1000, 1000),
    DataType.UINT4: (0, 15),
    DataType.INT4: (-8, 7),
    DataType.UINT2: (0, 3),
    DataType.INT2: (-2, 1),
    DataType.BOOL: (0, 1),
}
_INDEX_RANGE = (0, 9)
"""Wider integers are mostly indices and counts."""


@dataclass(frozen=True, slots=True)
class InputSettings:
    """What the user says of inputs: sizes by symbol, ranges by input, arrays in a `.npz` file."""

    seed: int = 0
    dims: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One set of inputs: a size for each symbol, and whether integers stay within 0 and 1."""

    sizes: Mapping[str, int]
    small_integers: bool = False


class Inputs:
    """The inputs that a model needs: their `types` by name, and the `symbols` left open in them.

    Raises UsageError where the settings do not fit them.
    """

    def __init__(self, model: Model, settings: InputSettings) -> None:
        self.settings = settings
        self.types = _required_inputs(model)
        self.symbols = _symbols(self.types)
        self._vocabularies = _vocabularies(model)
        self._suggested = suggested_sizes(model, self.types)
        _known("symbolic size", settings.dims, self.symbols)
        _known("input", settings.ranges, self.types)
        self._given = _arrays(settings.file, self.types) if settings.file else {}
        self._fixed = _fixed_sizes(self._given, self.types, settings)

    def attempts(self) -> Iterator[Attempt]:
        """Sizes to try, in order; each is worth trying with small integers after an index error."""
        fixed = self._fixed
        batches = [name for name, first in self.symbols.items() if first and name not in fixed]
        seen: list[dict[str, int]] = []
        for size in SIZES:
            sizes = dict.fromkeys(self.symbols, size) | fixed
            if self._elements(sizes) > MANY_ELEMENTS:
                sizes |= dict.fromkeys(batches, 1)
            if sizes not in seen:
                seen.append(sizes)
                yield Attempt(sizes)
        for size in self._suggested:
            first = dict.fromkeys(self.symbols, size) | dict.fromkeys(batches, 1) | fixed
            if first not in seen and self._elements(first) <= MANY_ELEMENTS:
                seen.append(first)
                yield Attempt(first)

    def make(self, attempt: Attempt) -> dict[str, Value]:
        """The values by name. Raises RefusedError for a type that cannot be made."""
        return {name: self._value(name, attempt) for name in self.types}

    def record(self, attempt: Attempt) -> dict[str, dict[str, object]]:
        """What was used, for the answer: the type with its real shape, and whence the values."""
        return {
            name: {
                "type": self._sized_text(name, of, attempt),
                "values": self._origin(name, of, attempt),
            }
            for name, of in self.types.items()
        }

    def _elements(self, sizes: Mapping[str, int]) -> int:
        return sum(
            element_count(_dims(name, of.dims, sizes))
            for name, of in self.types.items()
            if isinstance(of, TensorType)
        )

    def _value(self, name: str, attempt: Attempt) -> Value:
        if name in self._given:
            return self._given[name]
        # A generator for each input: what one gets does not depend on the others.
        random = np.random.default_rng([self.settings.seed, zlib.crc32(name.encode())])
        return self._generated(name, self.types[name], attempt, random)

    def _generated(
        self, name: str, of: ValueType | None, attempt: Attempt, random: np.random.Generator
    ) -> Value:
        if isinstance(of, TensorType):
            dims = _dims(name, of.dims, attempt.sizes)
            return _tensor(of.elem_type, dims, self._range(name, of.elem_type, attempt), random)
        if isinstance(of, SequenceType):
            count = range(SEQUENCE_LENGTH)
            return SequenceValue(
                tuple(self._generated(name, of.element, attempt, random) for _ in count)
            )
        if isinstance(of, OptionalType):
            return self._generated(name, of.element, attempt, random)
        if isinstance(of, MapType) and isinstance(of.value, TensorType):
            keys = self._keys(name, of.key_type)
            bounds = self._range(name, of.value.elem_type, attempt)
            return MapValue(keys, _tensor(of.value.elem_type, keys.dims, bounds, random))
        raise RefusedError(
            f"Values of type {of or 'unknown'} cannot be made for the input {name}",
            hint="Give an .npz file with inputs of your own.",
        )

    def _keys(self, name: str, key_type: int) -> TensorValue:
        """The keys that the node behind the input knows, or a few of our own."""
        keys = self._vocabularies.get(name) or list(range(3))
        if key_type == DataType.STRING:
            array: Numbers = np.array([str(key) for key in keys], object)
        else:
            array = np.array(keys, NUMPY_TYPES[key_type])
        return TensorValue(key_type, array.shape, array)

    def _range(self, name: str, data_type: int, attempt: Attempt) -> tuple[float, float] | None:
        """Least and greatest value; None for floats that nobody restricted."""
        if name in self.settings.ranges:
            return self.settings.ranges[name]
        if data_type in _FLOATS:
            return None
        if attempt.small_integers:
            return (0, 1)
        return _RANGES.get(data_type, _INDEX_RANGE)

    def _sized_text(self, name: str, of: ValueType, attempt: Attempt) -> str:
        if not isinstance(of, TensorType):
            return str(of)
        given = self._given.get(name)
        dims = given.dims if given else _dims(name, of.dims, attempt.sizes)
        return str(TensorType(of.elem_type, dims))

    def _origin(self, name: str, of: ValueType, attempt: Attempt) -> str:
        if name in self._given:
            return f"from {self.settings.file}"
        bounds = self._range(name, of.elem_type, attempt) if isinstance(of, TensorType) else None
        return f"random within {bounds[0]:g} and {bounds[1]:g}" if bounds else "random"


def _required_inputs(model: Model) -> dict[str, ValueType]:
    """Name → type of the main graph's inputs that have no default value.

    Raises RefusedError for an input of no type.
    """
    graph = model.main
    defaults = set(graph.initializers.names)
    defaults |= {sparse.values.name for sparse in graph.sparse_initializers}
    found = {}
    for i in graph.inputs.tolist():
        name, of = graph.values.names[i], graph.values.types[i]
        if name in defaults:
            continue
        if of is None:
            raise RefusedError(f"The model does not say what type its input {name} has")
        found[name] = of
    return found


def _symbols(types: Mapping[str, ValueType]) -> dict[str, bool]:
    """Every size that is open → whether it only ever comes first.

    A size without a name is `INPUT[AXIS]`.
    """
    found: dict[str, bool] = {}
    for name, of in types.items():
        while isinstance(of, SequenceType | OptionalType) and of.element:
            of = of.element
        dims = of.dims if isinstance(of, TensorType) else ()
        for axis, dim in enumerate((None,) if dims is None else dims):
            if _is_open(dim):
                symbol = open_size(name, axis, dim)
                found[symbol] = found.get(symbol, True) and axis == 0 and dims is not None
    return found


def _is_open(dim: Dim) -> bool:
    """A negative size means what no size means."""
    return not isinstance(dim, int) or dim < 0


def open_size(name: str, axis: int, dim: Dim) -> str:
    """What an input's open size is called: its symbol, or `INPUT[AXIS]` where it has none."""
    return dim if isinstance(dim, str) and dim else f"{name}[{axis}]"


def _dims(name: str, dims: tuple[Dim, ...] | None, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The sizes to use; a tensor of unknown rank gets one axis."""
    return tuple(
        dim if isinstance(dim, int) and dim >= 0 else sizes[open_size(name, axis, dim)]
        for axis, dim in enumerate((None,) if dims is None else dims)
    )


def _vocabularies(model: Model) -> dict[str, list[int | str]]:
    """Input name → the keys that a node reading it has in an attribute (`DictVectorizer`)."""
    graph, found = model.main, {}
    for row, op in enumerate(graph.nodes.op_types):
        if op == "DictVectorizer":
            inputs = graph.value_names(graph.nodes.inputs.row(row).tolist())
            for value in graph.nodes.attribute_values(row).values():
                if isinstance(value, tuple) and inputs:
                    found[inputs[0]] = [
                        key.decode(errors="replace") if isinstance(key, bytes) else key
                        for key in value
                        if isinstance(key, bytes | int)
                    ]
    return found


def _tensor(
    data_type: int,
    dims: tuple[int, ...],
    bounds: tuple[float, float] | None,
    random: np.random.Generator,
) -> TensorValue:
    if data_type == DataType.STRING:
        low, high = bounds or _INDEX_RANGE
        # Numbers as text: what parses strings accepts them, for all else they are just text.
        texts = random.integers(int(low), int(high), dims, endpoint=True).astype(str)
        return TensorValue(data_type, dims, texts.astype(object))
    if bit_width(data_type) is None:
        raise RefusedError(f"The element type {data_type} is not known")
    numbers: Numbers
    if data_type in _FLOATS or data_type in (DataType.COMPLEX64, DataType.COMPLEX128):
        numbers = random.uniform(*bounds, dims) if bounds else random.normal(size=dims)
    else:
        low, high = bounds or (0, 1)
        numbers = random.integers(int(low), int(high), dims, endpoint=True)
    return as_tensor(data_type, np.asarray(numbers))


def as_tensor(data_type: int, numbers: Numbers) -> TensorValue:
    """Numbers as a tensor of an element type, each as the nearest that the type has."""
    if data_type in NUMPY_TYPES:
        return TensorValue(data_type, numbers.shape, numbers.astype(NUMPY_TYPES[data_type]))
    return TensorValue(data_type, numbers.shape, encode(data_type, numbers))


def _arrays(file: str, types: Mapping[str, ValueType]) -> dict[str, TensorValue]:
    """The user's own inputs."""
    try:
        if not zipfile.is_zipfile(file) and Path(file).exists():
            raise ValueError("It is no .npz file")
        with np.load(Path(file), allow_pickle=False) as found:
            arrays = {name: np.asarray(found[name]) for name in found.files}
    except FileNotFoundError:
        raise MissingError("There is no such file", where=Where(file)) from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise FormatError(
            f"The file does not hold inputs: {error}",
            where=Where(file),
            hint="Write it with numpy.savez, one array for each input, under the input's name.",
        ) from None
    _known("input", arrays, types)
    return {name: _given(name, array, types[name], file) for name, array in arrays.items()}


def _fixed_sizes(
    arrays: Mapping[str, TensorValue], types: Mapping[str, ValueType], settings: InputSettings
) -> dict[str, int]:
    """The sizes that the user gave, by symbol or by the shapes of arrays.

    Raises UsageError where they give two for one symbol, or an array has not the input's shape.
    """
    found = dict(settings.dims)
    for name, array in arrays.items():
        of = _inside(types[name])
        dims = of.dims if isinstance(of, TensorType) else None
        if dims is None:
            continue
        if len(dims) != len(array.dims):
            raise _misfit(name, array, of, settings)
        for axis, (dim, size) in enumerate(zip(dims, array.dims, strict=True)):
            symbol = open_size(name, axis, dim)
            wanted = found.setdefault(symbol, size) if _is_open(dim) else dim
            if wanted != size:
                hint = f"{symbol} is {wanted}." if _is_open(dim) else ""
                raise _misfit(name, array, of, settings, hint)
    return found


def _misfit(
    name: str, array: TensorValue, of: ValueType, settings: InputSettings, hint: str = ""
) -> UsageError:
    shape = f"[{','.join(map(str, array.dims))}]"
    return UsageError(
        f"The input {name} is {of}, and the file has the shape {shape} for it",
        where=Where(str(settings.file)),
        hint=hint,
    )


def _inside(of: ValueType) -> ValueType:
    """What an optional value is when it is there."""
    return of.element if isinstance(of, OptionalType) and of.element else of


def _given(name: str, array: Numbers, of: ValueType, file: str) -> TensorValue:
    """One of the user's arrays as the model's input: its kind must fit, its width is adapted."""
    of = _inside(of)
    if not isinstance(of, TensorType):
        raise UsageError(
            f"The input {name} is {of}, and an .npz file holds tensors only", where=Where(file)
        )
    wanted = of.elem_type
    if wanted == DataType.STRING and array.dtype.kind == "U":
        return TensorValue(wanted, array.shape, array.astype(object))
    if array.dtype.kind == "V" and array.dtype.itemsize * 8 == bit_width(wanted):
        # What numpy saves of a type that another package brought, such as bfloat16.
        return TensorValue(wanted, array.shape, np.frombuffer(array.tobytes(), np.uint8))
    kinds = "fiub" if wanted in _FLOATS else "iub"
    if wanted == DataType.STRING or array.dtype.kind not in kinds:
        raise UsageError(
            f"The input {name} is {of}, and the file has {array.dtype} for it", where=Where(file)
        )
    made = as_tensor(wanted, array)
    if wanted not in _FLOATS and not np.array_equal(made.numbers, array):
        raise UsageError(
            f"The input {name} is {of}, and the file has greater numbers for it", where=Where(file)
        )
    return made


def _known(what: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse a name that the model does not have."""
    for name in given:
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UsageError(f"The model has no {what} named {name}", hint=f"It has: {names}.")
