"""The inputs and outputs that `.npz` files of the corpus hold, as values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Numbers
from ortstudio.model.bits import NUMPY_TYPES
from ortstudio.model.types import DataType
from ortstudio.services.exchange import MapValue, SequenceValue, TensorValue, Value

Arrays = Mapping[str, NDArray[np.generic]]


def recorded(file: Path) -> tuple[dict[str, Value], dict[str, Value]]:
    """Inputs and outputs by name."""
    with np.load(file) as arrays:
        return tuple(  # type: ignore[return-value]
            {
                str(name): _value(arrays, f"{side}{place}")
                for place, name in enumerate(arrays[f"{side}put_names"])
            }
            for side in ("in", "out")
        )


def _value(arrays: Arrays, key: str) -> Value:
    if f"{key}.len" in arrays:
        count = arrays[f"{key}.len"].item()
        return SequenceValue(tuple(_value(arrays, f"{key}.{place}") for place in range(count)))
    if f"{key}.keys" in arrays:
        return MapValue(_tensor(arrays[f"{key}.keys"]), _tensor(arrays[f"{key}.values"]))
    return _tensor(arrays[key])


def _tensor(array: Numbers) -> TensorValue:
    if array.dtype.kind == "U":
        return TensorValue(DataType.STRING, array.shape, array.astype(object))
    numbers = {dtype: number for number, dtype in NUMPY_TYPES.items()}
    return TensorValue(numbers[array.dtype], array.shape, array)
