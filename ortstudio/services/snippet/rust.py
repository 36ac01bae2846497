"""Rust, with the ort crate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ortstudio.errors import RefusedError
from ortstudio.model.types import (
    DataType,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
    ValueType,
)
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet
from ortstudio.services.snippet.loading import Entry, Loading, Way, entries
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    dims_text,
    element_types,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    identifiers,
    indented,
    quoted,
    upper_snake,
)

INDENT = "    "
CRATE = "=2.0.0-rc.12"
"""The interface changes from one candidate to the next, so the version is pinned."""
_BY_CRATE = frozenset(
    {"session.use_ort_model_bytes_directly", "session.use_ort_model_bytes_for_initializers"}
)
"""What `commit_from_memory_directly` sets by itself."""

TYPES: Mapping[int, tuple[str, str]] = {
    DataType.FLOAT: ("f32", "0f32"),
    DataType.DOUBLE: ("f64", "0f64"),
    DataType.INT8: ("i8", "0i8"),
    DataType.INT16: ("i16", "0i16"),
    DataType.INT32: ("i32", "0i32"),
    DataType.INT64: ("i64", "0i64"),
    DataType.UINT8: ("u8", "0u8"),
    DataType.UINT16: ("u16", "0u16"),
    DataType.UINT32: ("u32", "0u32"),
    DataType.UINT64: ("u64", "0u64"),
    DataType.BOOL: ("bool", "false"),
    DataType.FLOAT16: ("f16", "f16::ZERO"),
    DataType.BFLOAT16: ("bf16", "bf16::ZERO"),
}
_HALVES: set[int] = {DataType.FLOAT16, DataType.BFLOAT16}


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe: the borrow checker keeps the bytes as long as the session."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.KEPT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used directly only in part."""
    if loading.way is Way.BYTES and loading.directly != loading.in_place:
        raise RefusedError(
            "The ort crate uses bytes directly and in place, or copies them",
            hint="Choose both or neither.",
        )
    if loading.way is Way.MAPPED and not loading.in_place:
        raise RefusedError("The ort crate uses the weights of mapped bytes in place")
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    values = {port: _value(port.type, sizes) for port in model.inputs}
    shown = {port: _shown(port.type, f"outputs[{_literal(port.name)}]", _literal(port.name))
             for port in model.outputs}  # fmt: skip
    unread = [port for port, lines in shown.items() if not lines]
    main = [
        *_session(model, loading),
        "",
        *_run(values),
        *_RUST.unread(unread),
        *(["let allocator = Allocator::default();"] if _value_types(model) else []),
        *(line for lines in shown.values() for line in lines),
        "Ok(())",
    ]
    parts = [
        [
            *_RUST.opening(model),
            "//",
            "// [dependencies]",
            *(f"// {line}" for line in _dependencies(model, loading)),
        ],
        _uses(model, loading, values.values()),
        _constants(model),
        _RUST.sizes(model, sizes),
        ["fn main() -> ort::Result<()> {", *indented(main, INDENT), "}"],
        *([_SHOW] if any("show(" in line for lines in shown.values() for line in lines) else []),
    ]
    requires = _dependencies(model, loading)
    return _RUST.snippet(model, loading, parts, values=values, unread=unread, requires=requires)


def _literal(text: str) -> str:
    return quoted(text, C_ESCAPES, lambda code_point: f"\\u{{{code_point:x}}}")


_RUST = Syntax(
    "rust",
    "Rust",
    _literal,
    entry=".with_config_entry({key}, {value})?",
    disable=".with_optimization_level(ort::session::builder::GraphOptimizationLevel::Disable)?",
    size="const {name}: usize = {value};",
    library="const CUSTOM_OPS: &str = {file};",
)


def _kinds(model: SnippetModel) -> set[int]:
    return {n for port in (*model.inputs, *model.outputs) for n in element_types(port.type)}


def _dependencies(model: SnippetModel, loading: Loading) -> list[str]:
    if not _HALVES & _kinds(model):
        found = [f'ort = "{CRATE}"']
    else:
        found = [f'ort = {{ version = "{CRATE}", features = ["half"] }}', 'half = "2"']
    return [*found, *(['memmap2 = "0.9"'] if loading.way is Way.MAPPED else [])]


def _uses(model: SnippetModel, loading: Loading, values: Iterable[str]) -> list[str]:
    halves = [name for kind, name in ((DataType.BFLOAT16, "bf16"), (DataType.FLOAT16, "f16"))
              if kind in _kinds(model)]  # fmt: skip
    code = "\n".join(values)
    lines = ["use std::fs::File;", ""] if loading.way is Way.MAPPED else []
    lines += _use("half", halves)
    if loading.way is Way.MAPPED:
        lines.append("use memmap2::Mmap;")
    lines += ["use ort::memory::Allocator;"] if _value_types(model) else []
    lines.append("use ort::session::Session;")
    names = [name for name in ("Map", "Sequence", "Tensor") if f"{name}::" in code]
    names += _value_types(model)
    return [*lines, *_use("ort::value", sorted(names))]


def _use(module: str, names: list[str]) -> list[str]:
    if len(names) < 2:
        return [f"use {module}::{name};" for name in names]
    return [f"use {module}::{{{', '.join(names)}}};"]


def _value_types(model: SnippetModel) -> list[str]:
    """The markers that the elements of sequences are extracted by."""
    found = set()
    for port in model.outputs:
        if isinstance(port.type, SequenceType) and _marker(port.type.element):
            is_map = isinstance(port.type.element, MapType)
            found.add("MapValueType" if is_map else "TensorValueType")
    return sorted(found)


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"const MODEL: &str = {_literal(model.path)};"]
    if model.custom_ops:
        file = "libcustom_ops.so" if model.needs_library else "libortextensions.so"
        lines += _RUST.operators(model, file)
    return lines


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    source, commit = _source(loading)
    lines = _RUST.level(loading, INDENT) + _RUST.entries(_entries(model, loading), INDENT)
    if model.custom_ops:
        lines.append(f"{INDENT}.with_operator_library(CUSTOM_OPS)?")
    start = "let mut session = Session::builder()?"
    if not lines:
        return [*source, f"{start}{commit}?;"]
    return [*source, start, *lines, f"{INDENT}{commit}?;"]


def _source(loading: Loading) -> tuple[list[str], str]:
    if loading.way is Way.PATH:
        return [], ".commit_from_file(MODEL)"
    if loading.way is Way.BYTES:
        read = ["let bytes = std::fs::read(MODEL).map_err(ort::Error::wrap)?;"]
        return read, f".commit_from_memory{'_directly' if loading.in_place else ''}(&bytes)"
    return [
        "let file = File::open(MODEL).map_err(ort::Error::wrap)?;",
        "// Safety: nobody may write into the file while the session lives.",
        "let bytes = unsafe { Mmap::map(&file) }.map_err(ort::Error::wrap)?;",
    ], ".commit_from_memory_directly(&bytes)"


def _entries(model: SnippetModel, loading: Loading) -> list[Entry]:
    """What the crate does not set by itself. The code maps the file, not the runtime."""
    if loading.way is Way.MAPPED:
        loading = Loading(
            Way.BYTES, True, True, prepacking=loading.prepacking, replay=loading.replay
        )
    return [entry for entry in entries(model, loading) if entry.key not in _BY_CRATE]


def _run(values: Mapping[Port, str]) -> list[str]:
    lines = ["// Zeros: your data goes here."] if any(values.values()) else []
    lines.append("let outputs = session.run(ort::inputs![")
    return [*lines, *_RUST.fed(values, _input, INDENT), "])?;"]


def _input(port: Port, value: str) -> list[str]:
    return [f"{_literal(port.name)} => {value},"]


def _value(of: ValueType | None, sizes: Mapping[str, str]) -> str:
    """An expression for a value of the type; empty where the crate has none."""
    if isinstance(of, TensorType):
        return _tensor(of, sizes)
    if isinstance(of, OptionalType):
        return _value(of.element, sizes)
    if isinstance(of, SequenceType):
        element = _value(of.element, sizes)
        return f"Sequence::new([{element}])?" if element else ""
    if isinstance(of, MapType) and isinstance(of.value, TensorType):
        value = TYPES.get(of.value.elem_type)
        if value and of.key_type == DataType.STRING:
            return f'Map::<String, {value[0]}>::new([("key".to_string(), {value[1]})])?'
        key = TYPES.get(of.key_type)
        if value and key:
            return f"Map::<{key[0]}, {value[0]}>::new([({key[1]}, {value[1]})])?"
    return ""


def _tensor(of: TensorType, sizes: Mapping[str, str]) -> str:
    dims = dims_text(of, sizes)
    shape, count = f"[{', '.join(dims)}]" if dims else "()", count_text(dims)
    if of.elem_type == DataType.STRING:
        return f'Tensor::from_string_array(({shape}, vec![""; {count}].as_slice()))?'
    found = TYPES.get(of.elem_type)
    return f"Tensor::from_array(({shape}, vec![{found[1]}; {count}]))?" if found else ""


def _shown(of: ValueType | None, value: str, name: str) -> list[str]:
    """Statements that print a value; none where the crate cannot read it."""
    if isinstance(of, OptionalType):
        return _shown(of.element, value, name)
    if isinstance(of, TensorType):
        extract = _extract(of)
        if not extract:
            return []
        return [
            f"let (shape, data) = {value}.{extract}?;",
            f"show({name}, shape, {'&' if of.elem_type == DataType.STRING else ''}data);",
        ]
    if isinstance(of, MapType):
        return _shown_map(_map_types(of), value, name)
    if isinstance(of, SequenceType):
        marker, lines = _marker(of.element), _shown(of.element, "part", name)
        if marker and lines:
            head = f"for part in {value}.try_extract_sequence::<{marker}>(&allocator)? {{"
            return [head, *indented(lines, INDENT), "}"]
    return []


def _shown_map(types: str, value: str, name: str) -> list[str]:
    if not types:
        return []
    return [
        f"let map = {value}.try_extract_map::<{types}>()?;",
        f'println!("{{}}: {{map:?}}", {name});',
    ]


def _extract(of: TensorType) -> str:
    if of.elem_type == DataType.STRING:
        return "try_extract_strings()"
    found = TYPES.get(of.elem_type)
    return f"try_extract_tensor::<{found[0]}>()" if found else ""


def _map_types(of: MapType) -> str:
    if not isinstance(of.value, TensorType) or of.value.elem_type not in TYPES:
        return ""
    value = TYPES[of.value.elem_type][0]
    if of.key_type == DataType.STRING:
        return f"String, {value}"
    key = TYPES.get(of.key_type)
    return f"{key[0]}, {value}" if key else ""


def _marker(of: ValueType | None) -> str:
    if isinstance(of, MapType):
        types = _map_types(of)
        return f"MapValueType<{types}>" if types else ""
    if isinstance(of, TensorType):
        if of.elem_type == DataType.STRING:
            return "TensorValueType<String>"
        found = TYPES.get(of.elem_type)
        return f"TensorValueType<{found[0]}>" if found else ""
    return ""


_SHOW = """\
/// Prints the first ten elements.
fn show<T: std::fmt::Debug>(name: &str, shape: &[i64], data: &[T]) {
    println!("{name} {shape:?}: {:?}", &data[..data.len().min(10)]);
}""".splitlines()
