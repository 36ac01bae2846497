"""The ONNX messages, as field numbers: what the reader asks for, by the names of the specification.

Numbers and types are those of ONNX IR version 14, <https://github.com/onnx/onnx/blob/main/docs/IR.md>
and the message definitions it describes. Fields that no reader here looks into are left out.
"""

from __future__ import annotations

from ortstudio.format.protobuf import Field
from ortstudio.format.protowire import FIXED32, FIXED64, LENGTH, VARINT


class ModelProto:
    """A file."""

    IR_VERSION = Field(1, VARINT, "ir_version")
    PRODUCER_NAME = Field(2, LENGTH, "producer_name")
    PRODUCER_VERSION = Field(3, LENGTH, "producer_version")
    DOMAIN = Field(4, LENGTH, "domain")
    MODEL_VERSION = Field(5, VARINT, "model_version")
    DOC_STRING = Field(6, LENGTH, "doc_string")
    GRAPH = Field(7, LENGTH, "graph")
    OPSET_IMPORT = Field(8, LENGTH, "opset_import", repeated=True)
    METADATA_PROPS = Field(14, LENGTH, "metadata_props", repeated=True)
    TRAINING_INFO = Field(20, LENGTH, "training_info", repeated=True)
    FUNCTIONS = Field(25, LENGTH, "functions", repeated=True)
    CONFIGURATION = Field(26, LENGTH, "configuration", repeated=True)


class OperatorSetIdProto:
    """An imported operator set."""

    DOMAIN = Field(1, LENGTH, "domain")
    VERSION = Field(2, VARINT, "version")


class StringStringEntryProto:
    """A key and its value."""

    KEY = Field(1, LENGTH, "key")
    VALUE = Field(2, LENGTH, "value")


class GraphProto:
    """A graph or subgraph."""

    NODE = Field(1, LENGTH, "node", repeated=True)
    NAME = Field(2, LENGTH, "name")
    INITIALIZER = Field(5, LENGTH, "initializer", repeated=True)
    DOC_STRING = Field(10, LENGTH, "doc_string")
    INPUT = Field(11, LENGTH, "input", repeated=True)
    OUTPUT = Field(12, LENGTH, "output", repeated=True)
    VALUE_INFO = Field(13, LENGTH, "value_info", repeated=True)
    QUANTIZATION_ANNOTATION = Field(14, LENGTH, "quantization_annotation", repeated=True)
    SPARSE_INITIALIZER = Field(15, LENGTH, "sparse_initializer", repeated=True)
    METADATA_PROPS = Field(16, LENGTH, "metadata_props", repeated=True)


class FunctionProto:
    """A model-local function."""

    NAME = Field(1, LENGTH, "name")
    INPUT = Field(4, LENGTH, "input", repeated=True)
    OUTPUT = Field(5, LENGTH, "output", repeated=True)
    ATTRIBUTE = Field(6, LENGTH, "attribute", repeated=True)
    NODE = Field(7, LENGTH, "node", repeated=True)
    DOC_STRING = Field(8, LENGTH, "doc_string")
    OPSET_IMPORT = Field(9, LENGTH, "opset_import", repeated=True)
    DOMAIN = Field(10, LENGTH, "domain")
    ATTRIBUTE_PROTO = Field(11, LENGTH, "attribute_proto", repeated=True)
    VALUE_INFO = Field(12, LENGTH, "value_info", repeated=True)
    OVERLOAD = Field(13, LENGTH, "overload")
    METADATA_PROPS = Field(14, LENGTH, "metadata_props", repeated=True)


class NodeProto:
    """A node."""

    INPUT = Field(1, LENGTH, "input", repeated=True)
    OUTPUT = Field(2, LENGTH, "output", repeated=True)
    NAME = Field(3, LENGTH, "name")
    OP_TYPE = Field(4, LENGTH, "op_type")
    ATTRIBUTE = Field(5, LENGTH, "attribute", repeated=True)
    DOC_STRING = Field(6, LENGTH, "doc_string")
    DOMAIN = Field(7, LENGTH, "domain")
    OVERLOAD = Field(8, LENGTH, "overload")
    METADATA_PROPS = Field(9, LENGTH, "metadata_props", repeated=True)
    DEVICE_CONFIGURATIONS = Field(10, LENGTH, "device_configurations", repeated=True)


class AttributeProto:
    """A named attribute; `type` says which of the other fields holds its value."""

    NAME = Field(1, LENGTH, "name")
    F = Field(2, FIXED32, "f")
    I = Field(3, VARINT, "i")  # noqa: E741
    S = Field(4, LENGTH, "s")
    T = Field(5, LENGTH, "t")
    G = Field(6, LENGTH, "g")
    FLOATS = Field(7, FIXED32, "floats", repeated=True)
    INTS = Field(8, VARINT, "ints", repeated=True)
    STRINGS = Field(9, LENGTH, "strings", repeated=True)
    TENSORS = Field(10, LENGTH, "tensors", repeated=True)
    GRAPHS = Field(11, LENGTH, "graphs", repeated=True)
    DOC_STRING = Field(13, LENGTH, "doc_string")
    TP = Field(14, LENGTH, "tp")
    TYPE_PROTOS = Field(15, LENGTH, "type_protos", repeated=True)
    TYPE = Field(20, VARINT, "type")
    REF_ATTR_NAME = Field(21, LENGTH, "ref_attr_name")
    SPARSE_TENSOR = Field(22, LENGTH, "sparse_tensor")
    SPARSE_TENSORS = Field(23, LENGTH, "sparse_tensors", repeated=True)


class ValueInfoProto:
    """A value's declaration."""

    NAME = Field(1, LENGTH, "name")
    TYPE = Field(2, LENGTH, "type")
    DOC_STRING = Field(3, LENGTH, "doc_string")


class TypeProto:
    """A value type: one of six kinds."""

    TENSOR_TYPE = Field(1, LENGTH, "tensor_type")
    SEQUENCE_TYPE = Field(4, LENGTH, "sequence_type")
    MAP_TYPE = Field(5, LENGTH, "map_type")
    DENOTATION = Field(6, LENGTH, "denotation")
    OPAQUE_TYPE = Field(7, LENGTH, "opaque_type")
    SPARSE_TENSOR_TYPE = Field(8, LENGTH, "sparse_tensor_type")
    OPTIONAL_TYPE = Field(9, LENGTH, "optional_type")


class TensorTypeProto:
    """`TypeProto.Tensor` and `TypeProto.SparseTensor`."""

    ELEM_TYPE = Field(1, VARINT, "elem_type")
    SHAPE = Field(2, LENGTH, "shape")


class ElementTypeProto:
    """`TypeProto.Sequence` and `TypeProto.Optional`."""

    ELEM_TYPE = Field(1, LENGTH, "elem_type")


class MapTypeProto:
    """`TypeProto.Map`."""

    KEY_TYPE = Field(1, VARINT, "key_type")
    VALUE_TYPE = Field(2, LENGTH, "value_type")


class OpaqueTypeProto:
    """`TypeProto.Opaque`."""

    DOMAIN = Field(1, LENGTH, "domain")
    NAME = Field(2, LENGTH, "name")


class TensorShapeProto:
    """A shape."""

    DIM = Field(1, LENGTH, "dim", repeated=True)


class DimensionProto:
    """`TensorShapeProto.Dimension`: a number, or a name, or neither."""

    DIM_VALUE = Field(1, VARINT, "dim_value")
    DIM_PARAM = Field(2, LENGTH, "dim_param")


class TensorProto:
    """A constant."""

    DIMS = Field(1, VARINT, "dims", repeated=True)
    DATA_TYPE = Field(2, VARINT, "data_type")
    FLOAT_DATA = Field(4, FIXED32, "float_data", repeated=True)
    INT32_DATA = Field(5, VARINT, "int32_data", repeated=True)
    STRING_DATA = Field(6, LENGTH, "string_data", repeated=True)
    INT64_DATA = Field(7, VARINT, "int64_data", repeated=True)
    NAME = Field(8, LENGTH, "name")
    RAW_DATA = Field(9, LENGTH, "raw_data")
    DOUBLE_DATA = Field(10, FIXED64, "double_data", repeated=True)
    UINT64_DATA = Field(11, VARINT, "uint64_data", repeated=True)
    DOC_STRING = Field(12, LENGTH, "doc_string")
    EXTERNAL_DATA = Field(13, LENGTH, "external_data", repeated=True)
    DATA_LOCATION = Field(14, VARINT, "data_location")


EXTERNAL = 1
"""`TensorProto.data_location` of a tensor whose elements are in another file."""


class SparseTensorProto:
    """A sparse constant."""

    VALUES = Field(1, LENGTH, "values")
    INDICES = Field(2, LENGTH, "indices")
    DIMS = Field(3, VARINT, "dims", repeated=True)
