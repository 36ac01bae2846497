"""Graphs of one depth, or the bodies of functions: read together into columns, then cut apart.

A model may hold thousands of small subgraphs; a scan for each would cost more than the graphs do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from ortstudio.format.arrays import Ints, Ragged, offsets_of
from ortstudio.format.onnx_messages import FunctionProto, GraphProto, NodeProto, ValueInfoProto
from ortstudio.format.protobuf import Field, Fields, Messages
from ortstudio.model.graph import Attributes, onnx_domain
from ortstudio.model.onnx_attributes import read_attributes
from ortstudio.model.onnx_columns import split_attributes, split_map, split_tensors
from ortstudio.model.onnx_tensors import read_entries, read_sparse_tensors, read_tensors
from ortstudio.model.onnx_types import ReadType, TypeReader
from ortstudio.model.tensor import SparseTensor, Tensors

V = TypeVar("V")


class Layout(NamedTuple):
    """Which fields of a graph, or of a function, hold what."""

    name: Field
    doc_string: Field
    metadata: Field
    node: Field
    declarations: tuple[Field, ...]
    initializers: tuple[Field, ...]
    sparse_initializers: tuple[Field, ...]
    annotations: tuple[Field, ...]


GRAPH = Layout(
    GraphProto.NAME,
    GraphProto.DOC_STRING,
    GraphProto.METADATA_PROPS,
    GraphProto.NODE,
    (GraphProto.INPUT, GraphProto.OUTPUT, GraphProto.VALUE_INFO),
    (GraphProto.INITIALIZER,),
    (GraphProto.SPARSE_INITIALIZER,),
    (GraphProto.QUANTIZATION_ANNOTATION,),
)
FUNCTION = Layout(
    FunctionProto.NAME,
    FunctionProto.DOC_STRING,
    FunctionProto.METADATA_PROPS,
    FunctionProto.NODE,
    (FunctionProto.VALUE_INFO,),
    (),
    (),
    (),
)


@dataclass(eq=False)
class Totals:
    """What is added up over all graphs: bytes by use, and how often things occur."""

    sizes: Counter[str] = field(default_factory=Counter)
    quantization_annotations: int = 0
    device_configurations: int = 0


@dataclass(frozen=True, eq=False)
class Declarations:
    """`ValueInfoProto`s as columns; `keys` has the tags that tell inputs and outputs apart."""

    keys: list[int]
    names: list[str]
    types: list[ReadType]
    doc_strings: dict[int, str]

    def named(self, field: Field) -> list[str]:
        """The names that stand in one field."""
        return [name for name, key in zip(self.names, self.keys, strict=True) if key == field.key]


@dataclass(frozen=True, eq=False)
class BodyNodes:
    """Nodes of one body. `inputs` and `outputs` follow each other; `*_ptr` says whose they are."""

    names: list[str]
    op_types: list[str]
    domains: list[str]
    offsets: Ints
    input_ptr: Ints
    inputs: list[str]
    output_ptr: Ints
    outputs: list[str]
    attribute_rows: Ragged
    attributes: Attributes
    doc_strings: dict[int, str]
    metadata: dict[int, dict[str, str]]
    overloads: dict[int, str]


@dataclass(frozen=True, eq=False)
class Body:
    """What the file says of one graph, values by name."""

    name: str
    doc_string: str
    offset: int
    metadata: dict[str, str]
    inputs: list[str]
    outputs: list[str]
    declarations: Declarations
    nodes: BodyNodes
    initializers: Tensors
    sparse_initializers: Sequence[SparseTensor]


class Holder(NamedTuple):
    """The attribute that holds a graph: rows of the body, of the node in it, of the attribute."""

    body: int
    node: int
    attribute: int


@dataclass(frozen=True, eq=False)
class Level:
    """Bodies of one depth, and the graphs inside them that are yet to be read."""

    bodies: list[Body]
    graphs: Messages
    holders: list[Holder]


def read_level(messages: Messages, layout: Layout, types: TypeReader, totals: Totals) -> Level:
    """Read graphs or functions, all but the graphs inside them."""
    fields = messages.scan()
    count = len(messages)
    nodes, graphs, holders = _read_nodes(fields.children(layout.node), count, types, totals)
    declarations = _read_declarations(fields, layout, types)
    inputs, outputs = _read_ends(fields, layout, declarations)
    initializers = _read_initializers(fields, layout, totals)
    sparse = _read_sparse(fields, layout, totals)
    metadata = read_entries(fields.children(layout.metadata))
    _add_sizes(fields, layout, totals)
    names, doc_strings = fields.texts(layout.name), fields.texts(layout.doc_string)
    offsets = messages.offsets.tolist()
    bodies = [
        Body(
            name=names[i],
            doc_string=doc_strings[i],
            offset=offsets[i],
            metadata=metadata.get(i, {}),
            inputs=inputs[i],
            outputs=outputs[i],
            declarations=declarations[i],
            nodes=nodes[i],
            initializers=initializers[i],
            sparse_initializers=sparse[i],
        )
        for i in range(count)
    ]
    return Level(bodies, graphs, holders)


def _read_declarations(fields: Fields, layout: Layout, types: TypeReader) -> list[Declarations]:
    """The declarations of each body."""
    keys = fields.keys[fields.all(*layout.declarations)].tolist()
    messages = fields.children(*layout.declarations)
    found = messages.scan()
    names = found.texts(ValueInfoProto.NAME)
    read = types.read(found.inside(ValueInfoProto.TYPE))
    ptr = _ptr(messages.parents, fields.messages.count)
    doc_strings = split_map(found.some_texts(ValueInfoProto.DOC_STRING), ptr)
    return [
        Declarations(keys[a:b], names[a:b], read[a:b], doc_strings[i])
        for i, (a, b) in enumerate(pairwise(ptr.tolist()))
    ]


def _read_ends(
    fields: Fields, layout: Layout, declarations: list[Declarations]
) -> tuple[list[list[str]], list[list[str]]]:
    """The names of inputs and of outputs, by body."""
    if layout is FUNCTION:
        return _text_lists(fields, FunctionProto.INPUT), _text_lists(fields, FunctionProto.OUTPUT)
    return (
        [found.named(GraphProto.INPUT) for found in declarations],
        [found.named(GraphProto.OUTPUT) for found in declarations],
    )


def _text_lists(fields: Fields, field: Field) -> list[list[str]]:
    ptr, texts = fields.every_text(field)
    ends = ptr.tolist()
    return [texts[a:b] for a, b in pairwise(ends)]


def _read_initializers(fields: Fields, layout: Layout, totals: Totals) -> list[Tensors]:
    messages = fields.children(*layout.initializers)
    tensors, data_bytes = read_tensors(messages)
    totals.sizes["initializer_data"] += data_bytes
    totals.sizes["initializers"] -= data_bytes
    return split_tensors(tensors, _ptr(messages.parents, fields.messages.count))


def _read_sparse(fields: Fields, layout: Layout, totals: Totals) -> list[list[SparseTensor]]:
    messages = fields.children(*layout.sparse_initializers)
    tensors, data_bytes = read_sparse_tensors(messages)
    totals.sizes["initializer_data"] += data_bytes
    totals.sizes["initializers"] -= data_bytes
    return _by_body(tensors, messages, fields.messages.count)


def _add_sizes(fields: Fields, layout: Layout, totals: Totals) -> None:
    """Share out the bytes of these messages; `graph` takes what has no use of its own."""
    used = {
        "nodes": fields.sizes(layout.node),
        "values": fields.sizes(*layout.declarations),
        "initializers": fields.sizes(*layout.initializers, *layout.sparse_initializers),
        "metadata": fields.sizes(layout.metadata),
    }
    for use, sizes in used.items():
        totals.sizes[use] += int(sizes.sum())
    rest = int(fields.messages.sizes.sum()) - sum(int(sizes.sum()) for sizes in used.values())
    totals.sizes["graph"] += rest
    totals.quantization_annotations += len(fields.all(*layout.annotations))


def _read_nodes(
    messages: Messages, count: int, types: TypeReader, totals: Totals
) -> tuple[list[BodyNodes], Messages, list[Holder]]:
    """The nodes of each body, and the graphs inside their attributes."""
    fields = messages.scan()
    read = read_attributes(fields.children(NodeProto.ATTRIBUTE), types)
    totals.device_configurations += len(fields.all(NodeProto.DEVICE_CONFIGURATIONS))
    attribute_bytes = int(fields.sizes(NodeProto.ATTRIBUTE).sum())
    graph_bytes = int(read.graphs.sizes.sum())
    totals.sizes["nodes"] -= attribute_bytes
    totals.sizes["attributes"] += attribute_bytes - read.tensor_bytes - graph_bytes
    totals.sizes["attribute_tensors"] += read.tensor_bytes

    node_ptr = _ptr(messages.parents, count)
    attribute_ptr = _ptr(read.parents, len(messages))
    ends = attribute_ptr[node_ptr]
    nodes = _split_nodes(fields, node_ptr, attribute_ptr, split_attributes(read.columns, ends))
    attributes = read.graphs.parents
    owners = read.parents[attributes]
    bodies = messages.parents[owners]
    rows = (bodies, owners - node_ptr[bodies], attributes - ends[bodies])
    holders = list(map(Holder, *(column.tolist() for column in rows)))
    return nodes, read.graphs, holders


def _split_nodes(
    fields: Fields, node_ptr: Ints, attribute_ptr: Ints, attributes: list[Attributes]
) -> list[BodyNodes]:
    names, op_types = fields.texts(NodeProto.NAME), fields.words(NodeProto.OP_TYPE)
    domains = [onnx_domain(domain) for domain in fields.words(NodeProto.DOMAIN)]
    input_ptr, inputs = fields.every_text(NodeProto.INPUT)
    output_ptr, outputs = fields.every_text(NodeProto.OUTPUT)
    doc_strings = split_map(fields.some_texts(NodeProto.DOC_STRING), node_ptr)
    metadata = split_map(read_entries(fields.children(NodeProto.METADATA_PROPS)), node_ptr)
    overloads = split_map(fields.some_texts(NodeProto.OVERLOAD), node_ptr)
    offsets = fields.messages.offsets
    bodies = []
    for i, (a, b) in enumerate(zip(node_ptr.tolist(), node_ptr[1:].tolist(), strict=False)):
        ins, outs, rows = (ptr[a : b + 1] for ptr in (input_ptr, output_ptr, attribute_ptr))
        bodies.append(
            BodyNodes(
                names=names[a:b],
                op_types=op_types[a:b],
                domains=domains[a:b],
                offsets=offsets[a:b],
                input_ptr=ins - ins[0],
                inputs=inputs[ins[0] : ins[-1]],
                output_ptr=outs - outs[0],
                outputs=outputs[outs[0] : outs[-1]],
                attribute_rows=Ragged(rows - rows[0], np.arange(rows[-1] - rows[0])),
                attributes=attributes[i],
                doc_strings=doc_strings[i],
                metadata=metadata[i],
                overloads=overloads[i],
            )
        )
    return bodies


def _ptr(parents: Ints, count: int) -> Ints:
    return offsets_of(np.bincount(parents, minlength=count))


def _by_body(items: list[V], messages: Messages, count: int) -> list[list[V]]:
    ends = _ptr(messages.parents, count).tolist()
    return [items[a:b] for a, b in pairwise(ends)]
