"""Finds the graph that a path means."""

from __future__ import annotations

from ortstudio.analysis.words import listed
from ortstudio.errors import MissingError, Where
from ortstudio.services.document import Document


def graph_number(document: Document, path: str) -> int:
    """The place in `graphs` of the graph with that path. Raises MissingError where none has it."""
    number = document.graph_numbers.get(path)
    if number is None:
        paths = listed([graph.path for graph in document.graphs], 8)
        raise MissingError(
            f"There is no graph {path!r}",
            where=Where(str(document.path)),
            hint=f"There is {paths}.",
        )
    return number
