"""Whether an edited model is what was asked for, judged by our reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ortstudio.errors import FormatError, StudioError
from ortstudio.model.graph import Graph
from ortstudio.model.model import Model
from ortstudio.services.edit_changes import Changes, symbols
from ortstudio.services.reading import read_model


def check_edited(made: Path, model: Model, changes: Changes) -> None:
    """Raises FormatError where the file cannot be read, or is not the model with these changes."""
    try:
        found = read_model(made)
    except StudioError as error:
        raise FormatError(f"What was written cannot be read back: {error.message}") from None
    if found.error is not None:
        raise FormatError(f"What was written cannot be read back: {found.error.message}")
    for problem in _problems(found, model, changes):
        raise FormatError(f"What was written is not what was asked for: {problem}")


def _problems(found: Model, model: Model, changes: Changes) -> Iterator[str]:
    if [len(graph.nodes) for graph in found.graphs] != [len(graph.nodes) for graph in model.graphs]:
        yield "it has other nodes"
        return
    names = changes.renamed
    for ours, theirs in zip(model.graphs, found.graphs, strict=True):
        if ours.nodes.ops != theirs.nodes.ops:
            yield "it has other nodes"
        if len(ours.initializers) != len(theirs.initializers):
            yield "it has other initializers"
    if _ends(model.main, names) != _ends(found.main, {}):
        yield "its inputs and outputs have other names"
    if not changes.sizes.keys().isdisjoint(symbols(found)):
        yield "it still has sizes that were to be fixed"
    kept = {
        key: text for key, text in model.metadata.items() if key not in changes.removed_metadata
    }
    if dict(found.metadata) != {**kept, **changes.metadata}:
        yield "it has other metadata"


def _ends(graph: Graph, names: Mapping[str, str]) -> list[str]:
    """The names of inputs and outputs."""
    found = graph.value_names([*graph.inputs.tolist(), *graph.outputs.tolist()])
    return [names.get(name, name) for name in found]
