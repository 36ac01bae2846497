"""Weights of an ONNX model in a file beside it, which is named after what it holds.

So the name is another whenever the content is, and a model never finds the weights of another
export under the name that it knows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ortstudio.errors import StudioError
from ortstudio.model.external import external_files
from ortstudio.model.model import Model
from ortstudio.model.tensor import Span, Tensor
from ortstudio.services.reading import read_model

if TYPE_CHECKING:
    from onnx import TensorProto

LEAST_OUTSIDE = 1024
"""Tensors of fewer bytes stay in the model: runtimes look at their values to infer shapes."""
ALIGNMENT = 4096
"""A page of most systems: what begins at one can be mapped."""
DIGITS = 16
"""Of the digest, in a name."""

_UNNAMED = "weights"

Key = tuple[int, int]
"""An initializer: its graph's place in `Model.graphs`, and its row."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Where initializers are that are not in the model's own file."""

    path: Path
    spans: Mapping[Key, Span]

    def refer(self, message: TensorProto, key: Key) -> bool:
        """Say where the elements of an initializer are; False where they are in the model."""
        span = self.spans.get(key)
        if span is None:
            return False
        message.data_location = message.EXTERNAL
        for name, text in (
            ("location", self.path.name),
            ("offset", str(span.offset)),
            ("length", str(span.length)),
        ):
            message.external_data.add(key=name, value=text)
        return True


def write_outside(model: Model, target: Path) -> Outside:
    """Write the large initializers of all graphs beside `target`, one of them in memory at a time.

    Raises OSError, and FormatError where the source no longer has them.
    """
    unnamed = target.with_name(_UNNAMED)
    digest = hashlib.sha256()
    spans: dict[Key, Span] = {}
    with unnamed.open("wb") as file:
        for key, tensor, span in _large(model):
            content = model.source.payload(*span, tensor.name)
            spans[key] = _append(file, content)
            digest.update(content)
    path = target.with_name(f"{target.name}.{digest.hexdigest()[:DIGITS]}.data")
    unnamed.rename(path)
    return Outside(path, spans)


def _append(file: BinaryIO, content: bytes) -> Span:
    file.write(bytes(-file.tell() % ALIGNMENT))
    offset = file.tell()
    file.write(content)
    return Span(offset, len(content))


def _large(model: Model) -> Iterator[tuple[Key, Tensor, Span]]:
    for index, graph in enumerate(model.graphs):
        for row, tensor in enumerate(graph.initializers):
            if isinstance(tensor.data, Span) and tensor.data.length >= LEAST_OUTSIDE:
                yield (index, row), tensor, tensor.data


def outside_of(target: Path) -> tuple[Path, ...]:
    """The weights of an earlier export under this name, by what the model that is there says."""
    named = re.compile(rf"{re.escape(target.name)}\.[0-9a-f]{{{DIGITS}}}\.data")
    try:
        files = external_files(read_model(target))
    except StudioError:
        return ()
    return tuple(target.with_name(one.path) for one in files if named.fullmatch(one.path))
