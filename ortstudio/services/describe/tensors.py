"""Facts about constants. Their elements are read elsewhere, when asked for."""

from __future__ import annotations

from ortstudio.model.refs import Ref, RefKind
from ortstudio.model.tensor import ExternalData, Span, Storage, Tensor
from ortstudio.model.types import data_type_text
from ortstudio.services.describe.facts import Fact, Section, exact_size, place, sections
from ortstudio.services.document import Document

_STORAGE = {
    Storage.NONE: "nowhere: the file leaves the data out",
    Storage.RAW: "raw bytes",
    Storage.TYPED: "a typed field",
    Storage.STRINGS: "strings",
    Storage.EXTERNAL: "another file",
}


def describe_initializer(document: Document, ref: Ref) -> tuple[Section, ...]:
    """A dense initializer."""
    graph = document.graphs[ref.graph]
    tensor = graph.initializers[ref.row]
    value = graph.values.ids.get(tensor.name)
    used = (
        () if value is None else (Fact("As a value", tensor.name, _value(ref, value), mono=True),)
    )
    return sections(
        Section("Initializer", (*_tensor_facts(tensor), *used)),
        Section("Description", text=tensor.doc_string),
    )


def _value(ref: Ref, value: int) -> Ref:
    return Ref(RefKind.VALUE, ref.graph, value)


def describe_sparse_initializer(document: Document, ref: Ref) -> tuple[Section, ...]:
    """A sparse initializer: what it stands for, and the two tensors that hold it."""
    sparse = document.graphs[ref.graph].sparse_initializers[ref.row]
    whole = (
        Fact("Name", sparse.values.name, mono=True),
        Fact("Type", data_type_text(sparse.values.data_type), mono=True),
        Fact("Shape", str(list(sparse.dims)), mono=True),
    )
    return sections(
        Section("Sparse initializer", whole),
        Section("Values", _tensor_facts(sparse.values)),
        Section("Indices", _tensor_facts(sparse.indices)),
    )


def _tensor_facts(tensor: Tensor) -> tuple[Fact, ...]:
    """Type, shape, size and place of a constant."""
    facts = [
        Fact("Name", tensor.name, mono=True) if tensor.name else None,
        Fact("Type", data_type_text(tensor.data_type), mono=True),
        Fact("Shape", str(list(tensor.dims)), mono=True),
        Fact("Size", exact_size(tensor.size_bytes)),
        Fact("Kept as", _STORAGE[tensor.storage]),
        place(tensor.offset),
    ]
    if isinstance(tensor.data, Span):
        offset = tensor.data.offset
        facts.append(Fact("Data at", f"byte {offset:,} (0x{offset:x})", mono=True))
    if isinstance(tensor.data, ExternalData):
        facts.append(Fact("File", tensor.data.location, mono=True))
        facts.append(Fact("Data at", f"byte {tensor.data.offset:,} of that file", mono=True))
    return tuple(fact for fact in facts if fact is not None)
