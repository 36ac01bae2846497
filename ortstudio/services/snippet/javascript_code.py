"""What JavaScript code has in common under Node.js and in a browser."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.model.types import DataType, ValueType
from ortstudio.services.snippet.code import cannot_feed, cannot_read
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    dims_text,
    held_tensor,
)
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    comment,
    identifiers,
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


def size_names(model: SnippetModel) -> Mapping[str, str]:
    """The constant of each open size."""
    return identifiers(model.sizes, upper_snake, "size", ("MODEL",))


def opening(model: SnippetModel, where: str) -> list[str]:
    """What the code is."""
    return [*comment(f"Runs {model.name} with ONNX Runtime.", "//"), f"// {where}"]


def constants(model: SnippetModel, sizes: Mapping[str, str], path: str = "") -> list[str]:
    """The file, and the open sizes."""
    lines = [f"const MODEL = {literal(path or model.path)};"]
    if sizes:
        lines += ["", "// Sizes that the model leaves open: fill in yours."]
        lines += [f"const {name} = {model.sizes[symbol]};" for symbol, name in sizes.items()]
    return lines


def inputs(model: SnippetModel, sizes: Mapping[str, str]) -> list[str]:
    """Tensors of zeros by name."""
    if not model.inputs:
        return ["const inputs = {};"]
    lines = ["// Zeros: your data goes here.", "const inputs = {"]
    for port in model.inputs:
        tensor = _tensor(port.type, sizes)
        if tensor:
            lines += _hint(port)
            lines.append(f"{INDENT}{_key(port.name)}: {tensor},")
        else:
            lines += comment(cannot_feed(port), "//", INDENT)
    return [*lines, "};"]


def _key(name: str) -> str:
    # Written plainly, this one would set the object's prototype.
    return '["__proto__"]' if name == "__proto__" else literal(name)


def _hint(port: Port) -> list[str]:
    held = held_tensor(port.type)
    if held is None or held.elem_type != DataType.FLOAT16:
        return []
    return comment("float16 as bits: newer engines take a Float16Array too.", "//", INDENT)


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


def run(model: SnippetModel) -> list[str]:
    """Run it and print every output that JavaScript has a value for."""
    left_out = unread(model)
    names = [literal(port.name) for port in model.outputs if port not in left_out]
    lines = bracketed("const outputNames = [", names, "];", INDENT)
    for port in left_out:
        lines += comment(cannot_read(port), "//")
    return [
        *lines,
        "const outputs = await session.run(inputs, outputNames);",
        "for (const name of outputNames) {",
        f"{INDENT}const {{ dims, data }} = outputs[name];",
        f'{INDENT}console.log("%s [%s]:", name, dims.join(", "), data);',
        "}",
    ]
