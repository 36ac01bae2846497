"""What JavaScript code has in common under Node.js and in a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ortstudio.model.types import DataType, ValueType
from ortstudio.services.snippet.code import Snippet, package
from ortstudio.services.snippet.loading import Entry, Loading
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    dims_text,
    held_tensor,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    identifiers,
    indented,
    quoted,
    upper_snake,
    utf16_escape,
)

INDENT = "  "

TYPES: Mapping[int, tuple[str, str]] = {
    DataType.FLOAT: ("float32", "Float32Array"),
    DataType.DOUBLE: ("float64", "Float64Array"),
    DataType.FLOAT16: ("float16", "Uint16Array"),
    DataType.INT8: ("int8", "Int8Array"),
    DataType.INT16: ("int16", "Int16Array"),
    DataType.INT32: ("int32", "Int32Array"),
    DataType.INT64: ("int64", "BigInt64Array"),
    DataType.UINT8: ("uint8", "Uint8Array"),
    DataType.UINT16: ("uint16", "Uint16Array"),
    DataType.UINT32: ("uint32", "Uint32Array"),
    DataType.UINT64: ("uint64", "BigUint64Array"),
    DataType.BOOL: ("bool", "Uint8Array"),
}
"""Tensor type and typed array; float16 goes in and out as bits where there is no Float16Array."""


def literal(text: str) -> str:
    """The text as a string."""
    return quoted(text, C_ESCAPES, utf16_escape)


JAVASCRIPT = Syntax(
    "javascript",
    "JavaScript",
    literal,
    disable='graphOptimizationLevel: "disabled",',
    size="const {name} = {value};",
)


def written(
    syntax: Syntax,
    model: SnippetModel,
    loading: Loading,
    *,
    module: str,
    where: str,
    path: str,
    options: Sequence[str],
    source: str = "MODEL",
    imports: Sequence[str] = (),
    requires: Sequence[str] = (),
) -> Snippet:
    """Code for `module`, which runs `where` it says: a session of `source`, with `options`."""
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL",))
    values = {port: _tensor(port.type, sizes) for port in model.inputs}
    no_library = f"{module} has no way to register a custom operator library"
    refused = syntax.comment(f"{no_library}.") if model.custom_ops else []
    parts = [
        [*syntax.opening(model), f"// {where}"],
        [*imports, f'import * as ort from "{module}";'],
        [f"const MODEL = {literal(path)};"],
        syntax.sizes(model, sizes),
        [*refused, *_session(source, options)],
        _inputs(syntax, values),
        _run(syntax, model),
    ]
    return syntax.snippet(
        model,
        loading,
        parts,
        values=values,
        unread=unread(model),
        requires=[package(module, model, loading), *requires],
        more=[no_library] if model.custom_ops else [],
    )


def _session(source: str, options: Sequence[str]) -> list[str]:
    made = f"const session = await ort.InferenceSession.create({source}"
    return [f"{made}, {{", *indented(options, INDENT), "});"] if options else [f"{made});"]


def config(found: Sequence[Entry]) -> list[str]:
    """The `extra` option: configuration entries, the first word of each key as a group."""
    if not found:
        return []
    lines = []
    for entry in found:
        mark = "" if entry.active else "// "
        lines += JAVASCRIPT.comment(entry.why)
        lines.append(f"{mark}{entry.key.partition('.')[2]}: {literal(entry.value)},")
    group = found[0].key.partition(".")[0]
    inner = [f"{group}: {{", *indented(lines, INDENT), "},"]
    return ["extra: {", *indented(inner, INDENT), "},"]


def _inputs(syntax: Syntax, values: Mapping[Port, str]) -> list[str]:
    """Tensors of zeros by name."""
    if not values:
        return ["const inputs = {};"]
    fed = syntax.fed(values, _input, INDENT)
    return ["// Zeros: your data goes here.", "const inputs = {", *fed, "};"]


def _input(port: Port, value: str) -> list[str]:
    return [*_hint(port), f"{_key(port.name)}: {value},"]


def _key(name: str) -> str:
    # Written plainly, this one would set the object's prototype.
    return '["__proto__"]' if name == "__proto__" else literal(name)


def _hint(port: Port) -> list[str]:
    held = held_tensor(port.type)
    if held is None or held.elem_type != DataType.FLOAT16:
        return []
    return JAVASCRIPT.comment("float16 as bits: newer engines take a Float16Array too.")


def _is_known(of: ValueType | None) -> bool:
    held = held_tensor(of)
    return held is not None and (held.elem_type in TYPES or held.elem_type == DataType.STRING)


def unfed(model: SnippetModel) -> list[Port]:
    """The inputs that JavaScript has no value for."""
    return [port for port in model.inputs if not _is_known(port.type)]


def unread(model: SnippetModel) -> list[Port]:
    """The outputs that JavaScript has no value for."""
    return [port for port in model.outputs if not _is_known(port.type)]


def _tensor(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    held = held_tensor(of)
    if held is None or not _is_known(held):
        return ""
    dims = dims_text(held, sizes)
    shape, elements = f"[{', '.join(dims)}]", count_text(dims)
    if held.elem_type == DataType.STRING:
        return f'new ort.Tensor("string", new Array({elements}).fill(""), {shape})'
    name, array = TYPES[held.elem_type]
    return f'new ort.Tensor("{name}", new {array}({elements}), {shape})'


def _run(syntax: Syntax, model: SnippetModel) -> list[str]:
    """Run it and print every output that JavaScript has a value for."""
    left_out = unread(model)
    names = [literal(port.name) for port in model.outputs if port not in left_out]
    lines = bracketed("const outputNames = [", names, "];", INDENT)
    return [
        *lines,
        *syntax.unread(left_out),
        "const outputs = await session.run(inputs, outputNames);",
        "for (const name of outputNames) {",
        f"{INDENT}const {{ dims, data }} = outputs[name];",
        f'{INDENT}console.log("%s [%s]:", name, dims.join(", "), data);',
        "}",
    ]
