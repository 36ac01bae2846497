"""JavaScript in a browser, with the onnxruntime-web package."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from ortstudio.errors import RefusedError
from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet
from ortstudio.services.snippet.javascript_code import (
    INDENT,
    JAVASCRIPT,
    config,
    literal,
    written,
)
from ortstudio.services.snippet.loading import Loading, Way, entries
from ortstudio.services.snippet.model import SnippetModel

_SPECIAL = re.compile(r"[\x00-\x20%#?:\\]")
"""What in a URL ends a name, is left out of it, or stands for something else."""


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
    return written(
        replace(JAVASCRIPT, lang="javascript-web"),
        model,
        loading,
        module="onnxruntime-web",
        where="In a browser, as a module.",
        path=url(model.name),
        options=_options(model, loading),
    )


def _options(model: SnippetModel, loading: Loading) -> list[str]:
    lines = [
        *JAVASCRIPT.comment('"webgpu" before it takes the graphics card, where there is one.'),
        'executionProviders: ["wasm"],',
    ]
    if model.external_data and not model.is_ort:
        lines += ["externalData: ["]
        for name in model.external_data:
            lines.append(f"{INDENT}{{ path: {literal(name)}, data: {literal(url(name))} }},")
        lines.append("],")
    # The bytes say what they are: the name does not matter here.
    found = [entry for entry in entries(model, loading) if entry.key != "session.load_model_format"]
    return [*lines, *JAVASCRIPT.level(loading), *config(found)]


def url(name: str) -> str:
    """A file's name, or its path in a folder, as a URL beside the page."""
    return _SPECIAL.sub(lambda found: quote(found[0]), name)
