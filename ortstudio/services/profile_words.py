"""What a profile found, in sentences for both faces."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.profile_nodes import NodeTime
from ortstudio.analysis.words import count, duration_text, listed, share
from ortstudio.services.document import Document
from ortstudio.services.profile_found import Measured, Origins, Profile


def headline(measured: Measured) -> str:
    """How long a run takes, with the profile on and without."""
    times = measured.times
    return (
        f"A run takes {duration_text(times.run_ns)} with the profile on,"
        f" {duration_text(measured.plain_run_ns)} without"
        f" ({count(len(times.runs_ns), 'run')} each)."
    )


def between_text(measured: Measured) -> str:
    """What lies in nodes, and what between them."""
    times = measured.times
    part = share(times.between_ns, times.run_ns)
    return (
        f"{count(len(times.nodes), 'node')} ran. {duration_text(times.between_ns)} ({part}) lie"
        " between them: the runtime's own work, and that of writing the profile."
    )


def origin_text(found: Profile, origins: Origins, node: NodeTime) -> str:
    """What a node came of at load, and in the source; empty where it is as it was."""
    parts = []
    if not node.in_file:
        of = nodes_text(found.file.in_file(node), found.file.document)
        parts.append(f"made at load of {of}" if of else "made at load")
    if found.source is not None:
        came_of = origins.in_source(node)
        if len(came_of) != 1 or not node.in_file:
            of = nodes_text(came_of, found.source.document)
            parts.append(f"from {of}" if of else "not in the source")
    return ", ".join(parts)


def nodes_text(refs: Sequence[NodeRef], document: Document) -> str:
    """Nodes by operator and name, the first few of many; those that hold constants come last."""
    places = [place for place in map(document.find_node, refs) if place is not None]
    texts = [node_text(document.graphs[place.graph], place.row) for place in places]
    return listed(sorted(texts, key=lambda text: text.startswith("Constant")))
