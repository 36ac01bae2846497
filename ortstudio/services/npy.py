"""Writes arrays into `.npy` files, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

import numpy as np

from ortstudio.errors import RefusedError, Where
from ortstudio.format.arrays import Numbers
from ortstudio.jobs import platform


def write_npy(path: Path, array: Numbers, *, overwrite: bool = False) -> None:
    """Write an array. Strings get a fixed width, so that nothing needs to be unpickled.

    Raises RefusedError where the file exists or cannot be written.
    """
    if not overwrite and os.path.lexists(path):
        raise _exists(path)
    plain = array.astype(np.str_) if array.dtype.kind == "O" else array
    temporary = path.parent / f".ortstudio-{secrets.token_hex(8)}.part"
    try:
        with temporary.open("xb") as file:
            np.save(file, plain, allow_pickle=False)
        platform.publish(temporary, path, overwrite=overwrite)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise RefusedError(
            f"The array cannot be written: {reason}", where=Where(str(path))
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _exists(path: Path) -> RefusedError:
    return RefusedError(
        "The file exists already", where=Where(str(path)), hint="Replace it with --overwrite."
    )
