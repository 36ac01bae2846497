"""JavaScript in a browser, with the onnxruntime-web package."""

from __future__ import annotations

from ortstudio.errors import RefusedError
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet, joined, notes, package
from ortstudio.services.snippet.javascript import config
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
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import SnippetModel
from ortstudio.services.snippet.text import comment, indented

_NO_LIBRARY = "onnxruntime-web has no way to register a custom operator library"


def offered(_model: SnippetModel) -> tuple[Loading, ...]:
    """The one way: the package fetches the bytes and uses them directly by itself."""
    return (ways.PLAIN,)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for what a browser cannot do."""
    if loading.way is not Way.PATH:
        raise RefusedError(
            "In a browser the package fetches the model by itself, and maps nothing",
            hint="Load it by its path, which is a URL there.",
        )
    sizes = size_names(model)
    parts = [
        opening(model, "In a browser, as a module."),
        ['import * as ort from "onnxruntime-web";'],
        constants(model, sizes, model.name),
        _session(model, loading),
        inputs(model, sizes),
        run(model),
    ]
    said = notes(model, loading, "JavaScript", unfed(model), unread(model))
    said = (*said, _NO_LIBRARY) if model.custom_ops else said
    requires = (package("onnxruntime-web", model, loading),)
    return Snippet("javascript-web", joined(parts), said, requires)


def _session(model: SnippetModel, loading: Loading) -> list[str]:
    lines = [
        *comment('"webgpu" before it takes the graphics card, where there is one.', "//"),
        'executionProviders: ["wasm"],',
    ]
    if model.external_data and not model.is_ort:
        lines += ["externalData: ["]
        for name in model.external_data:
            lines.append(f"{INDENT}{{ path: {literal(name)}, data: {literal(name)} }},")
        lines.append("],")
    # The bytes say what they are: the name does not matter here.
    found = tuple(
        entry for entry in entries(model, loading) if entry.key != "session.load_model_format"
    )
    if found:
        lines += config(found)
    made = "const session = await ort.InferenceSession.create(MODEL, {"
    refused = comment(f"{_NO_LIBRARY}.", "//") if model.custom_ops else []
    return [*refused, made, *indented(lines, INDENT), "});"]
