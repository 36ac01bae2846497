"""One tensor, with its elements, as the object that `tensor --json` answers with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ortstudio.errors import StudioError
from ortstudio.format.arrays import Numbers
from ortstudio.model.bits import NUMPY_TYPES
from ortstudio.model.elements import Elements, open_elements
from ortstudio.model.statistics import Statistics, statistics
from ortstudio.model.tensor import ExternalData, Span, Storage
from ortstudio.model.types import DataType, data_type_text
from ortstudio.services.document import Document
from ortstudio.services.inspect_rows import tensor_json
from ortstudio.services.strict_json import json_array, json_float
from ortstudio.services.tensor_lookup import FoundTensor
from ortstudio.services.tensor_slice import Index, parse_slice, read_slice

SCHEMA = "ortstudio/tensor@1"
MOST_VALUES = 1_000_000
"""More elements are given only where a slice asks for them."""


@dataclass(frozen=True, eq=False)
class TensorView:
    """A tensor whose elements can be read, and the part of it that is asked for."""

    found: FoundTensor
    elements: Elements
    slice_text: str | None = None
    index: Index | None = None

    @cached_property
    def statistics(self) -> Statistics:
        """Of the whole tensor; of a sparse one, of the elements that are stored. Reads them all."""
        return statistics(self.elements)

    @cached_property
    def values(self) -> Numbers | None:
        """The part, or everything; None where that is too much to ask for unasked."""
        if self.index is not None:
            return read_slice(self.elements, self.index)
        return self.elements.array() if self.elements.count <= MOST_VALUES else None

    @property
    def widened_to(self) -> str | None:
        """The type that the elements are given as, where numpy lacks their own."""
        data_type = self.found.tensor.data_type
        if data_type == DataType.STRING or data_type in NUMPY_TYPES:
            return None
        return str(self.elements.window(0, 0).dtype)


def view_tensor(document: Document, found: FoundTensor, slice_text: str | None) -> TensorView:
    """Get at a tensor's elements. Raises StudioError where they cannot be had, or not that part."""
    try:
        elements = open_elements(document.model.source, found.tensor)
    except StudioError as error:
        raise error.at(str(document.path)) from None
    if slice_text is None:
        return TensorView(found, elements)
    return TensorView(found, elements, slice_text, parse_slice(slice_text, found.tensor.dims))


def answer(view: TensorView) -> dict[str, object]:
    """The object of the command line's contract."""
    found, values = view.found, view.values
    return {
        "schema": SCHEMA,
        "graph": found.graph,
        "name": found.name,
        "data_type": data_type_text(found.tensor.data_type),
        "dims": list(found.dims),
        "size_bytes": found.size_bytes,
        "storage": _storage(found),
        "sparse": _sparse(found),
        "statistics": _statistics(view.statistics),
        "slice": view.slice_text,
        "values": None if values is None else json_array(values),
        "values_type": view.widened_to or data_type_text(found.tensor.data_type),
        "values_omitted": _omitted(view),
    }


def _storage(found: FoundTensor) -> dict[str, object]:
    """Where the elements are."""
    data = found.tensor.data
    kind = Storage(found.tensor.storage).name.lower()
    if isinstance(data, Span):
        return {"kind": kind, "offset_bytes": data.offset}
    if isinstance(data, ExternalData):
        return {"kind": kind, "path": data.location, "offset_bytes": data.offset}
    return {"kind": kind}


def _sparse(found: FoundTensor) -> dict[str, object] | None:
    """What holds a sparse tensor: `values` are the stored elements only."""
    if found.sparse is None:
        return None
    parts = {"values": found.sparse.values, "indices": found.sparse.indices}
    return {name: tensor_json(tensor) for name, tensor in parts.items()}


def _statistics(found: Statistics) -> dict[str, object]:
    numbers = {"min": found.min, "max": found.max, "mean": found.mean, "std": found.std}
    return {
        **{name: json_float(x) if isinstance(x, float) else x for name, x in numbers.items()},
        "zeros": found.zeros,
        "nan": found.nan,
        "inf": found.inf,
    }


def _omitted(view: TensorView) -> str | None:
    """Why there are no values."""
    if view.values is not None:
        return None
    return f"{view.elements.count:,} elements; --slice gives a part of them, --npy all"
