"""What links on a page lead to: something in the model of a side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.model.refs import Ref
from ortstudio.services.document import Document
from ortstudio.ui.views.facts import Link, Run

MOST = 8
"""Links in a row."""


@dataclass(frozen=True, slots=True)
class Place:
    """The target of a link: what is to be selected, and on which side."""

    side: int
    ref: Ref


def node_links(side: int, document: Document, nodes: Iterable[NodeRef]) -> Iterator[Link]:
    """A link to each node that the file has."""
    for node in nodes:
        ref = document.find_node(node)
        if ref is not None:
            yield Link(node_text(document.graphs[ref.graph], ref.row), Place(side, ref))


def in_a_row(links: Sequence[Link]) -> tuple[Run, ...]:
    """The first of them, set off by commas, and how many more there are."""
    runs: list[Run] = []
    for link in links[:MOST]:
        runs += [", ", link] if runs else [link]
    more = len(links) - MOST
    return (*runs, f" and {more:,} more") if more > 0 else tuple(runs)
