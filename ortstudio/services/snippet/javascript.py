"""JavaScript under Node.js, with the onnxruntime-node package."""

from __future__ import annotations

from ortstudio.errors import RefusedError
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, joined, notes, package
from ortstudio.services.snippet.javascript_code import (
    INDENT,
    constants,
    inputs,
    literal,
    opening,
    run,
    size_names,
    unfed,
    unread,
)
from ortstudio.services.snippet.loading import Entry, Loading, Way, entries
from ortstudio.services.snippet.model import SnippetModel
from ortstudio.services.snippet.text import comment, indented

_NO_LIBRARY = "onnxruntime-node has no way to register a custom operator library"


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return (*([ways.MAPPED] if model.is_ort else []), ways.PLAIN, ways.direct_bytes(model))


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    if loading.way is Way.BYTES and loading.in_place:
        raise RefusedError(
            "In JavaScript nothing keeps the bytes as long as the session would use them",
            hint="Map the file instead.",
        )
    sizes = size_names(model)
    file = ['import { readFile } from "node:fs/promises";'] if loading.way is Way.BYTES else []
    parts = [
        opening(model, "Node.js: an .mjs file, or one of a package of the type module."),
        [*file, 'import * as ort from "onnxruntime-node";'],
        constants(model, sizes),
        _session(model, loading),
        inputs(model, sizes),
        run(model),
    ]
    said = notes(model, loading, "JavaScript", unfed(model), unread(model))
    said = (*said, _NO_LIBRARY) if model.custom_ops else said
    requires = (package("onnxruntime-node", model, loading), "Node.js >= 18")
    return Snippet("javascript", joined(parts), said, requires)


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    source = "await readFile(MODEL)" if loading.way is Way.BYTES else "MODEL"
    made = f"const session = await ort.InferenceSession.create({source}"
    lines = comment(f"{_NO_LIBRARY}.", "//") if model.custom_ops else []
    found = entries(model, loading)
    if not found:
        return [*lines, f"{made});"]
    return [*lines, f"{made}, {{", *indented(config(found), INDENT), "});"]


def config(found: tuple[Entry, ...]) -> list[str]:
    """The `extra` option: configuration entries, the first word of each key as a group."""
    lines = []
    for entry in found:
        mark = "" if entry.active else "// "
        lines += comment(entry.why, "//")
        lines.append(f"{mark}{entry.key.partition('.')[2]}: {literal(entry.value)},")
    group = found[0].key.partition(".")[0]
    inner = [f"{group}: {{", *indented(lines, INDENT), "},"]
    return ["extra: {", *indented(inner, INDENT), "},"]
