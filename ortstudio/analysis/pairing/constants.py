"""All constants of a graph, however it keeps them, and what each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from ortstudio.analysis.pairing.contents import Content, Contents, digest
from ortstudio.analysis.pairing.rows import Named
from ortstudio.model.elements import Elements
from ortstudio.model.graph import AttributeValue, Graph, GraphRef
from ortstudio.model.tensor import ExternalData, SparseTensor, Tensor
from ortstudio.model.types import DataType, element_count

INITIALIZER, SPARSE, NODE = "an initializer", "a sparse initializer", "a Constant node"


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A constant: an initializer's row, a sparse one's place, or the row of a `Constant` node.

    `holder` says which, in words.
    """

    graph: Graph
    named: Named
    holder: str
    row: int

    @property
    def name(self) -> str:
        """The name that its users know."""
        return self.named.name

    @property
    def value(self) -> AttributeValue | GraphRef | tuple[GraphRef, ...]:
        """The tensor, or what else the node's one attribute holds. No I/O."""
        if self.holder == INITIALIZER:
            return self.graph.initializers[self.row]
        if self.holder == SPARSE:
            return self.graph.sparse_initializers[self.row]
        held = self.graph.nodes.attribute_values(self.row)
        return next(iter(held.values()), None)

    @property
    def size_bytes(self) -> int:
        """Bytes of the elements; of a sparse one, those of values and indices."""
        if self.holder == INITIALIZER:
            return self.graph.initializers.sizes[self.row]
        value = self.value
        if isinstance(value, SparseTensor):
            return value.values.size_bytes + value.indices.size_bytes
        return value.size_bytes if isinstance(value, Tensor) else 0

    @property
    def declared(self) -> tuple[int, tuple[int, ...]] | None:
        """Type and shape, where a tensor says them. No I/O."""
        value = self.value
        if isinstance(value, SparseTensor):
            return value.values.data_type, value.dims
        return (value.data_type, value.dims) if isinstance(value, Tensor) else None

    def content(self, contents: Contents) -> Content | None:
        """What it is but for its name, the same for every way to hold it."""
        if self.holder == INITIALIZER:
            return contents.key(self.graph, self.row)
        return constant_content(self.graph, self.value, contents)

    def elements(self, contents: Contents) -> Elements | None:
        """The elements of a dense one."""
        value = self.value
        return contents.elements(self.graph, value) if isinstance(value, Tensor) else None

    def is_readable(self, contents: Contents) -> bool:
        """Whether the elements are there."""
        if isinstance(self.value, Tensor):
            return self.elements(contents) is not None
        return self.content(contents) is not None


def constants(graph: Graph) -> Iterator[Constant]:
    """Every constant of a graph, in the order of the file, those of `Constant` nodes last."""
    path = graph.path
    for row, name in enumerate(graph.initializers.names):
        yield Constant(graph, Named(path, name), INITIALIZER, row)
    for row, sparse in enumerate(graph.sparse_initializers):
        yield Constant(graph, Named(path, sparse.values.name), SPARSE, row)
    nodes = graph.nodes
    for row, op in enumerate(nodes.op_types):
        if op == "Constant" and nodes.domains[row] in ("", "ai.onnx"):
            outputs = nodes.outputs.row(row).tolist()
            if outputs and outputs[0] >= 0:
                yield Constant(graph, Named(path, graph.values.names[outputs[0]]), NODE, row)


def is_same_record(a: Constant, b: Constant, file_a: str, file_b: str) -> bool:
    """Whether the two are one, whatever it holds. The files are those of the models."""
    ours, theirs = a.value, b.value
    if not isinstance(ours, Tensor) or not isinstance(theirs, Tensor):
        return False
    if isinstance(ours.data, ExternalData):
        return ours.data == theirs.data and PurePath(file_a).parent == PurePath(file_b).parent
    return file_a == file_b and ours.offset == theirs.offset


def constant_content(
    graph: Graph, value: AttributeValue | GraphRef | tuple[GraphRef, ...], contents: Contents
) -> Content | None:
    """What a constant is that an attribute holds, by the key that an initializer would have."""
    if isinstance(value, Tensor):
        return contents.tensor_key(graph, value)
    if isinstance(value, SparseTensor):
        return _sparse(graph, value, contents)
    numbers = value if isinstance(value, tuple) else (value,)
    dims = (len(numbers),) if isinstance(value, tuple) else ()
    return _plain(numbers, dims)


def _plain(numbers: tuple[object, ...], dims: tuple[int, ...]) -> Content | None:
    """Of `value_float`, `value_ints`, `value_string` and their sisters; not of an empty list."""
    if not numbers:
        return None
    if all(isinstance(x, bytes) for x in numbers):
        texts = (x for x in numbers if isinstance(x, bytes))
        parts = (len(x).to_bytes(8, "little") + x for x in texts)
        return Content(DataType.STRING, dims, digest(parts))
    if all(isinstance(x, int) for x in numbers):
        return Content(DataType.INT64, dims, digest((np.array(numbers, "<i8").tobytes(),)))
    if all(isinstance(x, float) for x in numbers):
        return Content(DataType.FLOAT, dims, digest((np.array(numbers, "<f4").tobytes(),)))
    return None


def _sparse(graph: Graph, sparse: SparseTensor, contents: Contents) -> Content | None:
    """Of values and places: writers differ in the type and the form of indices."""
    values = contents.tensor_key(graph, sparse.values)
    indices = contents.elements(graph, sparse.indices)
    if values is None or indices is None or not 0 <= element_count(sparse.dims) < 1 << 63:
        return None
    places = indices.array().astype(np.int64)
    if places.ndim == 2:
        steps = [element_count(sparse.dims[i + 1 :]) for i in range(len(sparse.dims))]
        if places.shape[1] != len(steps):
            return None
        places = places @ np.array(steps, np.int64)
    parts = (values.digest, places.astype("<i8").tobytes())
    return Content(sparse.values.data_type, sparse.dims, digest(parts))
