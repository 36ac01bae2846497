"""C++17, with ONNX Runtime's own header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
)
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, package
from ortstudio.services.snippet.cpp_functions import (
    PRINT,
    PRINT_BYTES,
    PRINT_STRINGS,
    RAW_ZEROS,
    READ,
    SEQUENCE,
    SHAPE,
    STRINGS,
    ZEROS,
)
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    dims_text,
    element_types,
    has_sequence,
    held_tensor,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    identifiers,
    indented,
    pascal,
    quoted,
)

INDENT = "  "
_ALLOCATOR = "Ort::AllocatorWithDefaultOptions allocator;"

TYPES: Mapping[int, str] = {
    DataType.FLOAT: "float",
    DataType.DOUBLE: "double",
    DataType.INT8: "int8_t",
    DataType.INT16: "int16_t",
    DataType.INT32: "int32_t",
    DataType.INT64: "int64_t",
    DataType.UINT8: "uint8_t",
    DataType.UINT16: "uint16_t",
    DataType.UINT32: "uint32_t",
    DataType.UINT64: "uint64_t",
    DataType.BOOL: "bool",
    DataType.FLOAT16: "Ort::Float16_t",
    DataType.BFLOAT16: "Ort::BFloat16_t",
    DataType.FLOAT8E4M3FN: "Ort::Float8E4M3FN_t",
    DataType.FLOAT8E4M3FNUZ: "Ort::Float8E4M3FNUZ_t",
    DataType.FLOAT8E5M2: "Ort::Float8E5M2_t",
    DataType.FLOAT8E5M2FNUZ: "Ort::Float8E5M2FNUZ_t",
}
_FLOAT8 = (
    DataType.FLOAT8E4M3FN,
    DataType.FLOAT8E4M3FNUZ,
    DataType.FLOAT8E5M2,
    DataType.FLOAT8E5M2FNUZ,
)
RAW: frozenset[int] = frozenset(
    {
        DataType.INT4,
        DataType.UINT4,
        DataType.FLOAT4E2M1,
        DataType.INT2,
        DataType.UINT2,
        DataType.FLOAT8E8M0,
    }
)
"""Types that the header knows without having a C++ type for them; those below 8 bits are packed."""


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe: the bytes live in `main` until the session is gone."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.KEPT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code."""
    sizes = identifiers(model.sizes, _constant, "size", ("kModel", "kCustomOps"))
    values = {port: _value(port.type, sizes) for port in model.inputs}
    printed = [_printed(port.type, _literal(port.name), f"outputs[{at}]")
               for at, port in enumerate(model.outputs)]  # fmt: skip
    read = [port for port, lines in zip(model.outputs, printed, strict=True) if lines]
    unread = [port for port in model.outputs if port not in read]
    main = [
        *_session(model, loading),
        "",
        *_inputs(values),
        "",
        *_run(model),
        *([_ALLOCATOR] if any(not held_tensor(port.type) for port in read) else []),
        *(line for lines in printed for line in lines),
        *_CPP.unread(unread),
    ]
    fed = [port for port, value in values.items() if value]
    functions = _functions(fed, read)
    if loading.way is Way.BYTES:
        functions.insert(0, READ)
    parts = [
        _CPP.opening(model, ". C++17"),
        ["#include <onnxruntime_cxx_api.h>"],
        _includes(functions, loading),
        ["namespace {"],
        _constants(model),
        _CPP.sizes(model, sizes),
        *functions,
        ["}  // namespace"],
        ["int main() {", *indented(main, INDENT), "}"],
    ]
    is_ascii = all(port.name.isascii() for port in (*model.inputs, *model.outputs))
    return _CPP.snippet(
        model,
        loading,
        parts,
        values=values,
        unread=unread,
        requires=[package("onnxruntime", model, loading), "C++17"],
        more=[] if is_ascii else ["The names are UTF-8: tell MSVC so with /utf-8"],
    )


def _constant(words: list[str]) -> str:
    return "k" + pascal(words)


def _literal(text: str) -> str:
    # Two question marks may begin a trigraph, up to C++14.
    return re.sub(r"(?<=\?)\?", r"\\?", quoted(text, C_ESCAPES, _escape))


def _escape(code_point: int) -> str:
    if code_point < 0xA0:
        # No universal character name is allowed here; an octal escape ends after three digits.
        return "".join(f"\\{byte:03o}" for byte in chr(code_point).encode())
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"


_CPP = Syntax(
    "cpp",
    "C++",
    _literal,
    entry="options.AddConfigEntry({key}, {value});",
    disable="options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);",
    size="constexpr int64_t {name} = {value};",
    library="constexpr const ORTCHAR_T* kCustomOps = ORT_TSTR({file});",
)


def _includes(functions: Iterable[list[str]], loading: Loading) -> list[str]:
    code = "\n".join(line for lines in functions for line in lines)
    wanted = {
        "algorithm": "std::min" in code or "std::fill_n" in code,
        "cstdint": True,
        "cstring": "std::memset" in code,
        "fstream": loading.way is Way.BYTES,
        "iostream": True,
        "utility": "std::move" in code,
        "vector": True,
    }
    return [f"#include <{name}>" for name, used in wanted.items() if used]


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"constexpr const ORTCHAR_T* kModel = ORT_TSTR({_literal(model.path)});"]
    if model.custom_ops:
        file = "custom_ops.so" if model.needs_library else "libortextensions.so"
        lines += _CPP.operators(model, file)
    return lines


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    lines = ["Ort::Env env;", "Ort::SessionOptions options;"]
    lines += _CPP.level(loading) + _CPP.entries(entries(model, loading))
    if model.custom_ops:
        lines.append("options.RegisterCustomOpsLibrary(kCustomOps);")
    if loading.way is not Way.BYTES:
        return [*lines, "Ort::Session session(env, kModel, options);"]
    if loading.in_place:
        lines.append("// Declared before the session, and so outlives it.")
    lines.append("const std::vector<char> bytes = ReadFile(kModel);")
    return [*lines, "Ort::Session session(env, bytes.data(), bytes.size(), options);"]


def _inputs(values: Mapping[Port, str]) -> list[str]:
    names = [_literal(port.name) for port, value in values.items() if value]
    lines = bracketed("const std::vector<const char*> input_names = {", names, "};", INDENT)
    lines.append("std::vector<Ort::Value> inputs;")
    if names:
        lines.append("// Zeros: your data goes into GetTensorMutableData().")
    return lines + _CPP.fed(values, lambda _port, value: [f"inputs.push_back({value});"])


def _value(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    """An expression for a value of the type; empty where the header has none."""
    if isinstance(of, TensorType):
        dims = dims_text(of, sizes)
        return _made(of.elem_type, f"{{{', '.join(dims)}}}")
    if isinstance(of, OptionalType):
        return _value(of.element, sizes)
    if isinstance(of, SequenceType):
        element = _value(of.element, sizes)
        return f"Sequence({element})" if element else ""
    if isinstance(of, MapType) and isinstance(of.value, TensorType):
        keys, values = _made(of.key_type, "{1}"), _made(of.value.elem_type, "{1}")
        return f"Ort::Value::CreateMap({keys}, {values})" if keys and values else ""
    return ""


def _made(number: int, shape: str) -> str:
    """A tensor, by a function of `_functions`."""
    if number == DataType.STRING:
        return f"Strings({shape})"
    if number in RAW:
        return f"Raw({shape}, ONNX_TENSOR_ELEMENT_DATA_TYPE_{DataType(number).name})"
    found = TYPES.get(number)
    return f"Zeros<{found}>({shape})" if found else ""


def _run(model: SnippetModel) -> list[str]:
    names = [_literal(port.name) for port in model.outputs]
    return [
        *bracketed("const std::vector<const char*> output_names = {", names, "};", INDENT),
        "const std::vector<Ort::Value> outputs =",
        "    session.Run(Ort::RunOptions{}, input_names.data(), inputs.data(), inputs.size(),",
        "                output_names.data(), output_names.size());",
    ]


def _printed(of: ValueType | None, name: str, value: str, depth: int = 0) -> list[str]:
    """Statements that print a value; none where that cannot be done."""
    if isinstance(of, TensorType):
        if of.elem_type == DataType.STRING:
            return [f"PrintStrings({name}, {value});"]
        if of.elem_type in RAW:
            return [f"PrintBytes({name}, {value});"]
        found = TYPES.get(of.elem_type)
        return [f"Print<{found}>({name}, {value});"] if found else []
    inner = f"part{depth or ''}"
    if isinstance(of, OptionalType):
        lines = _printed(of.element, name, value, depth)
        return _block(f"if ({value}.HasValue()) {{", lines)
    if isinstance(of, SequenceType):
        index = "ijk"[depth % 3]
        get = f"const Ort::Value {inner} = {value}.GetValue(static_cast<int>({index}), allocator);"
        lines = _printed(of.element, name, inner, depth + 1)
        head = f"for (size_t {index} = 0; {index} < {value}.GetCount(); ++{index}) {{"
        return _block(head, [get, *lines] if lines else [])
    if isinstance(of, MapType):
        keys = _printed(TensorType(of.key_type, ()), name, f"{value}.GetValue(0, allocator)")
        values = _printed(of.value, name, f"{value}.GetValue(1, allocator)")
        return ["// Keys, then values.", *keys, *values] if keys and values else []
    return []


def _block(head: str, lines: list[str]) -> list[str]:
    return [head, *indented(lines, INDENT), "}"] if lines else []


def _functions(fed: Iterable[Port], read: Iterable[Port]) -> list[list[str]]:
    """The functions that the code calls."""
    fed = list(fed)
    given = {number for port in fed for number in element_types(port.type)}
    found = []
    if given & TYPES.keys():
        found.append(ZEROS)
    if DataType.STRING in given:
        found.append(STRINGS)
    if given & RAW:
        found.append(RAW_ZEROS)
    if any(has_sequence(port.type) for port in fed):
        found.append(SEQUENCE)
    return found + _print_functions({kind for port in read for kind in element_types(port.type)})


def _print_functions(numbers: set[int]) -> list[list[str]]:
    if not numbers:
        return []
    found = [SHAPE]
    shown = _shown(numbers)
    if shown:
        found.append(shown)
    if numbers & TYPES.keys():
        found.append(
            [line.format(shown="Shown(data[i])" if shown else "+data[i]") for line in PRINT]
        )
    if DataType.STRING in numbers:
        found.append(PRINT_STRINGS)
    if numbers & RAW:
        found.append(PRINT_BYTES)
    return found


def _shown(numbers: set[int]) -> list[str]:
    """Overloads for what the stream does not take as it is."""
    halves = [kind for kind in (DataType.FLOAT16, DataType.BFLOAT16) if kind in numbers]
    bits = [kind for kind in _FLOAT8 if kind in numbers]
    if not halves and not bits:
        return []
    return [
        "template <typename T>",
        "auto Shown(T value) {",
        "  return +value;",
        "}",
        *(f"float Shown({TYPES[kind]} value) {{ return value.ToFloat(); }}" for kind in halves),
        *(f"int Shown({TYPES[kind]} value) {{ return value.value; }}  // Bits." for kind in bits),
    ]
