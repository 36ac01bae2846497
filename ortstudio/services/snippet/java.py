"""Java 11, with the onnxruntime artifact."""

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
_MAKE = "OnnxTensor.createTensor"


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return (*([ways.MAPPED] if model.is_ort else []), ways.PLAIN, ways.direct_bytes(model))


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    if loading.way is Way.BYTES and loading.in_place:
        raise RefusedError(
            "In Java the bytes of an array are given back once the session is made",
            hint="Map the file instead.",
        )
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    values = {port: _value(port, sizes) for port in model.inputs}
    unread = [port for port in model.outputs if not can_read(port.type)]
    parts = [
        [*comment(f"Runs {model.name} with ONNX Runtime.", "//")],
        _imports(model, loading, values),
        _class(model, loading, sizes, values),
    ]
    unfed = [port for port, value in values.items() if not value]
    said = notes(model, loading, "Java", unfed, unread)
    artifact = package("com.microsoft.onnxruntime:onnxruntime", model, loading)
    extensions = ["com.microsoft.onnxruntime:onnxruntime-extensions-android"]
    requires = (artifact, "Java >= 11", *(extensions if model.needs_extensions else []))
    return Snippet("java", joined(parts), said, requires)


def _literal(text: str) -> str:
    # The compiler reads \u escapes before it reads strings, so line ends must be written as \n.
    return quoted(text, C_ESCAPES, utf16_escape)


def _imports(model: SnippetModel, loading: Loading, values: Mapping[Port, str]) -> list[str]:
    code = "\n".join(values.values())
    buffers = {found.buffer for port in values if (found := held(port.type))}
    names = {
        "ai.onnxruntime.OnnxTensor",
        "ai.onnxruntime.OnnxValue",
        "ai.onnxruntime.OrtEnvironment",
        "ai.onnxruntime.OrtException",
        "ai.onnxruntime.OrtSession",
        "java.util.Arrays",
        "java.util.LinkedHashMap",
        "java.util.Map",
        *(f"java.nio.{buffer}" for buffer in buffers),
    }
    if "OnnxJavaType." in code:
        names.add("ai.onnxruntime.OnnxJavaType")
    if _has_sequences(model):
        names |= {"java.util.ArrayList", "java.util.List"}
    if not all(can_read(port.type) for port in model.outputs):
        names |= {"java.util.LinkedHashSet", "java.util.Set"}
    if loading.way is Way.BYTES:
        names |= {"java.io.IOException", "java.nio.file.Files", "java.nio.file.Path"}
    if model.needs_extensions:
        names.add("ai.onnxruntime.extensions.OrtxPackage")
    return [f"import {name};" for name in sorted(names)]


def _has_sequences(model: SnippetModel) -> bool:
    return any(has_sequence(port.type) for port in model.outputs)


def _class(
    model: SnippetModel, loading: Loading, sizes: Mapping[str, str], values: Mapping[Port, str]
) -> list[str]:
    parts = [
        _constants(model, sizes),
        _main(model, loading),
        _run(model, values),
        _STRINGS if any(is_strings(port.type) for port in model.inputs) else [],
        _TEXT_OF_LISTS if _has_sequences(model) else _TEXT,
        _CUT,
    ]
    lines = joined(parts).removesuffix("\n").split("\n")
    return ["public final class RunModel {", *indented(lines, INDENT), "}"]


def _constants(model: SnippetModel, sizes: Mapping[str, str]) -> list[str]:
    lines = [f"private static final String MODEL = {_literal(model.path)};"]
    if model.needs_library:
        lines += comment(f"The library that has {listed(custom_op_names(model))}.", "//")
        lines.append('private static final String CUSTOM_OPS = "custom_ops.so";')
    if sizes:
        lines += ["", "// Sizes that the model leaves open: fill in yours."]
        lines += [
            f"private static final int {name} = {model.sizes[symbol]};"
            for symbol, name in sizes.items()
        ]
    return lines


def _main(model: SnippetModel, loading: Loading) -> list[str]:
    source = "Files.readAllBytes(Path.of(MODEL))" if loading.way is Way.BYTES else "MODEL"
    thrown = "OrtException, IOException" if loading.way is Way.BYTES else "OrtException"
    body = [
        "OrtEnvironment environment = OrtEnvironment.getEnvironment();",
        "try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {",
        *indented(_options(model, loading), INDENT),
        f"{INDENT}try (OrtSession session = environment.createSession({source}, options)) {{",
        f"{INDENT * 2}run(environment, session);",
        f"{INDENT}}}",
        "}",
    ]
    head = f"public static void main(String[] arguments) throws {thrown} {{"
    return [head, *indented(body, INDENT), "}"]


def _options(model: SnippetModel, loading: Loading) -> list[str]:
    lines = []
    for entry in entries(model, loading):
        mark = "" if entry.active else "// "
        lines += comment(entry.why, "//")
        lines.append(f'{mark}options.addConfigEntry("{entry.key}", "{entry.value}");')
    if model.needs_extensions:
        lines.append("options.registerCustomOpLibrary(OrtxPackage.getLibraryPath());")
    if model.needs_library:
        lines.append("options.registerCustomOpLibrary(CUSTOM_OPS);")
    lines += [
        "// On Android, for an accelerator that takes the nodes it can run: measure it.",
        "// options.addNnapi();",
    ]
    return lines


def _run(model: SnippetModel, values: Mapping[Port, str]) -> list[str]:
    body = ["// Zeros: your data goes here."] if values else []
    body.append("Map<String, OnnxTensor> inputs = new LinkedHashMap<>();")
    for port, value in values.items():
        if not value:
            body += comment(cannot_feed(port), "//")
            continue
        found = held(port.type)
        body += comment(found.hint, "//") if found and found.hint else []
        body += call(f"inputs.put({_literal(port.name)}, ", value, ");", INDENT, last="")
    body += _outputs(model)
    body += indented(_printed(), INDENT)
    body += ["} finally {", f"{INDENT}OnnxValue.close(inputs);", "}"]
    head = (
        "private static void run(OrtEnvironment environment, OrtSession session)"
        " throws OrtException {"
    )
    return [head, *indented(body, INDENT), "}"]


def _outputs(model: SnippetModel) -> list[str]:
    """The run, of all outputs that Java can read."""
    unread = [port for port in model.outputs if not can_read(port.type)]
    if not unread:
        return ["try (OrtSession.Result outputs = session.run(inputs)) {"]
    names = [_literal(port.name) for port in model.outputs if port not in unread]
    start = "Set<String> names = new LinkedHashSet<>(Arrays.asList("
    return [
        *(line for port in unread for line in comment(cannot_read(port), "//")),
        *bracketed(start, names, "));", INDENT, last=""),
        "try (OrtSession.Result outputs = session.run(inputs, names)) {",
    ]


def _printed() -> list[str]:
    return [
        "for (Map.Entry<String, OnnxValue> output : outputs) {",
        f"{INDENT}String value = text(output.getValue().getValue());",
        f'{INDENT}System.out.println(output.getKey() + ": " + cut(value));',
        "}",
    ]


def _value(port: Port, sizes: Mapping[str, str]) -> str:
    """An expression for an input; empty where Java has none."""
    tensor = held_tensor(port.type)
    if tensor is None:
        return ""
    dims = dims_text(tensor, sizes)
    shape, count = f"new long[] {{{', '.join(dims)}}}", count_text(dims)
    if is_strings(tensor):
        return f"{_MAKE}(environment, strings({count}), {shape})"
    found = held(tensor)
    if found is None:
        return ""
    kind = f", OnnxJavaType.{found.java_type}" if found.java_type else ""
    return f"{_MAKE}(environment, {found.buffer}.allocate({count}), {shape}{kind})"


_STRINGS = """\
private static String[] strings(int count) {
    String[] made = new String[count];
    Arrays.fill(made, "");
    return made;
}""".splitlines()

_CUT = """\
private static String cut(String text) {
    return text.length() > 200 ? text.substring(0, 200) + "..." : text;
}""".splitlines()

_TEXT = """\
private static String text(Object value) {
    return Arrays.deepToString(new Object[] {value});
}""".splitlines()

_TEXT_OF_LISTS = """\
private static String text(Object value) throws OrtException {
    if (!(value instanceof List)) {
        return Arrays.deepToString(new Object[] {value});
    }
    List<String> parts = new ArrayList<>();
    for (Object element : (List<?>) value) {
        parts.add(text(element instanceof OnnxValue ? ((OnnxValue) element).getValue() : element));
    }
    return parts.toString();
}""".splitlines()
