"""Which element types the newest release known, 1.32, takes as constants."""

from __future__ import annotations

import numpy as np

from ortstudio.format.arrays import Ints
from ortstudio.model.types import DataType

COMPLEX = (DataType.COMPLEX64, DataType.COMPLEX128)
LOADED = tuple(kind for kind in DataType if 1 <= kind <= 20 and kind not in COMPLEX)
"""Since 1.28 the loader refuses every constant of another type in an `.ort`, whoever wrote it."""

BEYOND_SCHEMA = tuple(kind for kind in DataType if kind > 20)
"""ONNX types that the ORT schema has no number for; writers since 1.19 store them all the same."""

_LOADED = np.array(LOADED, np.int64)


def refused(data_types: Ints) -> Ints:
    """The rows whose type 1.32 refuses in an `.ort`."""
    return np.nonzero(~np.isin(data_types, _LOADED))[0]
