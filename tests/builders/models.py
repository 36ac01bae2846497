"""Small models by hand: columns from lists, sound unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ortstudio.format.arrays import Ints, Ragged, ints
from ortstudio.format.source import Source
from ortstudio.model.graph import (
    Attributes,
    AttributeValue,
    Graph,
    GraphRef,
    Nodes,
    OpsetImport,
    Parent,
    Values,
    op_id,
)
from ortstudio.model.model import (
    FileKind,
    Model,
    OnnxModel,
    OptimizationRecord,
    OrtGraph,
    OrtModel,
    ResolverEntry,
)
from ortstudio.model.tensor import (
    ExternalData,
    Span,
    SparseTensor,
    Storage,
    StringData,
    Tensor,
    Tensors,
)
from ortstudio.model.types import AttributeType, DataType, TensorType, ValueType, packed_size

Value = AttributeValue | GraphRef | tuple[GraphRef, ...]
FLOATS = TensorType(DataType.FLOAT, None)


@dataclass(frozen=True)
class Node:
    """One node in names. `arg_counts` None means one for each input."""

    op_type: str
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    name: str = ""
    domain: str = ""
    since: int = 1
    attributes: Mapping[str, Value] = field(default_factory=dict)
    implicit: Sequence[str] = ()
    index: int | None = None
    arg_counts: Sequence[int] | None = None


def tensor(
    name: str,
    dims: Sequence[int] = (),
    data_type: int = DataType.FLOAT,
    *,
    size: int | None = None,
    storage: Storage = Storage.RAW,
    external: ExternalData | None = None,
    offset: int = 0,
) -> Tensor:
    """A constant; `size` is that of its raw bytes where it should not be the right one."""
    data: Span | StringData | ExternalData | None = external
    if external is not None:
        storage = Storage.EXTERNAL
    elif data_type == DataType.STRING:
        storage, data = Storage.STRINGS, StringData(tuple(Span(0, 3) for _ in range(size or 0)))
    elif storage is Storage.RAW:
        data = Span(0, (packed_size(data_type, dims) or 0) if size is None else size)
    return Tensor(name, data_type, tuple(dims), storage, data, offset)


def tensors(rows: Sequence[Tensor]) -> Tensors:
    """The columns of the tensors."""
    spans = [row.data if isinstance(row.data, Span) else Span(0, 0) for row in rows]
    return Tensors(
        names=[row.name for row in rows],
        data_types=ints(row.data_type for row in rows),
        dims=Ragged.of([row.dims for row in rows]),
        storages=ints(row.storage for row in rows),
        data_offsets=ints(span.offset for span in spans),
        data_lengths=ints(span.length for span in spans),
        offsets=ints(row.offset for row in rows),
        elsewhere={
            i: row.data
            for i, row in enumerate(rows)
            if row.data is not None and not isinstance(row.data, Span)
        },
    )


def _attribute_type(value: Value) -> AttributeType:
    singles = {
        int: AttributeType.INT,
        float: AttributeType.FLOAT,
        bytes: AttributeType.STRING,
        Tensor: AttributeType.TENSOR,
        SparseTensor: AttributeType.SPARSE_TENSOR,
        GraphRef: AttributeType.GRAPH,
    }
    if not isinstance(value, tuple):
        return singles[type(value)]
    return AttributeType(singles[type(value[0])] + 5)


def _numbers(value: Value, kind: type) -> tuple[float, ...]:
    row = value if isinstance(value, tuple) else (value,)
    return tuple(x for x in row if type(x) is kind)  # type: ignore[misc]


def attributes(rows: Sequence[Mapping[str, Value]]) -> tuple[Ragged, Attributes]:
    """All attributes of all nodes, and whose they are."""
    flat = [(name, value) for row in rows for name, value in row.items()]
    ptr = np.cumsum([0, *(len(row) for row in rows)])
    types = [_attribute_type(value) for _, value in flat]
    numeric = {AttributeType.FLOAT, AttributeType.INT, AttributeType.FLOATS, AttributeType.INTS}
    made = Attributes(
        names=[name for name, _ in flat],
        types=ints(types),
        offsets=np.zeros(len(flat), np.int64),
        floats_column=Ragged.of([_numbers(v, float) for _, v in flat], np.float32),  # type: ignore[misc]
        ints_column=Ragged.of([_numbers(v, int) for _, v in flat]),  # type: ignore[misc]
        others={i: v for i, (_, v) in enumerate(flat) if types[i] not in numeric},
    )
    return Ragged(ptr.astype(np.int64), np.arange(len(flat), dtype=np.int64)), made


def graph(
    nodes: Sequence[Node],
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    initializers: Sequence[Tensor] = (),
    sparse: Sequence[SparseTensor] = (),
    types: Mapping[str, ValueType | None] | None = None,
    path: str = "/",
    parent: Parent | None = None,
) -> Graph:
    """A graph; every value is a float tensor of unknown shape unless `types` says otherwise."""
    constants = [t.name for t in initializers] + [s.values.name for s in sparse]
    names = list(inputs) + list(outputs) + constants
    for node in nodes:
        names += [*node.inputs, *node.outputs, *node.implicit]
    names = [name for name in dict.fromkeys(names) if name]
    ids = {name: i for i, name in enumerate(names)}

    def rows(which: Sequence[Sequence[str]]) -> Ragged:
        return Ragged.of([[ids[name] if name else -1 for name in row] for row in which])

    attribute_rows, made = attributes([node.attributes for node in nodes])
    given = types or {}
    return Graph(
        path=path,
        name="",
        doc_string="",
        offset=0,
        parent=parent,
        values=Values(names, [given.get(name, FLOATS) for name in names]),
        inputs=ints(ids[name] for name in inputs),
        outputs=ints(ids[name] for name in outputs),
        nodes=Nodes(
            names=[node.name for node in nodes],
            op_types=[node.op_type for node in nodes],
            domains=[node.domain for node in nodes],
            since_versions=ints(node.since for node in nodes),
            indices=ints(row if n.index is None else n.index for row, n in enumerate(nodes)),
            offsets=ints(100 + 10 * row for row in range(len(nodes))),
            inputs=rows([node.inputs for node in nodes]),
            outputs=rows([node.outputs for node in nodes]),
            implicit_inputs=rows([node.implicit for node in nodes]),
            attribute_rows=attribute_rows,
            attributes=made,
        ),
        initializers=tensors(initializers),
        sparse_initializers=tuple(sparse),
    )


def _edges(g: Graph) -> tuple[Ragged, Ragged]:
    """Incoming and outgoing edge ends of each node, flat: three numbers to an end."""
    into: list[list[int]] = [[] for _ in range(len(g.nodes))]
    out: list[list[int]] = [[] for _ in range(len(g.nodes))]
    explicit, implicit = g.nodes.inputs.lists(), g.nodes.implicit_inputs.lists()
    made, indices = g.nodes.outputs.lists(), g.nodes.indices.tolist()
    for row in range(len(g.nodes)):
        for place, value in enumerate(explicit[row] + implicit[row]):
            producer = int(g.producers[value]) if value >= 0 else -1
            if producer >= 0:
                port = made[producer].index(value)
                into[row] += [indices[producer], port, place]
                out[producer] += [indices[row], port, place]
    return Ragged.of(into), Ragged.of(out)


def ort_graph(
    g: Graph,
    nodes: Sequence[Node],
    records: Sequence[OptimizationRecord] = (),
    max_node_index: int | None = None,
    declared_values: int | None = None,
) -> OrtGraph:
    """What an `.ort` says beyond the graph, in agreement with it."""
    into, out = _edges(g)
    counts = [node.arg_counts for node in nodes]
    lengths: Ints = g.nodes.inputs.lengths
    return OrtGraph(
        declared_values=len(g.values) if declared_values is None else declared_values,
        execution_providers=["CPUExecutionProvider"] * len(nodes),
        node_types=np.zeros(len(nodes), np.int64),
        input_arg_counts=Ragged.of(
            [[1] * int(lengths[i]) if row is None else row for i, row in enumerate(counts)]
        ),
        max_node_index=(
            max(g.nodes.indices.tolist(), default=-1) + 1
            if max_node_index is None
            else max_node_index
        ),
        runtime_optimizations=tuple(records),
        edge_nodes=g.nodes.indices,
        input_edges=into,
        output_edges=out,
    )


def imports(*rows: tuple[str, int]) -> tuple[OpsetImport, ...]:
    """Opset imports."""
    return tuple(OpsetImport(domain, version) for domain, version in rows)


RUNTIME_IMPORTS = imports(
    ("", 17),
    ("ai.onnx.ml", 5),
    ("com.microsoft", 1),
    ("com.microsoft.experimental", 1),
    ("com.microsoft.nchwc", 1),
    ("org.pytorch.aten", 1),
)
"""What a release from 1.17 to 1.27 imports, whatever the model uses."""


def _model(kind: FileKind, graphs: Sequence[Graph]) -> Model:
    return Model(
        kind=kind,
        source=Source.of_bytes(bytes(64), "model." + kind.value),
        ir_version=8,
        opset_imports=RUNTIME_IMPORTS,
        producer_name=None,
        producer_version=None,
        domain=None,
        model_version=1,
        doc_string=None,
        graph_doc_string=None,
        metadata={},
        graphs=tuple(graphs),
    )


def onnx(*graphs: Graph, opset_imports: Sequence[OpsetImport] = (OpsetImport("", 17),)) -> Model:
    """An ONNX model."""
    made = _model(FileKind.ONNX, graphs)
    return replace(made, opset_imports=tuple(opset_imports), onnx=OnnxModel((), False, 0, 0))


def resolver(*graphs: Graph) -> tuple[ResolverEntry, ...]:
    """An entry for each operator in use."""
    found = {
        op_id(*key)
        for g in graphs
        for key in zip(
            g.nodes.domains, g.nodes.op_types, g.nodes.since_versions.tolist(), strict=True
        )
    }
    return tuple(ResolverEntry(op, ()) for op in sorted(found))


def ort(
    *graphs: Graph,
    others: Sequence[OrtGraph] | None = None,
    version: str = "6",
    entries: Sequence[ResolverEntry] | None = None,
    opset_imports: Sequence[OpsetImport] = RUNTIME_IMPORTS,
    has_identifier: bool = True,
    table_count: int = 100,
) -> Model:
    """An ORT-format model; `others` is what `ort_graph` makes, one for each graph."""
    number = int(version) if version.isdigit() else None
    made = replace(_model(FileKind.ORT, graphs), opset_imports=tuple(opset_imports))
    rows = [[Node(op) for op in g.nodes.op_types] for g in graphs]
    given = [ort_graph(g, row) for g, row in zip(graphs, rows, strict=True)]
    has_resolver = number is None or number >= 5
    return replace(
        made,
        ort=OrtModel(
            format_version_text=version,
            format_version=number,
            has_identifier=has_identifier,
            graphs=tuple(given if others is None else others),
            resolver=(
                tuple(entries)
                if entries is not None
                else resolver(*graphs)
                if has_resolver
                else None
            ),
            kernel_hashes=(),
            table_count=table_count,
        ),
    )


def record(
    action: str,
    nodes: Sequence[int],
    produced: Sequence[str] = (),
    *,
    optimizer: str = "QDQSelectorActionTransformer",
    inputs: int = 1,
    outputs: int = 1,
    variadic_inputs: int | None = None,
    variadic_outputs: int | None = None,
    hashes: int = 0,
) -> OptimizationRecord:
    """A saved runtime optimization: `inputs` nodes, the target, `outputs` nodes."""
    return OptimizationRecord(
        optimizer=optimizer,
        action=action,
        nodes=tuple(nodes),
        input_count=inputs,
        output_count=outputs,
        variadic_input=variadic_inputs is not None,
        variadic_output=variadic_outputs is not None,
        variadic_input_count=variadic_inputs or 0,
        variadic_output_count=variadic_outputs or 0,
        produced_op_ids=tuple(produced),
        produced_hashes=hashes,
        offset=0,
    )
