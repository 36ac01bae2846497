"""Kotlin on Android, with the onnxruntime-android artifact."""

from __future__ import annotations

from collections.abc import Mapping

from ortstudio.analysis.words import listed
from ortstudio.errors import RefusedError
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import (
    Snippet,
    cannot_feed,
    cannot_read,
    joined,
    notes,
    package,
)
from ortstudio.services.snippet.java_types import can_read, held, is_strings
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    count_text,
    custom_op_names,
    dims_text,
    has_sequence,
    held_tensor,
)
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    call,
    comment,
    identifiers,
    indented,
    quoted,
    upper_snake,
    utf16_escape,
)

INDENT = "    "
_ESCAPES = C_ESCAPES | {"$": "\\$"}


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    found = (ways.MAPPED,) if model.is_ort else ()
    if model.external_data and not model.is_ort:
        return (ways.PLAIN,)
    return (*found, ways.direct_bytes(model), ways.PLAIN)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    if loading.way is Way.BYTES and loading.in_place:
        raise RefusedError(
            "In Kotlin the bytes of an array are given back once the session is made",
            hint="Map the file instead.",
        )
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    values = {port: _value(port, sizes) for port in model.inputs}
    unread = [port for port in model.outputs if not can_read(port.type)]
    parts = [
        _opening(model),
        _imports(model, loading, values),
        _constants(model),
        _size_constants(model, sizes),
        _class(model, loading, values, unread),
        *([_FILE] if loading.way is not Way.BYTES else []),
        *([_PLAIN] if any(has_sequence(port.type) for port in model.outputs) else []),
    ]
    unfed = [port for port, value in values.items() if not value]
    said = (*notes(model, loading, "Kotlin", unfed, unread), *_file_notes(loading))
    artifact = package("com.microsoft.onnxruntime:onnxruntime-android", model, loading)
    extensions = ["com.microsoft.onnxruntime:onnxruntime-extensions-android"]
    requires = (artifact, *(extensions if model.needs_extensions else []))
    return Snippet("kotlin", joined(parts), said, requires)


def _literal(text: str) -> str:
    return quoted(text, _ESCAPES, utf16_escape)


def _opening(model: SnippetModel) -> list[str]:
    assets = listed([model.name, *(() if model.is_ort else model.external_data)])
    text = f"Runs {model.name} with ONNX Runtime on Android."
    return [
        *comment(text, "//"),
        *comment(f"Put {assets} into src/main/assets.", "//"),
    ]


def _file_notes(loading: Loading) -> tuple[str, ...]:
    if loading.way is Way.BYTES:
        return ()
    copied = "The asset is copied into a file once"
    return (f"{copied}: give a new model a new name, or the app keeps the old one",)


def _imports(model: SnippetModel, loading: Loading, values: Mapping[Port, str]) -> list[str]:
    names = {
        "ai.onnxruntime.OnnxTensor",
        "ai.onnxruntime.OrtEnvironment",
        "ai.onnxruntime.OrtSession",
        "android.content.Context",
        *(f"java.nio.{found.buffer}" for port in values if (found := held(port.type))),
    }
    if any("OnnxJavaType." in value for value in values.values()):
        names.add("ai.onnxruntime.OnnxJavaType")
    if any(has_sequence(port.type) for port in model.outputs):
        names.add("ai.onnxruntime.OnnxValue")
    if loading.way is not Way.BYTES:
        names.add("java.io.File")
    if model.needs_extensions:
        names.add("ai.onnxruntime.extensions.OrtxPackage")
    return [f"import {name}" for name in sorted(names)]


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"private const val MODEL = {_literal(model.name)}"]
    if model.needs_library:
        lines += comment(f"The library that has {listed(custom_op_names(model))}.", "//")
        lines.append('private const val CUSTOM_OPS = "libcustom_ops.so"')
    return lines


def _size_constants(model: SnippetModel, sizes: Mapping[str, str]) -> list[str]:
    if not sizes:
        return []
    made = [f"private const val {name} = {model.sizes[symbol]}" for symbol, name in sizes.items()]
    return ["// Sizes that the model leaves open: fill in yours.", *made]


def _class(
    model: SnippetModel, loading: Loading, values: Mapping[Port, str], unread: list[Port]
) -> list[str]:
    parts = [
        [
            "private val environment = OrtEnvironment.getEnvironment()",
            "private val session: OrtSession = OrtSession.SessionOptions().use { options ->",
            *indented(_session(model, loading), INDENT),
            "}",
        ],
        _run(model, values, unread),
        ["override fun close() = session.close()"],
    ]
    lines = joined(parts).removesuffix("\n").split("\n")
    return ["class Model(context: Context) : AutoCloseable {", *indented(lines, INDENT), "}"]


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    lines = []
    for entry in entries(model, loading):
        mark = "" if entry.active else "// "
        lines += comment(entry.why, "//")
        lines.append(f'{mark}options.addConfigEntry("{entry.key}", "{entry.value}")')
    if model.needs_extensions:
        lines.append("options.registerCustomOpLibrary(OrtxPackage.getLibraryPath())")
    if model.needs_library:
        lines.append("options.registerCustomOpLibrary(CUSTOM_OPS)")
    lines += [
        "// Accelerators take the nodes that they can run, the CPU the rest: measure each.",
        "// options.addNnapi()",
        "// options.addXnnpack(emptyMap())",
    ]
    if loading.way is Way.BYTES:
        lines.append("val bytes = context.assets.open(MODEL).use { it.readBytes() }")
        return [*lines, "environment.createSession(bytes, options)"]
    copies = [] if model.is_ort else model.external_data
    lines += [f"file(context, {_literal(name)})" for name in copies]
    return [*lines, "environment.createSession(file(context, MODEL).path, options)"]


def _run(model: SnippetModel, values: Mapping[Port, str], unread: list[Port]) -> list[str]:
    read = [port for port in model.outputs if port not in unread]
    has_lists = any(has_sequence(port.type) for port in read)
    shown = "plain(value.value)" if has_lists else "value.value"
    names = [_literal(port.name) for port in read]
    body = [
        *_inputs(values),
        *[line for port in unread for line in comment(cannot_read(port), "//")],
        *bracketed("val names = setOf(", names, ")", INDENT),
        "try {",
        f"{INDENT}session.run(inputs, names).use {{ outputs ->",
        f"{INDENT * 2}return outputs.associate {{ (name, value) -> name to {shown} }}",
        f"{INDENT}}}",
        "} finally {",
        f"{INDENT}inputs.values.forEach {{ it.close() }}",
        "}",
    ]
    about = "/** The outputs by name: arrays, boxed values for scalars. */"
    return [about, "fun run(): Map<String, Any?> {", *indented(body, INDENT), "}"]


def _inputs(values: Mapping[Port, str]) -> list[str]:
    if not any(values.values()):
        lines = [line for port in values for line in comment(cannot_feed(port), "//")]
        return [*lines, "val inputs = emptyMap<String, OnnxTensor>()"]
    lines = []
    for port, value in values.items():
        if not value:
            lines += comment(cannot_feed(port), "//")
            continue
        found = held(port.type)
        lines += comment(found.hint, "//") if found and found.hint else []
        lines += call(f"{_literal(port.name)} to ", value, ",", INDENT)
    return ["// Zeros: your data goes here.", "val inputs = mapOf(", *indented(lines, INDENT), ")"]


def _value(port: Port, sizes: Mapping[str, str]) -> str:
    """An expression for an input; empty where Kotlin has none."""
    tensor = held_tensor(port.type)
    if tensor is None:
        return ""
    dims = dims_text(tensor, sizes)
    shape = f"longArrayOf({', '.join(map(_long, dims))})"
    make, count = "OnnxTensor.createTensor", count_text(dims)
    if is_strings(tensor):
        return f'{make}(environment, Array({count}) {{ "" }}, {shape})'
    found = held(tensor)
    if found is None:
        return ""
    kind = f", OnnxJavaType.{found.java_type}" if found.java_type else ""
    return f"{make}(environment, {found.buffer}.allocate({count}), {shape}{kind})"


def _long(dim: str) -> str:
    # Kotlin widens literals, but no constants.
    return dim if dim.isdigit() else f"{dim}.toLong()"


_FILE = """\
/** The asset as a file, which can be mapped: copied on the first start. */
private fun file(context: Context, name: String): File {
    val file = File(context.noBackupFilesDir, name)
    if (!file.exists()) {
        val part = File(context.noBackupFilesDir, "$name.part")
        context.assets.open(name).use { asset -> part.outputStream().use { asset.copyTo(it) } }
        check(part.renameTo(file))
    }
    return file
}""".splitlines()

_PLAIN = """\
/** A sequence as a list of its elements' values. */
private fun plain(value: Any?): Any? =
    if (value is List<*>) value.map { plain(if (it is OnnxValue) it.value else it) } else value
""".splitlines()
