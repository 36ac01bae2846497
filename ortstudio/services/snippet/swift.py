"""Swift on Apple systems, with ONNX Runtime's Objective-C interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from ortstudio.analysis.words import listed
from ortstudio.errors import RefusedError
from ortstudio.model.types import DataType, ValueType
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import (
    Snippet,
    cannot_feed,
    cannot_read,
    joined,
    notes,
    package,
)
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    custom_op_names,
    dims_text,
    held_tensor,
)
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    camel,
    comment,
    identifiers,
    indented,
    quoted,
)

INDENT = "    "
_TAKEN = frozenset(
    {"environment", "file", "inputs", "model", "names", "options", "outputs", "path", "session"}
    | {"as", "break", "case", "catch", "class", "default", "defer", "do", "else", "enum", "false"}
    | {"for", "func", "guard", "if", "import", "in", "init", "is", "let", "nil", "operator"}
    | {"repeat", "return", "self", "static", "struct", "switch", "throw", "true", "try", "var"}
    | {"where", "while", "zeros", "numbers"}
)

TYPES: Mapping[int, tuple[str, str]] = {
    DataType.FLOAT: ("Float", ".float"),
    DataType.INT8: ("Int8", ".int8"),
    DataType.UINT8: ("UInt8", ".uInt8"),
    DataType.INT32: ("Int32", ".int32"),
    DataType.UINT32: ("UInt32", ".uInt32"),
    DataType.INT64: ("Int64", ".int64"),
    DataType.UINT64: ("UInt64", ".uInt64"),
}
"""What `ORTTensorElementDataType` has, besides strings."""


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe: the interface takes a path and nothing else."""
    return (*([ways.MAPPED] if model.is_ort else []), ways.PLAIN)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes, which the interface does not take."""
    if loading.way is Way.BYTES:
        raise RefusedError("The Swift interface loads a model by its path only")
    sizes = identifiers(model.sizes, camel, "size", _TAKEN)
    values = {port: _value(port.type, sizes) for port in model.inputs}
    unread = [port for port in model.outputs if not _is_known(port.type)]
    parts = [
        _opening(model),
        ["import Foundation", "import OnnxRuntimeBindings"],
        _size_constants(model, sizes),
        _run(model, loading, values, unread),
        *_functions(model),
    ]
    unfed = [port for port, value in values.items() if not value]
    said = notes(model, loading, "Swift", unfed, unread)
    requires = (package("onnxruntime-swift-package-manager", model, loading), "Swift >= 5")
    return Snippet("swift", joined(parts), said, requires)


def _literal(text: str) -> str:
    # A backslash is always escaped, and with it what would begin an interpolation.
    return quoted(text, C_ESCAPES, lambda code_point: f"\\u{{{code_point:x}}}")


def _opening(model: SnippetModel) -> list[str]:
    files = listed([model.name, *(() if model.is_ort else model.external_data)])
    return [
        *comment(f"Runs {model.name} with ONNX Runtime.", "//"),
        *comment(f"Add {files} to the target. With CocoaPods, import onnxruntime_objc.", "//"),
    ]


def _size_constants(model: SnippetModel, sizes: Mapping[str, str]) -> list[str]:
    if not sizes:
        return []
    made = [f"private let {name} = {model.sizes[symbol]}" for symbol, name in sizes.items()]
    return ["// Sizes that the model leaves open: fill in yours.", *made]


def _run(
    model: SnippetModel, loading: Loading, values: Mapping[Port, str], unread: list[Port]
) -> list[str]:
    read = [port for port in model.outputs if port not in unread]
    names = [_literal(port.name) for port in read]
    body = [
        *_session(model, loading),
        "",
        *_inputs(values),
        *(line for port in unread for line in comment(cannot_read(port), "//")),
        *bracketed("let names: Set<String> = [", names, "]", INDENT),
        "let outputs = try session.run(withInputs: inputs, outputNames: names, runOptions: nil)",
        *(line for port in read for line in _printed(port)),
    ]
    return ["func runModel() throws {", *indented(body, INDENT), "}"]


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    lines = [
        *_path(model),
        "let environment = try ORTEnv(loggingLevel: .warning)",
        "let options = try ORTSessionOptions()",
    ]
    for entry in entries(model, loading):
        mark = "" if entry.active else "// "
        lines += comment(entry.why, "//")
        lines.append(
            f'{mark}try options.addConfigEntry(withKey: "{entry.key}", value: "{entry.value}")'
        )
    if model.needs_extensions:
        lines.append("try options.enableOrtExtensionsCustomOps()")
    if model.needs_library:
        named = listed(custom_op_names(model))
        lines += comment(f"Register {named}: link the library that has them.", "//")
        lines.append("// try options.registerCustomOps(usingFunctionPointer: RegisterCustomOps)")
    return [
        *lines,
        "// Core ML takes the nodes that it can run, the CPU the rest: measure it.",
        "// try options.appendCoreMLExecutionProvider(with: ORTCoreMLExecutionProviderOptions())",
        "let session = try ORTSession(env: environment, modelPath: path, sessionOptions: options)",
    ]


def _path(model: SnippetModel) -> list[str]:
    name = PurePosixPath(model.name)
    parts = f"forResource: {_literal(name.stem)}, ofType: {_literal(name.suffix[1:])}"
    if not name.suffix:
        parts = f"forResource: {_literal(model.name)}, ofType: nil"
    return [
        f"guard let path = Bundle.main.path({parts}) else {{",
        f"{INDENT}throw CocoaError(.fileNoSuchFile)",
        "}",
    ]


def _inputs(values: Mapping[Port, str]) -> list[str]:
    if not any(values.values()):
        lines = [line for port in values for line in comment(cannot_feed(port), "//")]
        return [*lines, "let inputs: [String: ORTValue] = [:]"]
    lines = ["// Zeros: your data goes here.", "let inputs = ["]
    for port, value in values.items():
        if value:
            lines.append(f"{INDENT}{_literal(port.name)}: {value},")
        else:
            lines += comment(cannot_feed(port), "//", INDENT)
    return [*lines, "]"]


def _is_known(of: ValueType | None) -> bool:
    tensor = held_tensor(of)
    return tensor is not None and (tensor.elem_type in TYPES or tensor.elem_type == DataType.STRING)


def _value(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    """An expression for an input; empty where the interface has none."""
    tensor = held_tensor(of)
    if tensor is None or not _is_known(tensor):
        return ""
    dims = dims_text(tensor, sizes)
    shape = f"[{', '.join(dims)}]"
    if tensor.elem_type == DataType.STRING:
        strings = f'[String](repeating: "", count: {count_text(dims)})'
        shape = f"[{', '.join(_number(dim) for dim in dims)}]"
        return f"try ORTValue(tensorStringData: {strings}, shape: {shape})"
    name, kind = TYPES[tensor.elem_type]
    return f"try zeros({name}.self, {kind}, {shape})"


def _number(dim: str) -> str:
    return dim if dim.isdigit() else f"NSNumber(value: {dim})"


def _printed(port: Port) -> list[str]:
    tensor = held_tensor(port.type)
    name = _literal(port.name)
    if tensor is None:
        return []
    value = f"outputs[{name}]!"
    if tensor.elem_type == DataType.STRING:
        return [f"print({name}, try {value}.tensorStringData())"]
    return [f"print({name}, try numbers({value}, {TYPES[tensor.elem_type][0]}.self))"]


def _functions(model: SnippetModel) -> list[list[str]]:
    fed = {tensor.elem_type for port in model.inputs if (tensor := held_tensor(port.type))}
    read = {tensor.elem_type for port in model.outputs if (tensor := held_tensor(port.type))}
    found = [_ZEROS] if fed & TYPES.keys() else []
    return [*found, *([_NUMBERS] if read & TYPES.keys() else [])]


_ZEROS = """\
private func zeros<T: Numeric>(
    _ type: T.Type, _ elementType: ORTTensorElementDataType, _ shape: [Int]
) throws -> ORTValue {
    var data = [T](repeating: 0, count: shape.reduce(1, *))
    let bytes = NSMutableData(bytes: &data, length: data.count * MemoryLayout<T>.stride)
    let dimensions = shape.map { NSNumber(value: $0) }
    return try ORTValue(tensorData: bytes, elementType: elementType, shape: dimensions)
}""".splitlines()

_NUMBERS = """\
/// The first ten elements.
private func numbers<T>(_ value: ORTValue, _ type: T.Type) throws -> [T] {
    let data = try value.tensorData() as Data
    return data.withUnsafeBytes { Array($0.bindMemory(to: T.self).prefix(10)) }
}""".splitlines()
