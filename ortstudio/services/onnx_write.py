"""Writes an ONNX model, its weights within or in a file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model
from ortstudio.services.onnx_message import Place, in_message, onnx_message

if TYPE_CHECKING:
    from onnx import TensorProto

LEAST_OUTSIDE = 1024
"""Tensors of fewer bytes stay in the model: runtimes look at their values to infer shapes."""
ALIGNMENT = 4096
"""A page of most systems: what begins at one can be mapped."""


def write_onnx(
    model: Model, imports: Sequence[OpsetImport], path: Path, weights: Path | None = None
) -> None:
    """Write the model to `path`, and what `onnx_message` puts elsewhere to `weights`.

    Each weight is in memory twice at most. Raises OSError, and what `onnx_message` raises.
    """
    if weights is None:
        _write_message(model, imports, path, in_message)
        return
    with weights.open("wb") as file:
        _write_message(model, imports, path, _Outside(file, weights.name).place)


def _write_message(model: Model, imports: Sequence[OpsetImport], path: Path, place: Place) -> None:
    message = onnx_message(model, imports, place)
    path.write_bytes(message.SerializeToString(deterministic=True))


class _Outside:
    """Puts initializers into a file, one after the other."""

    def __init__(self, file: BinaryIO, location: str) -> None:
        self._file = file
        self._location = location

    def place(self, message: TensorProto, content: bytes) -> None:
        if len(content) < LEAST_OUTSIDE:
            in_message(message, content)
            return
        self._file.write(bytes(-self._file.tell() % ALIGNMENT))
        message.data_location = message.EXTERNAL
        for key, text in (
            ("location", self._location),
            ("offset", str(self._file.tell())),
            ("length", str(len(content))),
        ):
            message.external_data.add(key=key, value=text)
        self._file.write(content)
