"""What the runtime's own bindings say of the schema, read from their source text.

They are flatc's output for upstream's schema, so slots, types and defaults stand in the code of
each accessor. Nothing of onnxruntime is imported.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ortstudio.format.fields import Kind

FLAGS = {
    "BoolFlags": Kind.BOOL,
    "Int8Flags": Kind.INT8,
    "Uint8Flags": Kind.UINT8,
    "Int32Flags": Kind.INT32,
    "Uint32Flags": Kind.UINT32,
    "Int64Flags": Kind.INT64,
    "Uint64Flags": Kind.UINT64,
    "Float32Flags": Kind.FLOAT,
}
VTABLE_HEADER_BYTES = 4
SLOT_BYTES = 2


@dataclass(frozen=True)
class Accessor:
    """One field, as its accessor reads it."""

    slot: int
    kind: Kind
    element: Kind | None
    target: str
    default: int | float


@cache
def modules() -> dict[str, ast.Module]:
    """One module for each table, struct and enum, by its name."""
    spec = importlib.util.find_spec("onnxruntime")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    folder = package / "tools" / "ort_format_model" / "ort_flatbuffers_py" / "fbs"
    return {
        path.stem: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    }


def class_of(name: str) -> ast.ClassDef:
    """The class that reads a table or struct, or that lists an enum."""
    return next(node for node in modules()[name].body if isinstance(node, ast.ClassDef))


def members(name: str) -> dict[str, int]:
    """The members of an enum."""
    return {
        target.id: ast.literal_eval(node.value)
        for node in class_of(name).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_struct(name: str) -> bool:
    """Whether a module reads a struct, whose size is fixed."""
    return any(method.name == "SizeOf" for method in methods(name))


def methods(name: str) -> list[ast.FunctionDef]:
    """The methods of a table or a struct."""
    return [node for node in class_of(name).body if isinstance(node, ast.FunctionDef)]


def accessors(name: str) -> dict[str, Accessor]:
    """The fields of a table, by the accessor's name: `SinceVersion`."""
    helper = re.compile(".+(Length|AsNumpy|IsNone)$")
    return {
        method.name: accessor(method)
        for method in methods(name)
        if arguments_of(method, "Offset") and not helper.match(method.name)
    }


def accessor(method: ast.FunctionDef) -> Accessor:
    """What one accessor reads."""
    offset = arguments_of(method, "Offset")[0]
    names = {node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute)}
    targets = [node.names[0].name for node in ast.walk(method) if isinstance(node, ast.ImportFrom)]
    target = targets[0] if targets else ""
    if "String" in names:
        kind = Kind.STRING
    elif "Union" in names:
        kind, target = Kind.UNION, ""
    elif target:
        kind = Kind.STRUCT if is_struct(target) else Kind.TABLE
    else:
        kind = FLAGS[next(name for name in sorted(names) if name in FLAGS)]
    slot = (offset - VTABLE_HEADER_BYTES) // SLOT_BYTES
    if any(argument.arg == "j" for argument in method.args.args):
        return Accessor(slot, Kind.VECTOR, kind, target, 0)
    return Accessor(slot, kind, None, target, returned(method) or 0)


def returned(method: ast.FunctionDef) -> int | float | None:
    """What an accessor returns where the slot is absent."""
    last = method.body[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    value: int | float | None = ast.literal_eval(last.value)
    return value


def arguments_of(tree: ast.AST, function: str) -> list[int]:
    """The constant argument of each call of a method of that name."""
    return [
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == function
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, int)
    ]


def slot_count(name: str) -> int:
    """How many slots a table's builder makes room for, deprecated ones included."""
    return arguments_of(modules()[name], "StartObject")[0]


def identifier(name: str) -> bytes:
    """The file identifier that a table's module tests for."""
    return next(
        node.value
        for node in ast.walk(class_of(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes)
    )


def struct_members(name: str) -> Iterator[tuple[str, int, Kind]]:
    """Name, byte offset and kind of each member of a struct."""
    for method in methods(name):
        places = arguments_of(method, "py_type")
        flags = {node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute)}
        if places:
            yield method.name, places[0], FLAGS[next(iter(flags & FLAGS.keys()))]


def struct_size(name: str) -> int:
    """Bytes that a struct takes."""
    size = next(method for method in methods(name) if method.name == "SizeOf")
    return int(returned(size) or 0)
