"""What a model is, whichever file it came from.

Both readers (`model.ort`, `model.onnx`) fill the same columns: one list or array for each fact
about all nodes, all values, all tensors of a graph. A column is what the picture, the pairing and
the counts want, and what a reader can produce fast; single nodes and tensors are made from it on
demand. What only one format has stands beside this, in `Model.ort` and `Model.onnx`.

Everything here is read-only. Tensor payloads are not held: a `Tensor` says where its bytes are and
`model.tensor` reads them when asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from ortstudio.format.arrays import Ints, Ragged
from ortstudio.model.types import AttributeType, ValueType, bit_width, packed_size

MAIN_PATH = "/"


class Storage(IntEnum):
    """Where and how a tensor's elements are kept."""

    NONE = 0
    """Nowhere: the file leaves the data out."""
    RAW = 1
    """One run of bytes in the file, little-endian, sub-byte types packed."""
    TYPED = 2
    """ONNX `float_data` and its sisters: protobuf encoded."""
    STRINGS = 3
    """Strings, one after the other, each with a length."""
    EXTERNAL = 4
    """In another file."""


class Span(NamedTuple):
    """A run of bytes in the model's file."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class TypedData:
    """ONNX data kept in a typed field: number, and the runs of bytes that hold it.

    `packed` tells for each run whether it is a packed field or one single element.
    """

    field_number: int
    spans: tuple[Span, ...]
    packed: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class StringData:
    """The bytes of each string, in order."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ExternalData:
    """ONNX external data: `length` is None where the file does not say (then: all of the rest)."""

    location: str
    offset: int
    length: int | None
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One constant. `offset` is where its table (.ort) or message (.onnx) begins in the file."""

    name: str
    data_type: int
    dims: tuple[int, ...]
    storage: Storage
    data: Span | TypedData | StringData | ExternalData | None
    offset: int
    doc_string: str = ""

    @property
    def size_bytes(self) -> int:
        """Bytes of the elements as they would be packed; for strings, of their UTF-8 text.

        No I/O.
        """
        if isinstance(self.data, StringData):
            return sum(span.length for span in self.data.spans)
        size = packed_size(self.data_type, self.dims)
        if size is not None and size >= 0:
            return size
        return self.data.length if isinstance(self.data, Span) else 0


@dataclass(frozen=True, slots=True)
class SparseTensor:
    """A sparse constant; its name is that of `values`. Indices are linear or one row each."""

    values: Tensor
    indices: Tensor
    dims: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tensors(Sequence[Tensor]):
    """All initializers of a graph as columns; indexing makes one `Tensor`.

    `data_offsets` and `data_lengths` say where raw bytes are (0 and 0 for every other storage,
    which stands in `elsewhere` by row).
    """

    names: list[str]
    data_types: Ints
    dims: Ragged
    storages: Ints
    data_offsets: Ints
    data_lengths: Ints
    offsets: Ints
    elsewhere: Mapping[int, TypedData | StringData | ExternalData] = field(default_factory=dict)
    doc_strings: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, i: int) -> Tensor: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Tensor]: ...
    def __getitem__(self, i: int | slice) -> Tensor | Sequence[Tensor]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        storage = Storage(int(self.storages[i]))
        data: Span | TypedData | StringData | ExternalData | None = self.elsewhere.get(i)
        if storage is Storage.RAW:
            data = Span(int(self.data_offsets[i]), int(self.data_lengths[i]))
        return Tensor(
            name=self.names[i],
            data_type=int(self.data_types[i]),
            dims=tuple(self.dims.row(i).tolist()),
            storage=storage,
            data=data,
            offset=int(self.offsets[i]),
            doc_string=self.doc_strings.get(i, ""),
        )

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each name; the first where a name repeats."""
        found: dict[str, int] = {}
        for i, name in enumerate(self.names):
            found.setdefault(name, i)
        return found

    @cached_property
    def element_counts(self) -> list[int]:
        """Elements of each tensor, as exact Python integers."""
        return [_product(dims) for dims in self.dims.lists()]

    @cached_property
    def sizes(self) -> list[int]:
        """`Tensor.size_bytes` of each row, without making the tensors."""
        sizes = []
        for i, (data_type, count) in enumerate(
            zip(self.data_types.tolist(), self.element_counts, strict=True)
        ):
            bits = bit_width(data_type)
            sizes.append(
                self[i].size_bytes if bits is None or count < 0 else (count * bits + 7) // 8
            )
        return sizes

    @staticmethod
    def none() -> Tensors:
        """No tensors."""
        zero = np.zeros(0, np.int64)
        return Tensors([], zero, Ragged.empty(0), zero, zero, zero, zero)


def _product(dims: list[int]) -> int:
    count = 1
    for dim in dims:
        count *= dim
    return count


@dataclass(frozen=True, eq=False)
class Values:
    """Every value that a graph declares or uses; a value's id is its row here."""

    names: list[str]
    types: list[ValueType | None]
    doc_strings: Mapping[int, str] = field(default_factory=dict)
    denotations: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each name."""
        return {name: i for i, name in enumerate(self.names)}


AttributeValue = (
    float
    | int
    | bytes
    | Tensor
    | SparseTensor
    | ValueType
    | tuple[float, ...]
    | tuple[int, ...]
    | tuple[bytes, ...]
    | tuple[Tensor, ...]
    | tuple[SparseTensor, ...]
    | tuple[ValueType | None, ...]
    | None
)


@dataclass(frozen=True, slots=True)
class GraphRef:
    """The value of a GRAPH attribute: `Model.graphs[index]`."""

    index: int


@dataclass(frozen=True, eq=False)
class Attributes:
    """All attributes of all nodes of a graph, as columns; `Nodes.attributes` says whose they are.

    Number attributes stand in `floats_column` and `ints_column` (a single FLOAT or INT is a row of
    one), everything else by row in `others`. A GRAPH attribute is a `GraphRef`, a GRAPHS attribute
    a tuple of them.
    """

    names: list[str]
    types: Ints
    offsets: Ints
    floats_column: Ragged
    ints_column: Ragged
    others: Mapping[int, AttributeValue | GraphRef | tuple[GraphRef, ...]]
    doc_strings: Mapping[int, str] = field(default_factory=dict)
    references: Mapping[int, str] = field(default_factory=dict)
    """Inside a function's body: the name of the function attribute that this one stands for."""

    def __len__(self) -> int:
        return len(self.names)

    def value(self, row: int) -> AttributeValue | GraphRef | tuple[GraphRef, ...]:
        """The attribute's value; strings are bytes, since ONNX does not promise text."""
        kind = int(self.types[row])
        if kind == AttributeType.FLOAT:
            found = self.floats_column.row(row)
            return float(found[0]) if len(found) else 0.0
        if kind == AttributeType.INT:
            found = self.ints_column.row(row)
            return int(found[0]) if len(found) else 0
        if kind == AttributeType.FLOATS:
            return tuple(self.floats_column.row(row).tolist())
        if kind == AttributeType.INTS:
            return tuple(self.ints_column.row(row).tolist())
        return self.others.get(row)

    @staticmethod
    def none() -> Attributes:
        """No attributes."""
        zero = np.zeros(0, np.int64)
        return Attributes([], zero, zero, Ragged.empty(0), Ragged.empty(0), {})


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes of a graph as columns, in the order of the file.

    `indices` holds `Node.index` of an `.ort` and the position in an `.onnx`: with the graph's path
    it names the node. Inputs and outputs are value ids, -1 where an optional one is left out.
    `since_versions` is 0 where neither the file nor our data on operators says.
    """

    names: list[str]
    op_types: list[str]
    domains: list[str]
    since_versions: Ints
    indices: Ints
    offsets: Ints
    inputs: Ragged
    outputs: Ragged
    implicit_inputs: Ragged
    attribute_rows: Ragged
    attributes: Attributes
    doc_strings: Mapping[int, str] = field(default_factory=dict)
    metadata: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    overloads: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def ops(self) -> list[str]:
        """`Conv`, or `com.microsoft.FusedConv` outside the ONNX domain, for each node."""
        made: dict[tuple[str, str], str] = {}
        texts = []
        for pair in zip(self.domains, self.op_types, strict=True):
            text = made.get(pair)
            if text is None:
                text = made[pair] = op_text(*pair)
            texts.append(text)
        return texts

    @cached_property
    def rows_by_index(self) -> dict[int, int]:
        """The row of each `Node.index`; the first where an index repeats."""
        found: dict[int, int] = {}
        for row, index in enumerate(self.indices.tolist()):
            found.setdefault(index, row)
        return found

    @cached_property
    def rows_by_name(self) -> dict[str, int]:
        """The row of each name that is not empty; the first where one repeats."""
        found: dict[str, int] = {}
        for row, name in enumerate(self.names):
            if name:
                found.setdefault(name, row)
        return found

    @staticmethod
    def none() -> Nodes:
        """No nodes."""
        zero, no_rows = np.zeros(0, np.int64), Ragged.empty(0)
        return Nodes(
            names=[],
            op_types=[],
            domains=[],
            since_versions=zero,
            indices=zero,
            offsets=zero,
            inputs=no_rows,
            outputs=no_rows,
            implicit_inputs=no_rows,
            attribute_rows=no_rows,
            attributes=Attributes.none(),
        )

    def attribute_values(
        self, row: int
    ) -> dict[str, AttributeValue | GraphRef | tuple[GraphRef, ...]]:
        """Name → value for one node."""
        at = self.attributes
        return {at.names[k]: at.value(k) for k in self.attribute_rows.row(row).tolist()}


def op_text(domain: str, op_type: str) -> str:
    """`Conv`, or `com.microsoft.FusedConv` outside the ONNX domain."""
    return op_type if domain in ("", "ai.onnx") else f"{domain}.{op_type}"


def op_id(domain: str, op_type: str, since_version: int) -> str:
    """`domain:op_type:since_version`, as kernel type resolvers and saved optimizations write it."""
    return f"{'' if domain == 'ai.onnx' else domain}:{op_type}:{since_version}"


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a subgraph hangs: a graph's index in `Model.graphs`, a node's row, an attribute."""

    graph: int
    node: int
    attribute: str


@dataclass(frozen=True, eq=False)
class Graph:
    """One graph, or the body of one model-local function."""

    path: str
    name: str
    doc_string: str
    offset: int
    parent: Parent | None
    values: Values
    inputs: Ints
    outputs: Ints
    nodes: Nodes
    initializers: Tensors
    sparse_initializers: tuple[SparseTensor, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def producers(self) -> Ints:
        """For each value id the row of the node that makes it, -1 where none in this graph does."""
        made = np.full(len(self.values), -1, np.int64)
        ids, owners = self.nodes.outputs.flat, self.nodes.outputs.owners
        keep = ids >= 0
        # Written backwards, so that the first producer wins where a damaged file names two.
        made[ids[keep][::-1]] = owners[keep][::-1]
        return made

    @cached_property
    def consumers(self) -> Ragged:
        """For each value id the rows of the nodes that read it, implicit inputs included."""
        nodes = self.nodes
        ids = np.concatenate([nodes.inputs.flat, nodes.implicit_inputs.flat])
        owners = np.concatenate([nodes.inputs.owners, nodes.implicit_inputs.owners])
        keep = ids >= 0
        ids, owners = ids[keep], owners[keep]
        order = np.lexsort((owners, ids))
        ids, owners = ids[order], owners[order]
        if len(ids):
            first = np.ones(len(ids), bool)
            first[1:] = (ids[1:] != ids[:-1]) | (owners[1:] != owners[:-1])
            ids, owners = ids[first], owners[first]
        ptr = np.searchsorted(ids, np.arange(len(self.values) + 1))
        return Ragged(ptr.astype(np.int64), owners)

    def value_names(self, ids: Sequence[int]) -> list[str]:
        """Names of value ids; an omitted one is the empty string."""
        names = self.values.names
        return [names[i] if i >= 0 else "" for i in ids]


@dataclass(frozen=True, slots=True)
class OpsetImport:
    """One imported operator set. The ONNX domain is the empty string."""

    domain: str
    version: int


@dataclass(frozen=True, eq=False)
class Function:
    """A model-local function (ONNX only).

    `graphs` is what a `GraphRef` or a `Parent` inside the function counts in. `attribute_defaults`
    holds the attributes that have a default value, `attributes` the names of those that have none.
    """

    domain: str
    name: str
    overload: str
    doc_string: str
    attributes: tuple[str, ...]
    opset_imports: tuple[OpsetImport, ...]
    graphs: tuple[Graph, ...]
    attribute_defaults: Mapping[str, AttributeValue | GraphRef | tuple[GraphRef, ...]] = field(
        default_factory=dict
    )

    @property
    def body(self) -> Graph:
        """The function's own graph; subgraphs at any depth follow it in `graphs`."""
        return self.graphs[0]


def escape_path_part(name: str) -> str:
    """A node's name inside a graph path: `~` → `~0`, `/` → `~1`."""
    return name.replace("~", "~0").replace("/", "~1")


def subgraph_path(
    parent: str, node_name: str, index: int, unique: bool, attribute: str, position: int | None
) -> str:
    """The path of a subgraph; `position` is its place in a GRAPHS attribute, None for GRAPH."""
    node = escape_path_part(node_name) if node_name and unique else f"#{index}"
    path = f"{'' if parent == MAIN_PATH else parent}/{node}/{escape_path_part(attribute)}"
    return path if position is None else f"{path}/{position}"


def walk_nodes(graphs: Sequence[Graph]) -> Iterator[tuple[Graph, int]]:
    """Every node of every graph: the graph and the node's row."""
    for graph in graphs:
        for row in range(len(graph.nodes)):
            yield graph, row
