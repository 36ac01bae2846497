"""Python, with the onnxruntime package."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
    data_type_text,
)
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, package
from ortstudio.services.snippet.loading import Loading, Way, entries, refuse_kept_bytes
from ortstudio.services.snippet.model import Port, SnippetModel, dims_text
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    identifiers,
    quoted,
    upper_snake,
)

NUMPY: Mapping[int, str] = {
    DataType.FLOAT: "np.float32",
    DataType.DOUBLE: "np.float64",
    DataType.FLOAT16: "np.float16",
    DataType.INT8: "np.int8",
    DataType.INT16: "np.int16",
    DataType.INT32: "np.int32",
    DataType.INT64: "np.int64",
    DataType.UINT8: "np.uint8",
    DataType.UINT16: "np.uint16",
    DataType.UINT32: "np.uint32",
    DataType.UINT64: "np.uint64",
    DataType.BOOL: "np.bool_",
}
BITS: Mapping[int, str] = {
    DataType.BFLOAT16: "np.uint16",
    DataType.FLOAT8E4M3FN: "np.uint8",
    DataType.FLOAT8E4M3FNUZ: "np.uint8",
    DataType.FLOAT8E5M2: "np.uint8",
    DataType.FLOAT8E5M2FNUZ: "np.uint8",
    DataType.FLOAT8E8M0: "np.uint8",
}
"""Types that numpy lacks, which `OrtValue` takes as bits with their ONNX number."""

PACKED: frozenset[int] = frozenset(
    {DataType.INT4, DataType.UINT4, DataType.FLOAT4E2M1, DataType.INT2, DataType.UINT2}
)
"""The same below 8 bits: the array has the full shape, and its first bytes hold all elements."""

_MAP_ZEROS: Mapping[int, str] = {DataType.INT64: "0", DataType.STRING: '""'}
"""Values of maps; they are floats else."""


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.DIRECT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for a way of loading that Python must not take."""
    refuse_kept_bytes(loading, "From Python the session would use bytes that are gone, and crash")
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    as_values = any(_has_bits(port.type) for port in (*model.inputs, *model.outputs))
    values = {port: _fed(port, sizes, as_values) for port in model.inputs}
    unread = [port for port in model.outputs if as_values and not _is_tensor(port)]
    read = [port for port in model.outputs if port not in unread]
    parts = [
        _PYTHON.opening(model),
        _imports(model, as_values),
        _constants(model),
        _PYTHON.sizes(model, sizes),
        _session(model, loading),
        _inputs(values),
        *([_numbers(read)] if as_values else []),
        [*_output_names(read), *_run(as_values)],
    ]
    requires = [package("onnxruntime", model, loading), "numpy"]
    if model.needs_extensions:
        requires.append("onnxruntime-extensions")
    return _PYTHON.snippet(model, loading, parts, values=values, unread=unread, requires=requires)


def _literal(text: str) -> str:
    return quoted(text, C_ESCAPES, _escape)


def _escape(code_point: int) -> str:
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"


_PYTHON = Syntax(
    "python",
    "Python",
    _literal,
    entry="options.add_session_config_entry({key}, {value})",
    disable="options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL",
    size="{name} = {value}",
    library="CUSTOM_OPS = {file}",
    mark="#",
)


def _imports(model: SnippetModel, as_values: bool) -> list[str]:
    lines = ["import ctypes", ""] if as_values else []
    lines += ["import numpy as np", "import onnxruntime as ort"]
    if model.needs_extensions:
        lines.append("from onnxruntime_extensions import get_library_path")
    return lines


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"MODEL = {_literal(model.path)}"]
    if model.needs_library:
        lines += _PYTHON.operators(model, "custom_ops.so")
    return lines


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    source, lines = "MODEL", _PYTHON.level(loading)
    lines += _PYTHON.entries(entries(model, loading))
    if model.needs_extensions:
        lines.append("options.register_custom_ops_library(get_library_path())")
    if model.needs_library:
        lines.append("options.register_custom_ops_library(CUSTOM_OPS)")
    options = "options, " if lines else ""
    if options:
        lines.insert(0, "options = ort.SessionOptions()")
    if loading.way is Way.BYTES:
        lines += ['with open(MODEL, "rb") as file:', "    model = file.read()"]
        source = "model"
    providers = 'providers=["CPUExecutionProvider"]'
    return [*lines, f"session = ort.InferenceSession({source}, {options}{providers})"]


def _inputs(values: Mapping[Port, str]) -> list[str]:
    if not values:
        return ["inputs = {}"]
    fed = _PYTHON.fed(values, _input, "    ")
    return ["# Zeros: your data goes here.", "inputs = {", *fed, "}"]


def _input(port: Port, value: str) -> list[str]:
    return [*_hint(port), f"{_literal(port.name)}: {value},"]


def _hint(port: Port) -> list[str]:
    """What cannot be seen from the array."""
    if not isinstance(port.type, TensorType) or not _has_bits(port.type):
        return []
    text = data_type_text(port.type.elem_type)
    packed = port.type.elem_type in PACKED
    how = "its elements packed into the first bytes" if packed else "as bits"
    return _PYTHON.comment(f"{text}, {how}.")


def _fed(port: Port, sizes: Mapping[str, str], as_values: bool) -> str:
    """An expression for an input; empty where Python has none. Values are all of one kind."""
    value = _value(port.type, sizes)
    if not as_values or not value or _has_bits(port.type):
        return value
    return f"ort.OrtValue.ortvalue_from_numpy({value})" if _is_tensor(port) else ""


def _value(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    if isinstance(of, TensorType):
        return _tensor(of, sizes)
    if isinstance(of, OptionalType):
        return _value(of.element, sizes)
    if isinstance(of, SequenceType):
        element = "" if _has_bits(of.element) else _value(of.element, sizes)
        return f"[{element}]" if element else ""
    if isinstance(of, MapType) and isinstance(of.value, TensorType):
        key = '"key"' if of.key_type == DataType.STRING else "0"
        zero = _MAP_ZEROS.get(of.value.elem_type, "0.0")
        return f"{{{key}: {zero}}}"
    return ""


def _tensor(of: TensorType, sizes: Mapping[str, str]) -> str:
    shape = _shape(of, sizes)
    if of.elem_type == DataType.STRING:
        return f'np.full({shape}, "", object)'
    if _has_bits(of):
        dtype = BITS.get(of.elem_type, "np.uint8")
        zeros = f"np.zeros({shape}, {dtype})"
        return f"ort.OrtValue.ortvalue_from_numpy_with_onnx_type({zeros}, {of.elem_type})"
    found = NUMPY.get(of.elem_type)
    return f"np.zeros({shape}, {found})" if found else ""


def _shape(of: TensorType, sizes: Mapping[str, str]) -> str:
    dims = dims_text(of, sizes)
    return f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"


def _is_tensor(port: Port) -> bool:
    return isinstance(port.type, TensorType)


def _has_bits(of: ValueType | None) -> bool:
    return isinstance(of, TensorType) and (of.elem_type in BITS or of.elem_type in PACKED)


def _output_names(read: list[Port]) -> list[str]:
    return bracketed("output_names = [", [_literal(port.name) for port in read], "]", "    ")


def _numbers(read: list[Port]) -> list[str]:
    """A function for outputs of types that numpy lacks."""
    types = {port.type.elem_type for port in read if isinstance(port.type, TensorType)}
    bits = {
        f'"tensor({data_type_text(number)})"': BITS.get(number, "np.uint8")
        for number in sorted(types)
        if number in BITS or number in PACKED
    }
    if not bits:
        return ["def numbers(value):", "    return value.numpy()", ""]
    table = bracketed("BITS = {", [f"{key}: {dtype}" for key, dtype in bits.items()], "}", "    ")
    return [
        *table,
        "",
        "",
        "def numbers(value):",
        '    """An output as an array: its bits, where numpy lacks the type."""',
        "    dtype = BITS.get(value.data_type())",
        "    if dtype is None:",
        "        return value.numpy()",
        "    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())",
        "    return np.frombuffer(data, dtype)",
        "",
    ]


def _run(as_values: bool) -> list[str]:
    run = "run_with_ort_values" if as_values else "run"
    shown = "numbers(value)" if as_values else "value"
    return [
        f"outputs = session.{run}(output_names, inputs)",
        "for name, value in zip(output_names, outputs):",
        f'    print(f"{{name}}:", {shown})',
    ]
