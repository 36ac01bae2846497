"""What a model is, whichever file it came from.

Both readers (`model.ort_reader`, `model.onnx_reader`) fill the same columns: one list or array for
each fact about all nodes, all values, all tensors of a graph. A column is what the picture, the
pairing and the counts want, and what a reader can produce fast; single nodes and tensors are made
from it on demand. What only one format has stands beside this, in `Model.ort` and `Model.onnx`.

Everything here is read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ortstudio.format.arrays import Ints, Ragged
from ortstudio.model.tensor import SparseTensor, Tensor, Tensors
from ortstudio.model.types import AttributeType, ValueType

MAIN_PATH = "/"


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


def onnx_domain(domain: str) -> str:
    """The domain under its one name: `ai.onnx` is the empty string."""
    return "" if domain == "ai.onnx" else domain


def op_text(domain: str, op_type: str) -> str:
    """`Conv`, or `com.microsoft.FusedConv` outside the ONNX domain."""
    return f"{domain}.{op_type}" if onnx_domain(domain) else op_type


def op_id(domain: str, op_type: str, since_version: int) -> str:
    """`domain:op_type:since_version`, as kernel type resolvers and saved optimizations write it."""
    return f"{onnx_domain(domain)}:{op_type}:{since_version}"


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
