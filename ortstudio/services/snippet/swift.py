"""Swift on Apple systems, with ONNX Runtime's Objective-C interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from ortstudio.analysis.words import listed
from ortstudio.errors import RefusedError
from ortstudio.model.types import DataType, ValueType
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, package
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    custom_op_names,
    dims_text,
    held_tensor,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    camel,
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
    return ways.possible(model, ways.MAPPED, ways.PLAIN)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes, which the interface does not take."""
    if loading.way is Way.BYTES:
        raise RefusedError("The Swift interface loads a model by its path only")
    sizes = identifiers(model.sizes, camel, "size", _TAKEN)
    values = {port: _value(port.type, sizes) for port in model.inputs}
    unread = [port for port in model.outputs if not _is_known(port.type)]
    parts = [
        _opening(model),
        _imports(model),
        _SWIFT.sizes(model, sizes),
        _run(model, loading, values, unread),
        *_functions(model),
    ]
    requires = [package("onnxruntime-swift-package-manager", model, loading), "Swift >= 5"]
    if model.needs_extensions:
        requires.append("onnxruntime_extensions of the same package")
    return _SWIFT.snippet(model, loading, parts, values=values, unread=unread, requires=requires)


def _literal(text: str) -> str:
    # A backslash is always escaped, and with it what would begin an interpolation.
    return quoted(text, C_ESCAPES, lambda code_point: f"\\u{{{code_point:x}}}")


_SWIFT = Syntax(
    "swift",
    "Swift",
    _literal,
    entry="try options.addConfigEntry(withKey: {key}, value: {value})",
    disable="try options.setGraphOptimizationLevel(.none)",
    size="private let {name} = {value}",
)


def _opening(model: SnippetModel) -> list[str]:
    files = listed([model.name, *(() if model.is_ort else model.external_data)])
    return [
        *_SWIFT.opening(model),
        *_SWIFT.comment(f"Add {files} to the target. With CocoaPods, import onnxruntime_objc."),
    ]


def _imports(model: SnippetModel) -> list[str]:
    extensions = ["import OnnxRuntimeExtensions"] if model.needs_extensions else []
    return ["import Foundation", "import OnnxRuntimeBindings", *extensions]


def _run(
    model: SnippetModel, loading: Loading, values: Mapping[Port, str], unread: list[Port]
) -> list[str]:
    read = [port for port in model.outputs if port not in unread]
    names = [_literal(port.name) for port in read]
    body = [
        *_session(model, loading),
        "",
        *_inputs(values),
        *_SWIFT.unread(unread),
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
        *_SWIFT.level(loading),
        *_SWIFT.entries(entries(model, loading)),
    ]
    if model.needs_extensions:
        lines.append(_register("OrtExt.getRegisterCustomOpsFunctionPointer()"))
    if model.needs_library:
        named = listed(custom_op_names(model))
        lines += _SWIFT.comment(f"Register {named}: link the library that has them.")
        lines.append(f"// {_register('RegisterCustomOps')}")
    return [
        *lines,
        "// Core ML takes the nodes that it can run, the CPU the rest: measure it.",
        "// try options.appendCoreMLExecutionProvider(with: ORTCoreMLExecutionProviderOptions())",
        "let session = try ORTSession(env: environment, modelPath: path, sessionOptions: options)",
    ]


def _register(function: str) -> str:
    return f"try options.registerCustomOps(functionPointer: {function})"


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
        return [*_SWIFT.fed(values, _input), "let inputs: [String: ORTValue] = [:]"]
    fed = _SWIFT.fed(values, _input, INDENT)
    return ["// Zeros: your data goes here.", "let inputs = [", *fed, "]"]


def _input(port: Port, value: str) -> list[str]:
    return [f"{_literal(port.name)}: {value},"]


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
