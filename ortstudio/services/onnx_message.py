"""An ORT-format model said again as an ONNX model, in the messages of the `onnx` package.

Tensors go over byte by byte: both formats keep elements little-endian, and packed below 8 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ortstudio.analysis.checks.order import running_order
from ortstudio.errors import FormatError, RefusedError, Where
from ortstudio.format.arrays import Numbers
from ortstudio.format.source import Source
from ortstudio.model.elements import open_elements
from ortstudio.model.graph import Attributes, Graph, GraphRef, OpsetImport, Values
from ortstudio.model.model import Model
from ortstudio.model.ort_axes import axis_denotations
from ortstudio.model.tensor import ExternalData, Span, SparseTensor, StringData, Tensor
from ortstudio.model.types import (
    AttributeType,
    DataType,
    MapType,
    SequenceType,
    TensorType,
    ValueType,
    data_type_text,
)
from ortstudio.services.onnx_outside import Key, Outside

if TYPE_CHECKING:
    from onnx import (
        AttributeProto,
        GraphProto,
        ModelProto,
        NodeProto,
        SparseTensorProto,
        TensorProto,
        TypeProto,
        ValueInfoProto,
    )

MAIN_NAME = "main_graph"

GRAPH_NESTING = 30
"""Protobuf gives up at messages 100 deep, and a graph in a graph is three deeper."""

_FREE_INITIALIZERS = 4
"""The first IR version in which an initializer need not be an input as well."""
_OPSETS = 3
"""The first IR version that has operator sets."""


def ir_version(model: Model) -> int:
    """The file's own, or the lowest under which the same model is valid."""
    free = any(set(graph.initializers.names) - set(_names(graph)) for graph in model.graphs)
    free = free or any(graph.sparse_initializers for graph in model.graphs)
    return max(model.ir_version or 0, _FREE_INITIALIZERS if free else _OPSETS)


def onnx_message(
    model: Model, imports: Sequence[OpsetImport], outside: Outside | None = None
) -> ModelProto:
    """All but the initializers of the main graph, which may be large. Loads the `onnx` package.

    Initializers of subgraphs are within, but for those that are `outside`. Raises FormatError where
    tensors are not what they say, RefusedError for what ONNX cannot say.
    """
    from onnx import ModelProto

    # A field that is given None stays out of the message.
    message = ModelProto(
        ir_version=ir_version(model),
        producer_name=model.producer_name,
        producer_version=model.producer_version,
        domain=model.domain,
        model_version=model.model_version,
        doc_string=model.doc_string,
    )
    for row in imports:
        message.opset_import.add(domain=row.domain, version=row.version)
    for key, text in model.metadata.items():
        message.metadata_props.add(key=key, value=text)
    if model.graph_doc_string:
        message.graph.doc_string = model.graph_doc_string
    _Graphs(model, outside).fill(message.graph, 0, 0)
    return message


def tensor_message(source: Source, tensor: Tensor) -> tuple[TensorProto, Span | None]:
    """A tensor without its bytes, and where they are; those of strings are in the message.

    Raises FormatError where type, shape and data do not fit together.
    """
    from onnx import TensorProto

    data = tensor.data
    if isinstance(data, ExternalData):
        raise FormatError(
            "The data of this tensor is said to be in another file, and there is none",
            where=Where(source.path, tensor.offset, tensor.name),
        )
    open_elements(source, tensor)  # Raises the error.
    message = TensorProto(
        name=tensor.name,
        data_type=tensor.data_type,
        dims=tensor.dims,
        doc_string=tensor.doc_string or None,
    )
    if isinstance(data, StringData):
        message.string_data.extend(source.payload(*span) for span in data.spans)
    return message, data if isinstance(data, Span) else None


def _names(graph: Graph) -> list[str]:
    return graph.value_names(graph.inputs.tolist())


class _Graphs:
    """Fills messages from the graphs of one model."""

    def __init__(self, model: Model, outside: Outside | None) -> None:
        self._model = model
        self._outside = outside

    def fill(self, message: GraphProto, index: int, depth: int) -> None:
        graph = self._model.graphs[index]
        if depth > GRAPH_NESTING:
            raise self._refused(
                graph, f"Its graphs are nested more than {GRAPH_NESTING} deep, too deep for ONNX"
            )
        message.name = graph.path if index else MAIN_NAME
        axes = axis_denotations(self._model.source, graph) if self._model.ort else {}
        for infos, values in (
            (message.input, graph.inputs.tolist()),
            (message.output, graph.outputs.tolist()),
            (message.value_info, _between(graph)),
        ):
            for value in values:
                _fill_value(infos.add(), graph.values, value, axes.get(value, ()))
        for row, tensor in enumerate(graph.initializers if index else ()):
            self._initializer(message.initializer.add(), tensor, (index, row))
        for sparse in graph.sparse_initializers:
            self._sparse(message.sparse_initializer.add(), sparse)
        for row in self._order(graph):
            self._node(message, graph, row, depth)

    def _order(self, graph: Graph) -> list[int]:
        order = running_order(graph)
        if len(order) < len(graph.nodes):
            raise self._refused(graph, "Its nodes wait for each other, so that none can run first")
        return order

    def _refused(self, graph: Graph, message: str) -> RefusedError:
        return RefusedError(message, where=Where(self._model.source.path, field=graph.path))

    def _node(self, message: GraphProto, graph: Graph, row: int, depth: int) -> None:
        nodes = graph.nodes
        node = message.node.add(
            name=nodes.names[row] or None,
            op_type=nodes.op_types[row],
            domain=nodes.domains[row] or None,
            doc_string=nodes.doc_strings.get(row),
            input=_trimmed(graph, nodes.inputs.row(row)),
            output=_trimmed(graph, nodes.outputs.row(row)),
        )
        for at in nodes.attribute_rows.row(row).tolist():
            self._attribute(node, nodes.attributes, at, depth)

    def _attribute(self, node: NodeProto, of: Attributes, at: int, depth: int) -> None:
        message = node.attribute.add(name=of.names[at], doc_string=of.doc_strings.get(at))
        kind, value = int(of.types[at]), of.value(at)
        filled = _fill_numbers_and_text(message, kind, value)
        if not filled and not self._fill_structure(message, kind, value, depth):
            raise FormatError(
                f"The attribute {message.name!r} has no value of its type {kind}",
                where=Where(self._model.source.path, int(of.offsets[at])),
            )

    def _fill_structure(
        self, message: AttributeProto, kind: int, value: object, depth: int
    ) -> bool:
        """Whether the value is of tensors or graphs."""
        match kind, value:
            case AttributeType.TENSOR, Tensor():
                self._tensor(message.t, value)
            case AttributeType.GRAPH, GraphRef():
                self.fill(message.g, value.index, depth + 1)
            case AttributeType.TENSORS, tuple():
                for tensor in value:
                    self._tensor(message.tensors.add(), tensor)
            case AttributeType.GRAPHS, tuple():
                for graph in value:
                    self.fill(message.graphs.add(), graph.index, depth + 1)
            case _:
                return False
        message.type = kind  # type: ignore[assignment]
        return True

    def _initializer(self, message: TensorProto, tensor: Tensor, key: Key) -> None:
        if self._outside is None or key not in self._outside.spans:
            self._tensor(message, tensor)
            return
        message.CopyFrom(tensor_message(self._model.source, tensor)[0])
        self._outside.refer(message, key)

    def _tensor(self, message: TensorProto, tensor: Tensor) -> None:
        found, span = tensor_message(self._model.source, tensor)
        message.CopyFrom(found)
        if span is not None:
            message.raw_data = self._model.source.payload(*span, tensor.name)

    def _sparse(self, message: SparseTensorProto, sparse: SparseTensor) -> None:
        """Values as they are; indices may be narrower in the file, and are 64 bits wide in ONNX."""
        message.dims.extend(sparse.dims)
        self._tensor(message.values, sparse.values)
        indices = open_elements(self._model.source, sparse.indices).array()
        if indices.dtype.kind not in "iu":
            kind = data_type_text(sparse.indices.data_type)
            raise FormatError(
                f"The indices of a sparse tensor are of type {kind}",
                where=Where(self._model.source.path, sparse.indices.offset, sparse.values.name),
            )
        message.indices.name = sparse.indices.name
        message.indices.dims.extend(sparse.indices.dims)
        message.indices.data_type = DataType.INT64
        message.indices.raw_data = indices.astype("<i8").tobytes()


def _between(graph: Graph) -> Iterator[int]:
    """Values with a type that nodes of the graph make, and that are none of its outputs."""
    outputs = set(graph.outputs.tolist())
    for value, maker in enumerate(graph.producers.tolist()):
        if maker >= 0 and value not in outputs and graph.values.types[value] is not None:
            yield value


def _trimmed(graph: Graph, ids: Numbers) -> list[str]:
    """Names of values; those left out at the end are not even named."""
    names = graph.value_names(ids.tolist())
    while names and not names[-1]:
        names.pop()
    return names


def _fill_value(
    message: ValueInfoProto, values: Values, value: int, axes: Sequence[str] = ()
) -> None:
    message.name = values.names[value]
    if value in values.doc_strings:
        message.doc_string = values.doc_strings[value]
    _fill_type(message.type, values.types[value])
    if value in values.denotations:
        message.type.denotation = values.denotations[value]
    for dim, axis in zip(message.type.tensor_type.shape.dim, axes, strict=False):
        if axis:
            dim.denotation = axis


def _fill_type(message: TypeProto, of: ValueType | None) -> None:
    """The types that an ORT-format file can hold; a value may have none."""
    if isinstance(of, TensorType):
        message.tensor_type.elem_type = of.elem_type
        if of.dims is not None:
            message.tensor_type.shape.SetInParent()  # A scalar has a shape, without sizes.
        for dim in of.dims or ():
            size = message.tensor_type.shape.dim.add()
            if isinstance(dim, int):
                size.dim_value = dim
            elif dim:
                size.dim_param = dim
    elif isinstance(of, SequenceType):
        _fill_type(message.sequence_type.elem_type, of.element)
    elif isinstance(of, MapType):
        message.map_type.key_type = of.key_type
        _fill_type(message.map_type.value_type, of.value)


def _fill_numbers_and_text(message: AttributeProto, kind: int, value: object) -> bool:
    """Whether the value is one of these."""
    match kind, value:
        case AttributeType.FLOAT, float():
            message.f = value
        case AttributeType.INT, int():
            message.i = value
        case AttributeType.STRING, bytes():
            message.s = value
        case AttributeType.FLOATS, tuple():
            message.floats.extend(value)
        case AttributeType.INTS, tuple():
            message.ints.extend(value)
        case AttributeType.STRINGS, tuple():
            message.strings.extend(value)
        case _:
            return False
    message.type = kind  # type: ignore[assignment]
    return True
