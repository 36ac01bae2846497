"""Made from schema/ort.fbs by schema/generate.py: change the schema."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from ortstudio.format.fields import Field, Kind, Schema, StructField, StructType, tables_of


class TensorDataType(IntEnum):
    """Element type of a tensor.

    The runtime stores ONNX's number unchecked, so that real files hold ones beyond this list:
    21 to 26 up to 1.32 (observed). Name them as ONNX does.
    """

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17  # since version 6
    FLOAT8E4M3FNUZ = 18  # since version 6
    FLOAT8E5M2 = 19  # since version 6
    FLOAT8E5M2FNUZ = 20  # since version 6


class TypeInfoValue(IntEnum):
    """The kinds of types that the format can hold: no optional, sparse or opaque ones."""

    NONE = 0
    tensor_type = 1
    sequence_type = 2
    map_type = 3


class DimensionValueType(IntEnum):
    """Whether a dimension is unknown, a size, or the name of a symbolic size."""

    UNKNOWN = 0
    VALUE = 1
    PARAM = 2


class NodeType(IntEnum):
    """Whether a node is one operator or a group that an execution provider compiled."""

    Primitive = 0
    Fused = 1


class AttributeType(IntEnum):
    """What an attribute holds.

    The numbers are ONNX's; its TYPE_PROTO (13) and TYPE_PROTOS (14) are left out.
    """

    UNDEFINED = 0
    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9
    GRAPHS = 10
    SPARSE_TENSOR = 11
    SPARSE_TENSORS = 12


class ArgType(IntEnum):
    """Which side of an operator a formal parameter stands on."""

    INPUT = 0
    OUTPUT = 1


EdgeEnd: Final = StructType(
    "EdgeEnd",
    size=12,
    alignment=4,
    fields=(
        StructField("node_index", 0, Kind.UINT32),
        StructField("src_arg_index", 4, Kind.INT32),
        StructField("dst_arg_index", 8, Kind.INT32),
    ),
    doc="One end of an edge: the node there, and the argument on each side.",
)


class InferenceSession:
    """The root: a model made ready for a session."""

    ort_version: Final = Field(
        "InferenceSession",
        "ort_version",
        0,
        Kind.STRING,
        doc="The format version, as a decimal number.",
    )
    model: Final = Field("InferenceSession", "model", 1, Kind.TABLE, target="Model")
    session_state: Final = Field(
        "InferenceSession",
        "session_state",
        2,
        Kind.TABLE,
        target="DeprecatedSessionState",
        until=4,
        deprecated=True,
        doc="Kernel hashes; replaced by `kernel_type_str_resolver` in version 5 (history).",
    )
    kernel_type_str_resolver: Final = Field(
        "InferenceSession",
        "kernel_type_str_resolver",
        3,
        Kind.TABLE,
        target="KernelTypeStrResolver",
        since=5,
    )


class Model:
    """The main graph, and what is said of the whole."""

    ir_version: Final = Field("Model", "ir_version", 0, Kind.INT64)
    opset_import: Final = Field(
        "Model",
        "opset_import",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="OperatorSetId",
        doc="The model's imports and every domain that the writer knew (observed).",
    )
    producer_name: Final = Field("Model", "producer_name", 2, Kind.STRING)
    producer_version: Final = Field("Model", "producer_version", 3, Kind.STRING)
    domain: Final = Field("Model", "domain", 4, Kind.STRING)
    model_version: Final = Field(
        "Model",
        "model_version",
        5,
        Kind.INT64,
        doc="9223372036854775807 where the source set none, 0 up to 1.8 (observed).",
    )
    doc_string: Final = Field("Model", "doc_string", 6, Kind.STRING)
    graph: Final = Field("Model", "graph", 7, Kind.TABLE, target="Graph")
    graph_doc_string: Final = Field("Model", "graph_doc_string", 8, Kind.STRING, since=3)
    metadata_props: Final = Field(
        "Model",
        "metadata_props",
        9,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="StringStringEntry",
        since=4,
        doc="Came within version 4; written by 1.9 and later (observed).",
    )


class OperatorSetId:
    """The version of a domain that the model is written against."""

    domain: Final = Field(
        "OperatorSetId",
        "domain",
        0,
        Kind.STRING,
        doc="Empty for ONNX's own operators; some old files say `ai.onnx` (observed).",
    )
    version: Final = Field("OperatorSetId", "version", 1, Kind.INT64)


class Graph:
    """The main graph, or a subgraph held by an attribute."""

    initializers: Final = Field(
        "Graph", "initializers", 0, Kind.VECTOR, element=Kind.TABLE, target="Tensor"
    )
    node_args: Final = Field(
        "Graph",
        "node_args",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="ValueInfo",
        doc=(
            "Every value of the graph with its type, unused ones and outer ones that its own "
            "nodes take as inputs too; what only its subgraphs read from further out is not "
            "there (observed)."
        ),
    )
    nodes: Final = Field("Graph", "nodes", 2, Kind.VECTOR, element=Kind.TABLE, target="Node")
    max_node_index: Final = Field(
        "Graph",
        "max_node_index",
        3,
        Kind.UINT32,
        doc="Greater than every `Node.index`; may be more than needed (observed).",
    )
    node_edges: Final = Field(
        "Graph", "node_edges", 4, Kind.VECTOR, element=Kind.TABLE, target="NodeEdge"
    )
    inputs: Final = Field(
        "Graph",
        "inputs",
        5,
        Kind.VECTOR,
        element=Kind.STRING,
        doc="Value names, those of overridable initializers included (observed).",
    )
    outputs: Final = Field("Graph", "outputs", 6, Kind.VECTOR, element=Kind.STRING)
    sparse_initializers: Final = Field(
        "Graph",
        "sparse_initializers",
        7,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="SparseTensor",
        since=2,
    )
    runtime_optimizations: Final = Field(
        "Graph",
        "runtime_optimizations",
        8,
        Kind.TABLE,
        target="RuntimeOptimizations",
        since=4,
        doc="Came within version 4; written by 1.11 and later (observed).",
    )


class Tensor:
    """A dense tensor with its elements."""

    name: Final = Field(
        "Tensor", "name", 0, Kind.STRING, doc="Absent in the indices of a sparse tensor (observed)."
    )
    doc_string: Final = Field("Tensor", "doc_string", 1, Kind.STRING)
    dims: Final = Field(
        "Tensor",
        "dims",
        2,
        Kind.VECTOR,
        element=Kind.INT64,
        doc="Sizes; empty for a scalar (observed).",
    )
    data_type: Final = Field(
        "Tensor",
        "data_type",
        3,
        Kind.INT32,
        target="TensorDataType",
        doc="May hold a number beyond the enum (observed).",
    )
    raw_data: Final = Field(
        "Tensor",
        "raw_data",
        4,
        Kind.VECTOR,
        element=Kind.UINT8,
        doc=("The elements, little-endian, only 4-byte aligned (observed). Not used for strings."),
    )
    string_data: Final = Field(
        "Tensor",
        "string_data",
        5,
        Kind.VECTOR,
        element=Kind.STRING,
        doc="The elements of a STRING tensor.",
    )
    external_data_offset: Final = Field(
        "Tensor",
        "external_data_offset",
        6,
        Kind.INT64,
        default=-1,
        since=6,
        doc=(
            "Where the elements stand in a checkpoint's side file; -1 for not there. Came "
            "within version 6 (in 1.24.4, not yet in 1.16.1). Training checkpoints only: no "
            "model loader accepts it."
        ),
    )


class ValueInfo:
    """A value by name: an input, an output, or whatever passes between nodes."""

    name: Final = Field(
        "ValueInfo",
        "name",
        0,
        Kind.STRING,
        doc="Empty for the entry that stands for an optional input left out (observed).",
    )
    doc_string: Final = Field("ValueInfo", "doc_string", 1, Kind.STRING)
    type: Final = Field(
        "ValueInfo",
        "type",
        2,
        Kind.TABLE,
        target="TypeInfo",
        doc="Absent only in the entry with the empty name (observed).",
    )


class TypeInfo:
    """The type of a value."""

    denotation: Final = Field(
        "TypeInfo", "denotation", 0, Kind.STRING, doc="What the value stands for (ONNX)."
    )
    value_type: Final = Field("TypeInfo", "value_type", 1, Kind.UNION_TYPE, target="TypeInfoValue")
    value: Final = Field(
        "TypeInfo",
        "value",
        2,
        Kind.UNION,
        target="TypeInfoValue",
        doc="Slot 1 is the tag, `value_type`.",
    )


class TensorTypeAndShape:
    """The type of a dense tensor."""

    elem_type: Final = Field(
        "TensorTypeAndShape",
        "elem_type",
        0,
        Kind.INT32,
        target="TensorDataType",
        doc="May hold a number beyond the enum (observed).",
    )
    shape: Final = Field(
        "TensorTypeAndShape",
        "shape",
        1,
        Kind.TABLE,
        target="Shape",
        doc="Absent where even the rank is unknown.",
    )


class Shape:
    """The dimensions; none for a scalar."""

    dim: Final = Field("Shape", "dim", 0, Kind.VECTOR, element=Kind.TABLE, target="Dimension")


class Dimension:
    """One axis of a shape."""

    value: Final = Field("Dimension", "value", 0, Kind.TABLE, target="DimensionValue")
    denotation: Final = Field(
        "Dimension", "denotation", 1, Kind.STRING, doc="What the axis stands for (ONNX)."
    )


class DimensionValue:
    """A size, the name of a symbolic size, or neither."""

    dim_type: Final = Field("DimensionValue", "dim_type", 0, Kind.INT8, target="DimensionValueType")
    dim_value: Final = Field(
        "DimensionValue", "dim_value", 1, Kind.INT64, doc="The size, where `dim_type` is VALUE."
    )
    dim_param: Final = Field(
        "DimensionValue", "dim_param", 2, Kind.STRING, doc="The name, where `dim_type` is PARAM."
    )


class SequenceType:
    """The type of a sequence."""

    elem_type: Final = Field("SequenceType", "elem_type", 0, Kind.TABLE, target="TypeInfo")


class MapType:
    """The type of a map."""

    key_type: Final = Field(
        "MapType",
        "key_type",
        0,
        Kind.INT32,
        target="TensorDataType",
        doc="An integer type or STRING (ONNX).",
    )
    value_type: Final = Field("MapType", "value_type", 1, Kind.TABLE, target="TypeInfo")


class Node:
    """A call of an operator."""

    name: Final = Field("Node", "name", 0, Kind.STRING)
    doc_string: Final = Field(
        "Node", "doc_string", 1, Kind.STRING, doc="Written always, mostly empty (observed)."
    )
    domain: Final = Field("Node", "domain", 2, Kind.STRING)
    since_version: Final = Field(
        "Node",
        "since_version",
        3,
        Kind.INT32,
        doc="The opset version that brought this definition of the operator.",
    )
    index: Final = Field(
        "Node",
        "index",
        4,
        Kind.UINT32,
        doc=(
            "The node's number in its graph; there may be gaps. Nodes stand in this order, "
            "which need not be topological (observed)."
        ),
    )
    op_type: Final = Field("Node", "op_type", 5, Kind.STRING)
    type: Final = Field("Node", "type", 6, Kind.INT32, target="NodeType")
    execution_provider_type: Final = Field(
        "Node",
        "execution_provider_type",
        7,
        Kind.STRING,
        doc="Where the node was to run when the file was saved; not used on load (observed).",
    )
    inputs: Final = Field(
        "Node",
        "inputs",
        8,
        Kind.VECTOR,
        element=Kind.STRING,
        doc="Value names; empty for an optional input left out.",
    )
    outputs: Final = Field(
        "Node",
        "outputs",
        9,
        Kind.VECTOR,
        element=Kind.STRING,
        doc="Value names; empty for an optional output left out.",
    )
    attributes: Final = Field(
        "Node", "attributes", 10, Kind.VECTOR, element=Kind.TABLE, target="Attribute"
    )
    input_arg_counts: Final = Field(
        "Node",
        "input_arg_counts",
        11,
        Kind.VECTOR,
        element=Kind.INT32,
        doc="How many of the inputs belong to each formal parameter of the operator.",
    )
    implicit_inputs: Final = Field(
        "Node",
        "implicit_inputs",
        12,
        Kind.VECTOR,
        element=Kind.STRING,
        doc="Values of outer graphs that the node's subgraphs read.",
    )


class Attribute:
    """A named constant of a node."""

    name: Final = Field("Attribute", "name", 0, Kind.STRING)
    doc_string: Final = Field("Attribute", "doc_string", 1, Kind.STRING)
    type: Final = Field(
        "Attribute",
        "type",
        2,
        Kind.INT32,
        target="AttributeType",
        doc=("Which one of the slots below holds the value. A number that is 0 is left out there."),
    )
    f: Final = Field("Attribute", "f", 3, Kind.FLOAT)
    i: Final = Field("Attribute", "i", 4, Kind.INT64)
    s: Final = Field("Attribute", "s", 5, Kind.STRING)
    t: Final = Field("Attribute", "t", 6, Kind.TABLE, target="Tensor")
    g: Final = Field("Attribute", "g", 7, Kind.TABLE, target="Graph")
    floats: Final = Field("Attribute", "floats", 8, Kind.VECTOR, element=Kind.FLOAT)
    ints: Final = Field("Attribute", "ints", 9, Kind.VECTOR, element=Kind.INT64)
    strings: Final = Field("Attribute", "strings", 10, Kind.VECTOR, element=Kind.STRING)
    tensors: Final = Field(
        "Attribute", "tensors", 11, Kind.VECTOR, element=Kind.TABLE, target="Tensor"
    )
    graphs: Final = Field(
        "Attribute", "graphs", 12, Kind.VECTOR, element=Kind.TABLE, target="Graph"
    )


class NodeEdge:
    """The edges of one node.

    Every node has an entry, those without edges too, in the order of the nodes (observed).
    """

    node_index: Final = Field(
        "NodeEdge", "node_index", 0, Kind.UINT32, doc="`Node.index` of the node."
    )
    input_edges: Final = Field(
        "NodeEdge", "input_edges", 1, Kind.VECTOR, element=Kind.STRUCT, target="EdgeEnd"
    )
    output_edges: Final = Field(
        "NodeEdge", "output_edges", 2, Kind.VECTOR, element=Kind.STRUCT, target="EdgeEnd"
    )


class SparseTensor:
    """A tensor of which only the elements that are not zero are stored."""

    values: Final = Field(
        "SparseTensor",
        "values",
        0,
        Kind.TABLE,
        target="Tensor",
        since=2,
        doc="The elements that are not zero. Its name is the tensor's name (observed).",
    )
    indices: Final = Field(
        "SparseTensor",
        "indices",
        1,
        Kind.TABLE,
        target="Tensor",
        since=2,
        doc=(
            "Linear indices: int64 up to 1.8, from 1.9 the narrowest signed type that fits "
            "(observed)."
        ),
    )
    dims: Final = Field("SparseTensor", "dims", 2, Kind.VECTOR, element=Kind.INT64, since=2)


class RuntimeOptimizations:
    """The saved runtime optimizations of one graph."""

    records: Final = Field(
        "RuntimeOptimizations",
        "records",
        0,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="RuntimeOptimizationRecordContainerEntry",
        since=4,
    )


class RuntimeOptimizationRecordContainerEntry:
    """The records of one optimizer."""

    optimizer_name: Final = Field(
        "RuntimeOptimizationRecordContainerEntry",
        "optimizer_name",
        0,
        Kind.STRING,
        since=4,
        key=True,
    )
    runtime_optimization_records: Final = Field(
        "RuntimeOptimizationRecordContainerEntry",
        "runtime_optimization_records",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="RuntimeOptimizationRecord",
        since=4,
    )


class RuntimeOptimizationRecord:
    """One rewrite, saved to be done when the model is loaded."""

    action_id: Final = Field(
        "RuntimeOptimizationRecord",
        "action_id",
        0,
        Kind.STRING,
        since=4,
        doc="The rule's name in its optimizer. Names changed in 1.17 and 1.19 (observed).",
    )
    nodes_to_optimize_indices: Final = Field(
        "RuntimeOptimizationRecord",
        "nodes_to_optimize_indices",
        1,
        Kind.TABLE,
        target="NodesToOptimizeIndices",
        since=4,
    )
    produced_nodes: Final = Field(
        "RuntimeOptimizationRecord",
        "produced_nodes",
        2,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="DeprecatedNodeIndexAndKernelDefHash",
        since=4,
        until=4,
        deprecated=True,
        doc="Replaced by `produced_op_ids` in version 5 (history).",
    )
    produced_op_ids: Final = Field(
        "RuntimeOptimizationRecord",
        "produced_op_ids",
        3,
        Kind.VECTOR,
        element=Kind.STRING,
        since=5,
        doc=(
            "Operators, as `domain:op_type:since_version`, of the nodes that the rewrite creates."
        ),
    )


class NodesToOptimizeIndices:
    """The nodes that one rule would rewrite.

    They stand in this order: input-side nodes, the one target, output-side nodes.
    """

    node_indices: Final = Field(
        "NodesToOptimizeIndices",
        "node_indices",
        0,
        Kind.VECTOR,
        element=Kind.UINT32,
        since=4,
        doc=("`Node.index` values; 4294967295 where the rule has a place and the model no node."),
    )
    num_inputs: Final = Field("NodesToOptimizeIndices", "num_inputs", 1, Kind.UINT32, since=4)
    num_outputs: Final = Field("NodesToOptimizeIndices", "num_outputs", 2, Kind.UINT32, since=4)
    has_variadic_input: Final = Field(
        "NodesToOptimizeIndices",
        "has_variadic_input",
        3,
        Kind.BOOL,
        since=4,
        doc="Whether the last input position stands for `num_variadic_inputs` nodes.",
    )
    has_variadic_output: Final = Field(
        "NodesToOptimizeIndices",
        "has_variadic_output",
        4,
        Kind.BOOL,
        since=4,
        doc="Whether the last output position stands for `num_variadic_outputs` nodes.",
    )
    num_variadic_inputs: Final = Field(
        "NodesToOptimizeIndices", "num_variadic_inputs", 5, Kind.UINT32, since=4
    )
    num_variadic_outputs: Final = Field(
        "NodesToOptimizeIndices", "num_variadic_outputs", 6, Kind.UINT32, since=4
    )


class DeprecatedNodeIndexAndKernelDefHash:
    """A node that a version 4 record would produce, with the hash of its kernel."""

    node_index: Final = Field(
        "DeprecatedNodeIndexAndKernelDefHash", "node_index", 0, Kind.UINT32, since=4
    )
    kernel_def_hash: Final = Field(
        "DeprecatedNodeIndexAndKernelDefHash", "kernel_def_hash", 1, Kind.UINT64, since=4
    )


class StringStringEntry:
    """A key and its value.

    Came with `Model.metadata_props`.
    """

    key: Final = Field("StringStringEntry", "key", 0, Kind.STRING, since=4)
    value: Final = Field("StringStringEntry", "value", 1, Kind.STRING, since=4)


class DeprecatedSessionState:
    """The kernels of a graph, chosen when the file was written."""

    kernels: Final = Field(
        "DeprecatedSessionState", "kernels", 0, Kind.TABLE, target="DeprecatedKernelCreateInfos"
    )
    sub_graph_session_states: Final = Field(
        "DeprecatedSessionState",
        "sub_graph_session_states",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="DeprecatedSubGraphSessionState",
    )


class DeprecatedKernelCreateInfos:
    """Two columns: nodes, and the hash of the kernel that each was given."""

    node_indices: Final = Field(
        "DeprecatedKernelCreateInfos", "node_indices", 0, Kind.VECTOR, element=Kind.UINT32
    )
    kernel_def_hashes: Final = Field(
        "DeprecatedKernelCreateInfos", "kernel_def_hashes", 1, Kind.VECTOR, element=Kind.UINT64
    )


class DeprecatedSubGraphSessionState:
    """The kernels of a subgraph."""

    graph_id: Final = Field(
        "DeprecatedSubGraphSessionState",
        "graph_id",
        0,
        Kind.STRING,
        key=True,
        doc="`Node.index` and attribute name: `3_then_branch` (observed).",
    )
    session_state: Final = Field(
        "DeprecatedSubGraphSessionState",
        "session_state",
        1,
        Kind.TABLE,
        target="DeprecatedSessionState",
    )


class KernelTypeStrResolver:
    """What a build without operator schemas needs to choose kernels by type."""

    op_kernel_type_str_args: Final = Field(
        "KernelTypeStrResolver",
        "op_kernel_type_str_args",
        0,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="OpIdKernelTypeStrArgsEntry",
        since=5,
    )


class OpIdKernelTypeStrArgsEntry:
    """The kernel type strings of one operator."""

    op_id: Final = Field(
        "OpIdKernelTypeStrArgsEntry",
        "op_id",
        0,
        Kind.STRING,
        since=5,
        key=True,
        doc="`domain:op_type:since_version`, the domain empty for ONNX's own operators.",
    )
    kernel_type_str_args: Final = Field(
        "OpIdKernelTypeStrArgsEntry",
        "kernel_type_str_args",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="KernelTypeStrArgsEntry",
        since=5,
    )


class KernelTypeStrArgsEntry:
    """The formal parameters that share one type."""

    kernel_type_str: Final = Field(
        "KernelTypeStrArgsEntry",
        "kernel_type_str",
        0,
        Kind.STRING,
        since=5,
        key=True,
        doc="The type constraint's name, or the parameter's own where it has no constraint.",
    )
    args: Final = Field(
        "KernelTypeStrArgsEntry",
        "args",
        1,
        Kind.VECTOR,
        element=Kind.TABLE,
        target="ArgTypeAndIndex",
        since=5,
    )


class ArgTypeAndIndex:
    """A formal parameter of an operator: its side and its position."""

    arg_type: Final = Field("ArgTypeAndIndex", "arg_type", 0, Kind.INT8, target="ArgType", since=5)
    index: Final = Field("ArgTypeAndIndex", "index", 1, Kind.UINT32, since=5)


SCHEMA: Final = Schema(
    identifier=b"ORTM",
    root="InferenceSession",
    tables=tables_of(
        InferenceSession,
        Model,
        OperatorSetId,
        Graph,
        Tensor,
        ValueInfo,
        TypeInfo,
        TensorTypeAndShape,
        Shape,
        Dimension,
        DimensionValue,
        SequenceType,
        MapType,
        Node,
        Attribute,
        NodeEdge,
        SparseTensor,
        RuntimeOptimizations,
        RuntimeOptimizationRecordContainerEntry,
        RuntimeOptimizationRecord,
        NodesToOptimizeIndices,
        DeprecatedNodeIndexAndKernelDefHash,
        StringStringEntry,
        DeprecatedSessionState,
        DeprecatedKernelCreateInfos,
        DeprecatedSubGraphSessionState,
        KernelTypeStrResolver,
        OpIdKernelTypeStrArgsEntry,
        KernelTypeStrArgsEntry,
        ArgTypeAndIndex,
    ),
    structs={
        "EdgeEnd": EdgeEnd,
    },
    enums={
        "TensorDataType": TensorDataType,
        "TypeInfoValue": TypeInfoValue,
        "DimensionValueType": DimensionValueType,
        "NodeType": NodeType,
        "AttributeType": AttributeType,
        "ArgType": ArgType,
    },
    unions={
        "TypeInfoValue": {
            TypeInfoValue.tensor_type: "TensorTypeAndShape",
            TypeInfoValue.sequence_type: "SequenceType",
            TypeInfoValue.map_type: "MapType",
        },
    },
)
