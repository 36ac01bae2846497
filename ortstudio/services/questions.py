"""What models leave open that a user may want to decide: sizes, and the range of integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType, TensorType, ValueType
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.reading import read_model

INDICES = (DataType.INT32, DataType.INT64, DataType.UINT32, DataType.UINT64)
"""Element types of inputs that are mostly indices, whose range only the user knows."""


@dataclass(frozen=True, slots=True)
class OpenSize:
    """A size without a number, and the inputs that have it, as `ids[1]`.

    It is called by its symbol, or as the only place that has it.
    """

    name: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexInput:
    """An input of integers that may be indices, and its type in words."""

    name: str
    type_text: str


@dataclass(frozen=True, slots=True)
class Questions:
    """All that some models leave open, each name once."""

    sizes: tuple[OpenSize, ...] = ()
    indices: tuple[IndexInput, ...] = ()


def questions(paths: Sequence[Path]) -> Questions:
    """What is open in these files. Reads their structure; what cannot be read asks nothing."""
    places: dict[str, list[str]] = {}
    indices: dict[str, str] = {}
    for path in paths:
        for name, of in _input_types(path).items():
            if not isinstance(of, TensorType):
                continue
            if of.elem_type in INDICES:
                indices[name] = str(of)
            for axis, dim in enumerate(of.dims or ()):
                if not isinstance(dim, int) or dim < 0:
                    place = f"{name}[{axis}]"
                    places.setdefault(dim if isinstance(dim, str) and dim else place, []).append(
                        place
                    )
    return Questions(
        tuple(OpenSize(name, tuple(dict.fromkeys(found))) for name, found in places.items()),
        tuple(IndexInput(name, text) for name, text in indices.items()),
    )


def _input_types(path: Path) -> dict[str, ValueType]:
    try:
        model = read_model(path)
        return Inputs(model, InputSettings()).types if model.kind is FileKind.ONNX else {}
    except StudioError:
        return {}
