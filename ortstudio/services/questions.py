"""What models leave open that a user may want to decide: sizes, and the range of integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.model.types import DataType, TensorType, ValueType
from ortstudio.services.inputs import Inputs, InputSettings, open_size
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
    """What all of some models leave open, each name once."""

    sizes: tuple[OpenSize, ...] = ()
    indices: tuple[IndexInput, ...] = ()


def questions(paths: Sequence[Path]) -> Questions:
    """What is open in each of these files. Reads their structure; what cannot be read is left out.

    What only some of them leave open is not asked: an answer would not fit the others.
    """
    asked = [_asked(types) for path in paths if (types := _input_types(path)) is not None]
    if not asked:
        return Questions()
    first, *others = asked
    sizes, indices = first
    for other_sizes, other_indices in others:
        sizes = {
            name: (*places, *other_sizes[name])
            for name, places in sizes.items()
            if name in other_sizes
        }
        indices = {name: text for name, text in indices.items() if name in other_indices}
    return Questions(
        tuple(OpenSize(name, tuple(dict.fromkeys(places))) for name, places in sizes.items()),
        tuple(IndexInput(name, text) for name, text in indices.items()),
    )


def _asked(types: Mapping[str, ValueType]) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """The places of each open size of one model, and its inputs of indices."""
    sizes: dict[str, tuple[str, ...]] = {}
    indices: dict[str, str] = {}
    for name, of in types.items():
        if not isinstance(of, TensorType):
            continue
        if of.elem_type in INDICES:
            indices[name] = str(of)
        for axis, dim in enumerate(of.dims or ()):
            if not isinstance(dim, int) or dim < 0:
                size = open_size(name, axis, dim)
                sizes[size] = (*sizes.get(size, ()), f"{name}[{axis}]")
    return sizes, indices


def _input_types(path: Path) -> dict[str, ValueType] | None:
    """By name; None for what is no sound model of ONNX."""
    try:
        model = read_model(path)
        return Inputs(model, InputSettings()).types if model.kind is FileKind.ONNX else None
    except StudioError:
        return None
