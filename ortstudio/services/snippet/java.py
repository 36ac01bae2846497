"""Java 11, with the onnxruntime artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, joined, package
from ortstudio.services.snippet.java_types import can_read, held, is_strings, tensor
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


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.DIRECT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    refuse_kept_bytes(
        loading, "In Java the bytes of an array are given back once the session is made"
    )
    sizes = identifiers(model.sizes, upper_snake, "size", ("MODEL", "CUSTOM_OPS"))
    values = {port: tensor(port.type, sizes, _shape, _strings) for port in model.inputs}
    unread = [port for port in model.outputs if not can_read(port.type)]
    parts = [
        _JAVA.opening(model),
        _imports(model, loading, values),
        _class(model, loading, sizes, values),
    ]
    artifact = package("com.microsoft.onnxruntime:onnxruntime", model, loading)
    extensions = ["com.microsoft.onnxruntime:onnxruntime-extensions-android"]
    requires = [artifact, "Java >= 11", *(extensions if model.needs_extensions else [])]
    return _JAVA.snippet(model, loading, parts, values=values, unread=unread, requires=requires)


def _literal(text: str) -> str:
    # The compiler reads \u escapes before it reads strings, so line ends must be written as \n.
    return quoted(text, C_ESCAPES, utf16_escape)


_JAVA = Syntax(
    "java",
    "Java",
    _literal,
    entry="options.addConfigEntry({key}, {value});",
    disable="options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT);",
    size="private static final int {name} = {value};",
    library="private static final String CUSTOM_OPS = {file};",
)


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
        _constants(model),
        _JAVA.sizes(model, sizes),
        _main(model, loading),
        _run(model, values),
        _STRINGS if any(is_strings(port.type) for port in model.inputs) else [],
        _TEXT_OF_LISTS if _has_sequences(model) else _TEXT,
        _CUT,
    ]
    lines = joined(parts).removesuffix("\n").split("\n")
    return ["public final class RunModel {", *indented(lines, INDENT), "}"]


def _constants(model: SnippetModel) -> list[str]:
    lines = [f"private static final String MODEL = {_literal(model.path)};"]
    if model.needs_library:
        lines += _JAVA.operators(model, "custom_ops.so")
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
    lines = _JAVA.level(loading) + _JAVA.entries(entries(model, loading))
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
    body += _JAVA.fed(values, _input)
    body += _outputs(model)
    body += indented(_printed(), INDENT)
    body += ["} finally {", f"{INDENT}OnnxValue.close(inputs);", "}"]
    head = (
        "private static void run(OrtEnvironment environment, OrtSession session)"
        " throws OrtException {"
    )
    return [head, *indented(body, INDENT), "}"]


def _input(port: Port, value: str) -> list[str]:
    found = held(port.type)
    hint = _JAVA.comment(found.hint) if found else []
    return [*hint, *call(f"inputs.put({_literal(port.name)}, ", value, ");", INDENT, last="")]


def _outputs(model: SnippetModel) -> list[str]:
    """The run, of all outputs that Java can read."""
    unread = [port for port in model.outputs if not can_read(port.type)]
    if not unread:
        return ["try (OrtSession.Result outputs = session.run(inputs)) {"]
    names = [_literal(port.name) for port in model.outputs if port not in unread]
    start = "Set<String> names = new LinkedHashSet<>(Arrays.asList("
    return [
        *_JAVA.unread(unread),
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


def _shape(dims: Sequence[str]) -> str:
    return f"new long[] {{{', '.join(dims)}}}"


def _strings(count: str) -> str:
    return f"strings({count})"


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
