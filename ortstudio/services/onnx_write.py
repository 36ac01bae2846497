"""Writes an ONNX model, its weights within or in a file beside it.

The initializers of the main graph go from file to file one after the other: a message that holds
them all is in memory three times while it is serialized.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.format.onnx_messages import GraphProto, ModelProto, TensorProto
from ortstudio.format.protobuf import Field
from ortstudio.format.source import Source
from ortstudio.model.graph import OpsetImport
from ortstudio.model.model import Model
from ortstudio.model.tensor import Span, Tensor
from ortstudio.services.onnx_message import onnx_message, tensor_message
from ortstudio.services.onnx_outside import Outside, write_outside

MOST_BYTES = (1 << 31) - 1
"""What protobuf reads."""


def write_onnx(
    model: Model, imports: Sequence[OpsetImport], path: Path, *, outside: bool = False
) -> tuple[Path, ...]:
    """Write the model to `path`, with `outside` its large initializers to a file beside it.

    Gives the files. One initializer at a time is in memory. Raises OSError, what `onnx_message`
    raises, and RefusedError where the file would be too large to be read.
    """
    beside = write_outside(model, path) if outside else None
    with path.open("wb") as file:
        file.writelines(onnx_chunks(model, imports, beside))
    return (path,) if beside is None else (path, beside.path)


def onnx_chunks(
    model: Model, imports: Sequence[OpsetImport], outside: Outside | None = None
) -> Iterator[bytes]:
    """The model's file in pieces. Raises before the first of them, but for changes of the source.

    A message is its fields in any order, each behind its number and its length.
    """
    message = onnx_message(model, imports, outside)
    graph = message.graph.SerializeToString(deterministic=True)
    message.ClearField("graph")
    rest = message.SerializeToString(deterministic=True)
    constants = [
        _Constant.of(model.source, tensor, row, outside)
        for row, tensor in enumerate(model.main.initializers)
    ]
    graph_bytes = len(graph) + sum(constant.size for constant in constants)
    head = field_head(ModelProto.GRAPH, graph_bytes)
    if len(rest) + len(head) + graph_bytes > MOST_BYTES:
        raise RefusedError(
            "The model would pass the 2 GiB that an ONNX file can have",
            where=Where(model.source.path),
        )
    yield rest + head + graph
    for constant in constants:
        yield constant.head
        if constant.span is not None:
            yield model.source.payload(*constant.span)


@dataclass(frozen=True, slots=True)
class _Constant:
    """An initializer in the file: what stands there before its bytes, and where they are now."""

    head: bytes
    span: Span | None

    @property
    def size(self) -> int:
        return len(self.head) + (self.span.length if self.span else 0)

    @staticmethod
    def of(source: Source, tensor: Tensor, row: int, outside: Outside | None) -> _Constant:
        message, span = tensor_message(source, tensor)
        if outside is not None and outside.refer(message, (0, row)):
            span = None
        fields = message.SerializeToString(deterministic=True)
        if span is not None:
            fields += field_head(TensorProto.RAW_DATA, span.length)
        length = len(fields) + (span.length if span else 0)
        return _Constant(field_head(GraphProto.INITIALIZER, length) + fields, span)


def field_head(field: Field, length: int) -> bytes:
    """What stands before a field of so many bytes: its number, its kind, its length."""
    return _varint(field.key) + _varint(length)


def _varint(number: int) -> bytes:
    """Seven bits to a byte, the lowest first; all but the last have the highest bit set."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
