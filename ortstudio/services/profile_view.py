"""A profile as the rows that tables show, and which nodes each of them is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ortstudio.analysis.nodes import NodeRef
from ortstudio.analysis.profile_nodes import NodeTime
from ortstudio.analysis.profile_tables import Part, by_operator, by_scope
from ortstudio.services.profile_found import Fusion, Origins, Profile
from ortstudio.services.profile_words import between_text, headline, nodes_text, origin_text


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node that ran; `file` and `source` are the nodes that it is there."""

    time: NodeTime
    share: float
    origin: str
    file: tuple[NodeRef, ...]
    source: tuple[NodeRef, ...]


@dataclass(frozen=True, slots=True)
class FusionLine:
    """What became of nodes of the source, in words on both sides."""

    fusion: Fusion
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ProfileView:
    """All that is shown. The shares are parts of a run, by node of the file and of the source."""

    words: tuple[str, ...]
    nodes: Sequence[NodeLine]
    operators: Sequence[Part]
    scopes: Sequence[Part]
    fusions: Sequence[FusionLine]
    shares: tuple[Mapping[NodeRef, float], Mapping[NodeRef, float]] = field(repr=False)


def profile_view(found: Profile) -> ProfileView:
    """What a profile shows, the longest first."""
    file, times, origins = found.file, found.file.times, Origins(found)
    run_ns = max(times.run_ns, 1)
    lines = [
        NodeLine(
            node,
            node.ns / run_ns,
            origin_text(found, origins, node),
            file.in_file(node),
            tuple(origins.in_source(node)),
        )
        for node in sorted(times.nodes, key=lambda node: -node.ns)
    ]
    shares = (
        {ref: ns / run_ns for ref, ns in file.by_file_node().items()},
        {ref: ns / run_ns for ref, ns in found.by_source_node().items()},
    )
    words = (headline(file), between_text(file), *(f"{note}." for note in found.notes))
    fusions = [_fusion(fusion, found) for fusion in found.fusions()]
    return ProfileView(words, lines, by_operator(times), by_scope(times), fusions, shares)


def _fusion(fusion: Fusion, found: Profile) -> FusionLine:
    assert found.source
    before = nodes_text(fusion.row.a, found.source.document)
    after = nodes_text(fusion.row.b, found.file.document)
    return FusionLine(fusion, before, after or str(fusion.row.kind))
