"""Values of models, and the way they take to a child process and back: a `.npz` file and JSON.

Descriptions are those of `ortstudio/jobs/agent`. The file holds plain arrays only: nothing is
ever unpickled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from ortstudio.format.arrays import Numbers
from ortstudio.model.bits import NUMPY_TYPES, decode
from ortstudio.model.types import DataType, element_count

Arrays = Mapping[str, NDArray[np.generic]]
Description = Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class TensorValue:
    """A tensor. `array` has the shape `dims`, holding `str` for strings.

    Of a type that numpy lacks it is a row of bytes: the bits, packed.
    """

    data_type: int
    dims: tuple[int, ...]
    array: Numbers

    @property
    def numbers(self) -> Numbers:
        """The elements in their shape, as a type that numpy has."""
        if self.data_type == DataType.STRING or self.data_type in NUMPY_TYPES:
            return self.array.reshape(self.dims)
        return decode(self.data_type, self.array, element_count(self.dims)).reshape(self.dims)


@dataclass(frozen=True, slots=True, eq=False)
class SequenceValue:
    """A sequence of values."""

    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapValue:
    """A map; both tensors have one dimension of equal size."""

    keys: TensorValue
    values: TensorValue


Value = TensorValue | SequenceValue | MapValue | None
"""None is an optional value that is not there."""


def write_values(path: Path, values: Mapping[str, Value]) -> list[dict[str, object]]:
    """Write the arrays of named values into a file and describe them."""
    arrays: dict[str, NDArray[np.generic]] = {}
    described = [_describe(value, arrays) | {"name": name} for name, value in values.items()]
    with path.open("wb") as file:
        # The keywords are names of ours, and numpy's own parameter is not among them.
        np.savez(file, **arrays)  # type: ignore[arg-type]
    return described


def read_values(path: Path, described: Iterable[Description]) -> dict[str, Value]:
    """The named values that a file holds by their descriptions."""
    with np.load(path, allow_pickle=False) as arrays:
        return {str(entry["name"]): _value(entry, arrays) for entry in described}


class ValuesFile:
    """Named values in a file, read one by one while it is open."""

    def __init__(self, path: Path, described: Iterable[Description]) -> None:
        self._path = path
        self._described = {str(entry["name"]): entry for entry in described}
        self._arrays: NpzFile | None = None

    def read(self, name: str) -> Value:
        """One of them. The file is opened with the first, since it lists all that it holds."""
        if self._arrays is None:
            self._arrays = np.load(self._path, allow_pickle=False)
        return _value(self._described[name], self._arrays)

    def close(self) -> None:
        """Close the file; what is read next opens it again."""
        arrays, self._arrays = self._arrays, None
        if arrays is not None:
            arrays.close()

    def remove(self) -> None:
        """Take the file away."""
        self.close()
        self._path.unlink(missing_ok=True)


def _describe(value: Value, arrays: dict[str, NDArray[np.generic]]) -> dict[str, object]:
    if value is None:
        return {"kind": "none"}
    if isinstance(value, SequenceValue):
        elements = [_describe(element, arrays) for element in value.elements]
        return {"kind": "sequence", "elements": elements}
    if isinstance(value, MapValue):
        keys, values = _describe(value.keys, arrays), _describe(value.values, arrays)
        return {"kind": "map", "keys": keys, "values": values}
    name = f"a{len(arrays)}"
    if value.data_type == DataType.STRING:
        encoded = [str(text).encode() for text in value.array.ravel().tolist()]
        arrays[name] = np.frombuffer(b"".join(encoded), np.uint8)
        arrays[f"{name}.lengths"] = np.array([len(text) for text in encoded], np.int64)
    else:
        arrays[name] = np.asarray(value.array, order="C")  # The one order that every child reads.
    dims = list(value.dims)
    return {"kind": "tensor", "data_type": value.data_type, "dims": dims, "array": name}


def _value(entry: Description, arrays: Arrays) -> Value:
    kind = entry["kind"]
    if kind == "none":
        return None
    if kind == "sequence":
        elements = cast("list[Description]", entry["elements"])
        return SequenceValue(tuple(_value(element, arrays) for element in elements))
    if kind == "map":
        keys = _tensor(cast(Description, entry["keys"]), arrays)
        return MapValue(keys, _tensor(cast(Description, entry["values"]), arrays))
    return _tensor(entry, arrays)


def _tensor(entry: Description, arrays: Arrays) -> TensorValue:
    data_type, name = cast(int, entry["data_type"]), cast(str, entry["array"])
    dims = tuple(cast("list[int]", entry["dims"]))
    if data_type == DataType.STRING:
        return TensorValue(data_type, dims, _strings(arrays, name).reshape(dims))
    return TensorValue(data_type, dims, arrays[name])


def _strings(arrays: Arrays, name: str) -> Numbers:
    text, lengths = arrays[name].tobytes(), arrays[f"{name}.lengths"]
    ends = np.cumsum(lengths).tolist()
    found = np.empty(len(ends), object)
    found[:] = [
        text[end - size : end].decode(errors="replace")
        for end, size in zip(ends, lengths.tolist(), strict=True)
    ]
    return found
