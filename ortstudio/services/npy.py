"""Writes arrays into `.npy` files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ortstudio.format.arrays import Numbers
from ortstudio.services.whole_file import write_whole


def write_npy(path: Path, array: Numbers, *, overwrite: bool = False) -> None:
    """Write an array. Strings get a fixed width, so that nothing needs to be unpickled.

    Raises RefusedError where the file exists or cannot be written.
    """
    plain = array.astype(np.str_) if array.dtype.kind == "O" else array
    write_whole(path, lambda file: np.save(file, plain, allow_pickle=False), overwrite=overwrite)
