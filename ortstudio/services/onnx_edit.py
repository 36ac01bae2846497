"""Edits an ONNX model: all but the elements of its initializers goes through the `onnx` package.

These are copied from file to file, so that a model of any size is edited in little memory; external
data are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ortstudio.errors import FormatError, RefusedError, Where
from ortstudio.format.arrays import Ints
from ortstudio.format.onnx_messages import GraphProto, ModelProto, TensorProto
from ortstudio.format.protobuf import Messages
from ortstudio.format.protowire import Mask
from ortstudio.format.source import Source
from ortstudio.format.walk import Walk
from ortstudio.model.tensor import Span
from ortstudio.services.edit_changes import Changes
from ortstudio.services.onnx_rename import rename_values
from ortstudio.services.onnx_write import MOST_BYTES, field_head

if TYPE_CHECKING:
    import onnx
    from google.protobuf.message import Message

CHUNK_BYTES = 1 << 24
_ELEMENTS = (
    TensorProto.FLOAT_DATA,
    TensorProto.INT32_DATA,
    TensorProto.STRING_DATA,
    TensorProto.INT64_DATA,
    TensorProto.RAW_DATA,
    TensorProto.DOUBLE_DATA,
    TensorProto.UINT64_DATA,
)


def edit_onnx(source: Source, target: Path, changes: Changes) -> None:
    """Write an ONNX model to `target`, changed. Loads the `onnx` package.

    Raises FormatError where the source is damaged, RefusedError where a change is not possible or
    the result would pass the 2 GiB of a protobuf message, OSError where it cannot be written.
    """
    chunks = _Edited(source, changes).chunks()
    with target.open("wb") as file:
        file.writelines(chunks)


@dataclass(frozen=True, slots=True)
class _Initializer:
    """An initializer in the file: what stands there before its elements, and where they are."""

    head: bytes
    elements: Sequence[Span]

    @property
    def size(self) -> int:
        return len(self.head) + sum(span.length for span in self.elements)


class _Edited:
    """One model, changed."""

    def __init__(self, source: Source, changes: Changes) -> None:
        self._source = source
        self._changes = changes
        walk = Walk(source)
        self._model = Messages.whole(walk, "ModelProto").scan()
        self._graph = self._model.inside(ModelProto.GRAPH).scan()
        self._tensors = self._graph.children(GraphProto.INITIALIZER).scan()
        if walk.error is not None:
            raise walk.error

    def chunks(self) -> Iterator[bytes]:
        """The file in pieces. Raises before the first of them, but for changes of the source."""
        message = self._structure()
        change(message, self._changes)
        graph = message.graph.SerializeToString(deterministic=True)
        message.ClearField("graph")
        rest = message.SerializeToString(deterministic=True)
        initializers = list(self._initializers())
        size = len(graph) + sum(one.size for one in initializers)
        head = rest + field_head(ModelProto.GRAPH, size) + graph
        if len(head) - len(graph) + size > MOST_BYTES:
            raise RefusedError(
                "The result would pass the 2 GiB that an ONNX file can have",
                where=Where(self._source.path),
            )
        return self._pieces(head, initializers)

    def _pieces(self, head: bytes, initializers: Sequence[_Initializer]) -> Iterator[bytes]:
        yield head
        for one in initializers:
            yield one.head
            for span in one.elements:
                for start in range(span.offset, span.offset + span.length, CHUNK_BYTES):
                    length = min(CHUNK_BYTES, span.offset + span.length - start)
                    yield self._source.payload(start, length)

    def _structure(self) -> onnx.ModelProto:
        """The model without its initializers."""
        from onnx import ModelProto as Message

        fields, graph = self._model, self._graph
        message = Message()
        kept = ~fields.having([ModelProto.GRAPH.key])
        self._parse(message, _runs(fields.ats, fields.ends, kept))
        kept = ~graph.having([GraphProto.INITIALIZER.key])
        self._parse(message.graph, _runs(graph.ats, graph.ends, kept))
        return message

    def _initializers(self) -> Iterator[_Initializer]:
        from onnx import TensorProto as Message

        fields, names = self._tensors, self._changes.renamed
        numbers = [element.number for element in _ELEMENTS]
        is_element = np.isin(fields.keys >> 3, numbers)
        ends = np.searchsorted(fields.rows, np.arange(fields.messages.count + 1))
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            at, end = fields.ats[first:last], fields.ends[first:last]
            message = Message()
            self._parse(message, _runs(at, end, ~is_element[first:last]))
            message.name = names.get(message.name, message.name)
            if self._changes.strip_doc_strings:
                message.ClearField("doc_string")
            content = message.SerializeToString(deterministic=True)
            elements = _runs(at, end, is_element[first:last])
            length = len(content) + sum(span.length for span in elements)
            yield _Initializer(field_head(GraphProto.INITIALIZER, length) + content, elements)

    def _parse(self, message: Message, spans: Sequence[Span]) -> None:
        from google.protobuf.message import DecodeError

        try:
            message.MergeFromString(b"".join(self._source.payload(*span) for span in spans))
        except DecodeError as error:
            raise FormatError(
                f"The model is damaged: {error}", where=Where(self._source.path)
            ) from None


def _runs(begins: Ints, ends: Ints, kept: Mask) -> list[Span]:
    """The bytes of some of the fields that follow each other, neighbours in one piece."""
    begins, ends = begins[kept], ends[kept]
    first = np.ones(len(begins), np.bool_)
    first[1:] = begins[1:] != ends[:-1]
    starts = begins[first]
    last = np.ones(len(ends), np.bool_)
    last[:-1] = first[1:]
    lengths = ends[last] - starts
    return [Span(*span) for span in zip(starts.tolist(), lengths.tolist(), strict=True)]


def change(model: onnx.ModelProto, changes: Changes) -> None:
    """Make the changes in a model; what it does not hold of itself is left alone."""
    rename_values(model, changes.renamed)
    anywhere = changes.strip_doc_strings or changes.strip_names or changes.sizes
    for message in _all(model) if anywhere else ():
        if changes.strip_doc_strings and "doc_string" in message.DESCRIPTOR.fields_by_name:
            message.ClearField("doc_string")
        if changes.strip_names and message.DESCRIPTOR.name == "NodeProto":
            message.ClearField("name")
        if message.DESCRIPTOR.name == "Dimension" and message.dim_param in changes.sizes:
            message.dim_value = changes.sizes[message.dim_param]
    for name, text in changes.texts.items():
        _set(model, name, text)
    if changes.graph_doc_string is not None:
        _set(model.graph, "doc_string", changes.graph_doc_string)
    if changes.model_version is not None:
        model.model_version = changes.model_version
    _set_metadata(model, changes)


def _set(message: Message, name: str, text: str) -> None:
    if text:
        setattr(message, name, text)
    else:
        message.ClearField(name)


def _set_metadata(model: onnx.ModelProto, changes: Changes) -> None:
    gone = {*changes.removed_metadata, *changes.metadata}
    for i in reversed(range(len(model.metadata_props))):
        if model.metadata_props[i].key in gone:
            del model.metadata_props[i]
    for key, text in changes.metadata.items():
        model.metadata_props.add(key=key, value=text)


def _all(message: Message) -> Iterator[Message]:
    """A message and all inside it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            # A single one is a message itself, several are a container of them.
            for inner in (value,) if hasattr(value, "ListFields") else value:
                yield from _all(inner)
