"""C# 9, with the Microsoft.ML.OnnxRuntime package."""

from __future__ import annotations

from collections.abc import Mapping

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
from ortstudio.services.snippet.loading import Loading, Way, entries, refuse_kept_bytes
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    dims_text,
    element_types,
    has_sequence,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    call,
    identifiers,
    pascal,
    quoted,
    utf16_escape,
)

INDENT = "    "
_ALLOCATOR = "OrtAllocator.DefaultInstance"
_TAKEN = frozenset(
    {"Model", "CustomOps", "Console", "Dictionary", "File", "Func", "List", "OrtValue", "System"}
    | {"Shape", "Numbers", "Strings", "Parts", "Pairs", "Sequence"}
    | {"Float16", "BFloat16", "InferenceSession", "RunOptions", "SessionOptions", "OrtAllocator"}
)

TYPES: Mapping[int, str] = {
    DataType.FLOAT: "float",
    DataType.DOUBLE: "double",
    DataType.INT8: "sbyte",
    DataType.INT16: "short",
    DataType.INT32: "int",
    DataType.INT64: "long",
    DataType.UINT8: "byte",
    DataType.UINT16: "ushort",
    DataType.UINT32: "uint",
    DataType.UINT64: "ulong",
    DataType.BOOL: "bool",
    DataType.FLOAT16: "Float16",
    DataType.BFLOAT16: "BFloat16",
}


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.DIRECT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    refuse_kept_bytes(loading, "In .NET an array stays in its place only until the session is made")
    sizes = identifiers(model.sizes, pascal, "size", _TAKEN)
    values = {port: _value(port.type, sizes) for port in model.inputs}
    shown = {port: _shown(port.type, f"outputs[{at}]") for at, port in enumerate(_read(model))}
    unread = [port for port in model.outputs if port not in shown]
    parts = [
        _CSHARP.opening(model),
        _usings(loading),
        _constants(model),
        _CSHARP.sizes(model, sizes),
        _session(model, loading),
        _inputs(values),
        _run(shown, unread),
        *([_SEQUENCE] if any(has_sequence(port.type) for port in model.inputs) else []),
        *_functions(shown),
    ]
    requires = [package("Microsoft.ML.OnnxRuntime", model, loading), "C# >= 9"]
    if model.needs_extensions:
        requires.append("Microsoft.ML.OnnxRuntime.Extensions")
    return _CSHARP.snippet(model, loading, parts, values=values, unread=unread, requires=requires)


def _literal(text: str) -> str:
    return quoted(text, C_ESCAPES, utf16_escape)


_CSHARP = Syntax(
    "csharp",
    "C#",
    _literal,
    entry="options.AddSessionConfigEntry({key}, {value});",
    disable="options.GraphOptimizationLevel = GraphOptimizationLevel.ORT_DISABLE_ALL;",
    size="const int {name} = {value};",
    library="const string CustomOps = {file};",
)


def _usings(loading: Loading) -> list[str]:
    names = ["System", "System.Collections.Generic"]
    names += ["System.IO"] if loading.way is Way.BYTES else []
    names += ["System.Linq", "Microsoft.ML.OnnxRuntime"]
    return [f"using {name};" for name in names]


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"const string Model = {_literal(model.path)};"]
    if model.needs_library:
        lines += _CSHARP.operators(model, "custom_ops.dll")
    return lines


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    lines = ["using var options = new SessionOptions();"]
    lines += _CSHARP.level(loading) + _CSHARP.entries(entries(model, loading))
    if model.needs_extensions:
        lines.append("options.RegisterOrtExtensions();")
    if model.needs_library:
        lines.append("options.RegisterCustomOpLibrary(CustomOps);")
    source = "File.ReadAllBytes(Model)" if loading.way is Way.BYTES else "Model"
    return [*lines, f"using var session = new InferenceSession({source}, options);"]


def _inputs(values: Mapping[Port, str]) -> list[str]:
    lines = ["// Zeros: your data goes here."] if any(values.values()) else []
    lines += ["var inputs = new Dictionary<string, OrtValue>", "{"]
    return [*lines, *_CSHARP.fed(values, _input, INDENT), "};"]


def _input(port: Port, value: str) -> list[str]:
    return call(f"[{_literal(port.name)}] = ", value, ",", INDENT, last="")


def _value(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    """An expression for a value of the type; empty where .NET has none."""
    if isinstance(of, TensorType):
        return _tensor(of, sizes)
    if isinstance(of, OptionalType):
        return _value(of.element, sizes)
    if isinstance(of, SequenceType):
        element = _value(of.element, sizes)
        return f"Sequence({element})" if element else ""
    if isinstance(of, MapType) and isinstance(of.value, TensorType):
        return _map(of.key_type, of.value.elem_type)
    return ""


def _tensor(of: TensorType, sizes: Mapping[str, str]) -> str:
    dims = dims_text(of, sizes)
    shape = f"new long[] {{ {', '.join(dims)} }}" if dims else "new long[0]"
    if of.elem_type == DataType.STRING:
        return f"OrtValue.CreateTensorWithEmptyStrings({_ALLOCATOR}, {shape})"
    found = TYPES.get(of.elem_type)
    if not found:
        return ""
    return f"OrtValue.CreateTensorValueFromMemory(new {found}[{count_text(dims)}], {shape})"


def _map(key_type: int, value_type: int) -> str:
    keys, values = TYPES.get(key_type), TYPES.get(value_type)
    strings = 'new[] { "key" }'
    if key_type == DataType.STRING and values:
        return f"OrtValue.CreateMapWithStringKeys({strings}, new {values}[1])"
    if value_type == DataType.STRING and keys:
        return f"OrtValue.CreateMapWithStringValues(new {keys}[1], {strings})"
    return f"OrtValue.CreateMap(new {keys}[1], new {values}[1])" if keys and values else ""


def _read(model: SnippetModel) -> list[Port]:
    return [port for port in model.outputs if _shown(port.type, "value")]


def _shown(of: ValueType | None, value: str) -> str:
    """An expression for the text of a value; empty where .NET cannot read it."""
    if isinstance(of, TensorType):
        if of.elem_type == DataType.STRING:
            return f"Strings({value})"
        found = TYPES.get(of.elem_type)
        return f"Numbers<{found}>({value})" if found else ""
    if isinstance(of, OptionalType):
        return _shown(of.element, value)
    if isinstance(of, SequenceType):
        inner = _shown(of.element, "part")
        return f"Parts({value}, part => {inner})" if inner else ""
    if isinstance(of, MapType):
        keys, values = _shown(TensorType(of.key_type, ()), "keys"), _shown(of.value, "values")
        return f"Pairs({value}, keys => {keys}, values => {values})" if keys and values else ""
    return ""


def _run(shown: Mapping[Port, str], unread: list[Port]) -> list[str]:
    names = [_literal(port.name) for port in shown]
    lines = _CSHARP.unread(unread)
    lines += bracketed("string[] outputNames = { ", names, " };", INDENT)
    lines += [
        "using var runOptions = new RunOptions();",
        "using var outputs = session.Run(runOptions, inputs, outputNames);",
    ]
    for at, text in enumerate(shown.values()):
        lines.append(f'Console.WriteLine(outputNames[{at}] + " " + {text});')
    lines += ["foreach (var input in inputs.Values)", "{", f"{INDENT}input.Dispose();", "}"]
    return lines


def _functions(shown: Mapping[Port, str]) -> list[list[str]]:
    """The functions that print what was read."""
    kinds = {number for port in shown for number in element_types(port.type)}
    code = "\n".join(shown.values())
    wanted = [
        (_SHAPE, bool(kinds)),
        (_NUMBERS, bool(kinds & TYPES.keys())),
        (_STRINGS, DataType.STRING in kinds),
        (_PARTS, "Parts(" in code),
        (_PAIRS, "Pairs(" in code),
    ]
    return [lines for lines, is_used in wanted if is_used]


_SEQUENCE = """\
static OrtValue Sequence(OrtValue element) =>
    OrtValue.CreateSequence(new List<OrtValue> { element });""".splitlines()

_SHAPE = """\
static string Shape(OrtValue value) =>
    $"[{string.Join(", ", value.GetTensorTypeAndShape().Shape)}]:";""".splitlines()

_NUMBERS = """\
// The first ten elements.
static string Numbers<T>(OrtValue value) where T : unmanaged =>
    $"{Shape(value)} {string.Join(" ", value.GetTensorDataAsSpan<T>().ToArray().Take(10))}";
""".splitlines()

_STRINGS = """\
static string Strings(OrtValue value) =>
    $"{Shape(value)} {string.Join(" ", value.GetStringTensorAsArray().Take(10))}";
""".splitlines()

_PARTS = """\
static string Parts(OrtValue value, Func<OrtValue, string> text)
{
    var parts = new List<string>();
    value.ProcessSequence((part, _) => parts.Add(text(part)), OrtAllocator.DefaultInstance);
    return string.Join("; ", parts);
}""".splitlines()

_PAIRS = """\
static string Pairs(OrtValue value, Func<OrtValue, string> keys, Func<OrtValue, string> values)
{
    var found = "";
    value.ProcessMap((k, v) => found = $"{keys(k)} = {values(v)}", OrtAllocator.DefaultInstance);
    return found;
}""".splitlines()
