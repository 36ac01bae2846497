"""JavaScript under Node.js, with the onnxruntime-node package."""

from __future__ import annotations

from ortstudio.services.snippet import loading as ways
from ortstudio.services.snippet.code import Snippet
from ortstudio.services.snippet.javascript_code import JAVASCRIPT, config, written
from ortstudio.services.snippet.loading import Loading, Way, entries, refuse_kept_bytes
from ortstudio.services.snippet.model import SnippetModel


def offered(model: SnippetModel) -> tuple[Loading, ...]:
    """The ways that are safe."""
    return ways.possible(model, ways.MAPPED, ways.PLAIN, ways.DIRECT_BYTES)


def write(model: SnippetModel, loading: Loading) -> Snippet:
    """The code. Raises RefusedError for bytes that are used in place."""
    refuse_kept_bytes(
        loading, "In JavaScript nothing keeps the bytes as long as the session would use them"
    )
    is_read = loading.way is Way.BYTES
    return written(
        JAVASCRIPT,
        model,
        loading,
        module="onnxruntime-node",
        where="Node.js: an .mjs file, or one of a package of the type module.",
        imports=['import { readFile } from "node:fs/promises";'] if is_read else [],
        path=model.path,
        source="await readFile(MODEL)" if is_read else "MODEL",
        options=[*JAVASCRIPT.level(loading), *config(entries(model, loading))],
        requires=["Node.js >= 18"],
    )
