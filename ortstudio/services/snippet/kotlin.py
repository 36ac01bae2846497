"""Kotlin on Android, with the onnxruntime-android artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ortstudio.analysis.words import listed
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, joined, package
from ortstudio.services.snippet.java_types import can_read, held, tensor
from ortstudio.services.snippet.loading import Loading, Way, entries, refuse_kept_bytes
from ortstudio.services.snippet.model import (
    Port,
    SnippetModel,
    has_sequence,
)
from ortstudio.services.snippet.syntax import Syntax
from ortstudio.services.snippet.text import (
    C_ESCAPES,
    bracketed,
    call,
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
    return ways.possible(model, ways.MAPPED, ways.DIRECT_BYTES, ways.PLAIN)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    refuse_kept_bytes(
        loading, "In Kotlin the bytes of an array are given back once the session is made"
    )
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    values = {port: tensor(port.type, sizes, _shape, _strings) for port in model.inputs}
    unread = [port for port in model.outputs if not can_read(port.type)]
    parts = [
        _opening(model),
        _imports(model, loading, values),
        _constants(model),
        _KOTLIN.sizes(model, sizes),
        _class(model, loading, values, unread),
        *([_FILE] if loading.way is not Way.BYTES else []),
        *([_PLAIN] if any(has_sequence(port.type) for port in model.outputs) else []),
    ]
    artifact = package("com.microsoft.onnxruntime:onnxruntime-android", model, loading)
    extensions = ["com.microsoft.onnxruntime:onnxruntime-extensions-android"]
    return _KOTLIN.snippet(
        model,
        loading,
        parts,
        values=values,
        unread=unread,
        requires=[artifact, *(extensions if model.needs_extensions else [])],
        more=_file_notes(loading),
    )


def _literal(text: str) -> str:
    return quoted(text, _ESCAPES, utf16_escape)


_KOTLIN = Syntax(
    "kotlin",
    "Kotlin",
    _literal,
    entry="options.addConfigEntry({key}, {value})",
    disable="options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT)",
    size="private const val {name} = {value}",
    library="private const val CUSTOM_OPS = {file}",
)


def _opening(model: SnippetModel) -> list[str]:
    assets = listed([model.name, *(() if model.is_ort else model.external_data)])
    return [
        *_KOTLIN.opening(model, " on Android"),
        *_KOTLIN.comment(f"Put {assets} into src/main/assets."),
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
        lines += _KOTLIN.operators(model, "libcustom_ops.so")
    return lines


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
    lines = _KOTLIN.level(loading) + _KOTLIN.entries(entries(model, loading))
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
        *_KOTLIN.unread(unread),
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
        return [*_KOTLIN.fed(values, _input), "val inputs = emptyMap<String, OnnxTensor>()"]
    fed = _KOTLIN.fed(values, _input, INDENT)
    return ["// Zeros: your data goes here.", "val inputs = mapOf(", *fed, ")"]


def _input(port: Port, value: str) -> list[str]:
    found = held(port.type)
    hint = _KOTLIN.comment(found.hint) if found else []
    return [*hint, *call(f"{_literal(port.name)} to ", value, ",", INDENT)]


def _shape(dims: Sequence[str]) -> str:
    return f"longArrayOf({', '.join(map(_long, dims))})"


def _strings(count: str) -> str:
    return f'Array({count}) {{ "" }}'


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
