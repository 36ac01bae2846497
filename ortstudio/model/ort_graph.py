"""One `Graph` table of an `.ort` as columns.

What is damaged is left out; `Buffer.damage` says what and where.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ortstudio.format.arrays import Ints, Ragged
from ortstudio.format.buffer import Buffer
from ortstudio.format.fields import Field
from ortstudio.format.flatbuf import Tables
from ortstudio.format.ort_tables import (
    Attribute,
    EdgeEnd,
    Node,
    NodeEdge,
    TypeInfo,
    ValueInfo,
)
from ortstudio.format.ort_tables import (
    Graph as GraphTable,
)
from ortstudio.format.ort_tables import (
    SparseTensor as SparseTable,
)
from ortstudio.model.graph import (
    Attributes,
    AttributeValue,
    Graph,
    GraphRef,
    Nodes,
    Parent,
    Values,
    onnx_domain,
    subgraph_path,
)
from ortstudio.model.model import OrtGraph
from ortstudio.model.ort_columns import read_tensors, read_types
from ortstudio.model.ort_optimizations import read_optimizations
from ortstudio.model.tensor import SparseTensor, Tensors
from ortstudio.model.types import AttributeType


@dataclass(frozen=True, slots=True)
class Pending:
    """A graph that was found but not read yet."""

    position: int
    path: str
    parent: Parent | None
    depth: int


@dataclass(eq=False)
class GraphQueue:
    """All graphs of a file in the order they were found; a graph's place is its index."""

    found: list[Pending] = field(default_factory=list)

    def add(self, pending: Pending) -> GraphRef:
        """The index that the graph will have in `Model.graphs`."""
        self.found.append(pending)
        return GraphRef(len(self.found) - 1)


class _ValueIds:
    """The ids of value names: those that the graph declares, then any other that it uses.

    Writers keep one copy of a value's name, so where a string stands mostly tells its id.
    """

    def __init__(self, values: Values, positions: Ints) -> None:
        self.values = values
        self._ids = {name: i for i, name in enumerate(values.names)}
        self._order = np.argsort(positions)
        self._positions = np.append(positions[self._order], np.iinfo(np.int64).max)

    def of(self, buffer: Buffer, positions: Ints, field: Field) -> Ints:
        """The id of the string at each position, -1 for an empty one."""
        place = np.searchsorted(self._positions, positions)
        known = self._positions[place] == positions
        found = np.full(len(positions), -1, np.int64)
        found[known] = self._order[place[known]]
        texts, which = buffer.intern(positions[~known], "nodes", field.path)
        ids = np.array([*map(self._id, texts), -1], np.int64)
        found[~known] = ids[which]
        return found

    def rows(self, tables: Tables, field: Field) -> Ragged:
        """The ids of a vector of names of each table."""
        ptr, positions = tables.vectors(field).follow()
        return Ragged(ptr, self.of(tables.buffer, positions, field))

    def _id(self, name: str) -> int:
        if not name:
            return -1
        known = self._ids.get(name)
        if known is None:
            known = self._ids[name] = len(self.values.names)
            self.values.names.append(name)
            self.values.types.append(None)
        return known


def read_graph(buffer: Buffer, index: int, queue: GraphQueue) -> tuple[Graph, OrtGraph]:
    """Read the queue's graph number `index` and queue its subgraphs."""
    pending = queue.found[index]
    tables = Tables(buffer, np.array([pending.position]), "graph", "Graph")
    values, positions = _values(tables)
    ids = _ValueIds(values, positions)
    _, node_tables = tables.vectors(GraphTable.nodes, "nodes").tables()
    nodes = _nodes(node_tables, ids, index, queue)
    _, sparse = tables.vectors(GraphTable.sparse_initializers, "initializers").tables()
    graph = Graph(
        path=pending.path,
        name="",
        doc_string="",
        offset=pending.position,
        parent=pending.parent,
        values=values,
        inputs=ids.rows(tables, GraphTable.inputs).flat,
        outputs=ids.rows(tables, GraphTable.outputs).flat,
        nodes=nodes,
        initializers=_initializers(tables),
        sparse_initializers=_sparse(sparse),
    )
    return graph, _ort_graph(tables, node_tables, len(positions))


def _values(tables: Tables) -> tuple[Values, Ints]:
    """The declared values, and where their names stand."""
    _, infos = tables.vectors(GraphTable.node_args, "values").tables()
    names = infos.texts(ValueInfo.name)
    type_tables = infos.tables(ValueInfo.type)
    types = read_types(type_tables)
    docs = infos.some_texts(ValueInfo.doc_string)
    denotations = type_tables.some_texts(TypeInfo.denotation)
    kept: dict[str, int] = {}
    for row, name in enumerate(names):
        if name:
            kept.setdefault(name, row)
    rows = list(kept.values())
    values = Values(
        list(kept),
        [types[row] for row in rows],
        {i: docs[row] for i, row in enumerate(rows) if row in docs},
        {i: denotations[row] for i, row in enumerate(rows) if row in denotations},
    )
    return values, infos.follow(ValueInfo.name)[rows]


def _initializers(tables: Tables) -> Tensors:
    vectors = tables.vectors(GraphTable.initializers, "initializers")
    return read_tensors(vectors.tables()[1], "initializer_data")


def _sparse(tables: Tables) -> tuple[SparseTensor, ...]:
    data = "attribute_tensors" if tables.use == "attributes" else "initializer_data"
    values = read_tensors(tables.tables(SparseTable.values), data)
    indices = read_tensors(tables.tables(SparseTable.indices), data)
    dims = tables.vectors(SparseTable.dims).numbers().lists()
    return tuple(SparseTensor(values[i], indices[i], tuple(dims[i])) for i in range(len(tables)))


def _nodes(tables: Tables, ids: _ValueIds, graph: int, queue: GraphQueue) -> Nodes:
    names = tables.texts(Node.name)
    indices = tables.ints(Node.index)
    ptr, attribute_tables = tables.vectors(Node.attributes, "attributes").tables()
    rows = Ragged(ptr, np.arange(len(attribute_tables), dtype=np.int64))
    owners = _Owners(rows, names, indices, graph, queue)
    return Nodes(
        names=names,
        op_types=tables.texts(Node.op_type),
        domains=[onnx_domain(domain) for domain in tables.texts(Node.domain)],
        since_versions=tables.ints(Node.since_version),
        indices=indices,
        offsets=tables.positions,
        inputs=ids.rows(tables, Node.inputs),
        outputs=ids.rows(tables, Node.outputs),
        implicit_inputs=ids.rows(tables, Node.implicit_inputs),
        attribute_rows=rows,
        attributes=_attributes(attribute_tables, owners),
        doc_strings=tables.some_texts(Node.doc_string),
    )


class _Owners:
    """Whose attribute a subgraph is, which makes its path."""

    def __init__(
        self, rows: Ragged, names: list[str], indices: Ints, graph: int, queue: GraphQueue
    ) -> None:
        self._owners = rows.owners
        self._names = names
        self._indices = indices
        self._graph = graph
        self._queue = queue
        self._uses = Counter(names)

    def subgraph(
        self, position: int, attribute_row: int, attribute: str, place: int | None
    ) -> GraphRef:
        """Queue a subgraph for reading."""
        node = int(self._owners[attribute_row])
        name = self._names[node]
        parent = self._queue.found[self._graph]
        path = subgraph_path(
            parent.path,
            name,
            int(self._indices[node]),
            self._uses[name] == 1,
            attribute,
            place,
        )
        owner = Parent(self._graph, node, attribute)
        return self._queue.add(Pending(position, path, owner, parent.depth + 1))


def _attributes(tables: Tables, owners: _Owners) -> Attributes:
    names = tables.texts(Attribute.name)
    types = tables.ints(Attribute.type)
    others: dict[int, AttributeValue | GraphRef | tuple[GraphRef, ...]] = {}
    _string_attributes(tables, types, others)
    _tensor_attributes(tables, types, others)
    _graph_attributes(tables, types, names, owners, others)
    return Attributes(
        names=names,
        types=types,
        offsets=tables.positions,
        floats_column=_one_or_many(
            tables,
            types,
            (AttributeType.FLOAT, Attribute.f),
            (AttributeType.FLOATS, Attribute.floats),
        ),
        ints_column=_one_or_many(
            tables, types, (AttributeType.INT, Attribute.i), (AttributeType.INTS, Attribute.ints)
        ),
        others=others,
        doc_strings=tables.some_texts(Attribute.doc_string),
    )


def _one_or_many(
    tables: Tables, types: Ints, one: tuple[AttributeType, Field], many: tuple[AttributeType, Field]
) -> Ragged:
    """Rows of one value where the attribute is a single number, of many where it is a list."""
    is_one, is_many = types == one[0], types == many[0]
    lists = tables.vectors(many[1]).numbers()
    lengths = np.where(is_one, 1, np.where(is_many, lists.lengths, 0))
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    flat = np.zeros(ptr[-1], lists.flat.dtype)
    flat[ptr[:-1][is_one]] = tables.numbers(one[1])[is_one]
    flat[np.repeat(is_many, lengths)] = lists.flat[np.repeat(is_many, lists.lengths)]
    return Ragged(ptr, flat)


def _rows(types: Ints, kind: AttributeType) -> Ints:
    return np.nonzero(types == kind)[0]


def _string_attributes(
    tables: Tables,
    types: Ints,
    others: dict[int, AttributeValue | GraphRef | tuple[GraphRef, ...]],
) -> None:
    rows = _rows(types, AttributeType.STRING)
    others.update(zip(rows.tolist(), tables.only(rows).blobs(Attribute.s), strict=True))
    rows = _rows(types, AttributeType.STRINGS)
    ptr, positions = tables.only(rows).vectors(Attribute.strings).follow()
    texts = tables.buffer.blobs(positions, tables.use, Attribute.strings.path)
    ends = ptr.tolist()
    for i, row in enumerate(rows.tolist()):
        others[row] = tuple(texts[ends[i] : ends[i + 1]])


def _tensor_attributes(
    tables: Tables,
    types: Ints,
    others: dict[int, AttributeValue | GraphRef | tuple[GraphRef, ...]],
) -> None:
    rows = _rows(types, AttributeType.TENSOR)
    single = tables.only(rows).tables(Attribute.t)
    tensors = read_tensors(single, "attribute_tensors")
    for i, row in enumerate(rows.tolist()):
        others[row] = tensors[i] if single.is_present[i] else None
    rows = _rows(types, AttributeType.TENSORS)
    ptr, many = tables.only(rows).vectors(Attribute.tensors).tables()
    tensors = read_tensors(many, "attribute_tensors")
    for i, row in enumerate(rows.tolist()):
        others[row] = tuple(tensors[int(ptr[i]) : int(ptr[i + 1])])


def _graph_attributes(
    tables: Tables,
    types: Ints,
    names: list[str],
    owners: _Owners,
    others: dict[int, AttributeValue | GraphRef | tuple[GraphRef, ...]],
) -> None:
    rows = _rows(types, AttributeType.GRAPH)
    positions = tables.only(rows).follow(Attribute.g).tolist()
    for row, position in zip(rows.tolist(), positions, strict=True):
        if position >= 0:
            others[row] = owners.subgraph(position, row, names[row], None)
    rows = _rows(types, AttributeType.GRAPHS)
    ptr, targets = tables.only(rows).vectors(Attribute.graphs).follow()
    for i, row in enumerate(rows.tolist()):
        found = targets[ptr[i] : ptr[i + 1]].tolist()
        others[row] = tuple(
            owners.subgraph(position, row, names[row], place)
            for place, position in enumerate(found)
        )


def _ort_graph(tables: Tables, nodes: Tables, declared: int) -> OrtGraph:
    _, edges = tables.vectors(GraphTable.node_edges, "node_edges").tables()
    return OrtGraph(
        declared_values=declared,
        execution_providers=nodes.texts(Node.execution_provider_type),
        node_types=nodes.ints(Node.type),
        input_arg_counts=nodes.vectors(Node.input_arg_counts).numbers(),
        max_node_index=int(tables.ints(GraphTable.max_node_index)[0]),
        runtime_optimizations=read_optimizations(tables.tables(GraphTable.runtime_optimizations)),
        edge_nodes=edges.ints(NodeEdge.node_index),
        input_edges=_edge_ends(edges, NodeEdge.input_edges),
        output_edges=_edge_ends(edges, NodeEdge.output_edges),
    )


def _edge_ends(edges: Tables, side: Field) -> Ragged:
    return edges.vectors(side, struct_size=EdgeEnd.size).words(EdgeEnd.size // 4)
