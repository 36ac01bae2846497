"""A profile as text."""

from __future__ import annotations

from collections.abc import Sequence

from ortstudio.analysis.profile_tables import Part, by_operator, by_scope
from ortstudio.analysis.words import count, duration_text
from ortstudio.cli.page import Page
from ortstudio.services.profile_found import Fusion, Measured, Origins, Profile
from ortstudio.services.profile_words import between_text, headline, nodes_text, origin_text
from ortstudio.services.runtimes import Runtime
from ortstudio.services.runtimes.limits import limits

MOST_NODES = 20
MOST_PARTS = 12
LEAST_SCOPE = 0.02


def show(found: Profile, runtime: Runtime, page: Page, *, everything: bool) -> None:
    """Write the page; with `everything` all nodes, scopes and fusions."""
    file = found.file
    page.title(
        file.document.path.name,
        f"ONNX Runtime {runtime.onnxruntime}, level {file.level.value}",
    )
    page.text(headline(file))
    page.text(between_text(file))
    for words in (*found.notes, *limits(runtime)):
        page.text(words, "warning")
    most = len(file.times.nodes) if everything else MOST_NODES
    _nodes(found, page, most)
    _parts("Operators", by_operator(file.times), page, MOST_PARTS)
    wide = [part for part in by_scope(file.times) if part.share >= LEAST_SCOPE or everything]
    if wide:
        _parts("Name scopes", wide, page, most)
    if found.source is not None:
        _source(found, found.source, page, most)


def _nodes(found: Profile, page: Page, most: int) -> None:
    nodes = sorted(found.file.times.nodes, key=lambda node: -node.ns)
    made = sum(not node.in_file for node in nodes)
    page.section("Nodes", f"{count(made, 'node')} made at load" if made else "")
    origins = Origins(found)
    rows = [
        (
            duration_text(node.ns),
            f"{100 * node.ns / max(found.file.times.run_ns, 1):.1f} %",
            node.op,
            node.name or f"#{node.ref.index}",
            origin_text(found, origins, node),
        )
        for node in nodes[:most]
    ]
    page.table(rows, "rr", ("", "muted", "name", "", "muted"))
    page.more(len(nodes) - most)


def _parts(title: str, parts: Sequence[Part], page: Page, most: int) -> None:
    page.section(title)
    rows = [
        (
            duration_text(part.ns),
            f"{100 * part.share:.1f} %",
            part.name,
            count(part.nodes, "node"),
        )
        for part in parts[:most]
    ]
    page.table(rows, "rr", ("", "muted", "name", "muted"))
    page.more(len(parts) - most)


def _source(found: Profile, source: Measured, page: Page, most: int) -> None:
    page.section("Source, as stored", source.document.path.name)
    page.text(headline(source))
    fusions = found.fusions()
    if not fusions:
        return
    page.section("What became of the source's nodes, and what that saved")
    page.table([_fusion(fusion, found, source) for fusion in fusions[:most]], "rrr")
    page.more(len(fusions) - most)


def _fusion(fusion: Fusion, found: Profile, source: Measured) -> tuple[str, ...]:
    sign = "saves" if fusion.saved_ns >= 0 else "costs"
    became = nodes_text(fusion.row.b, found.file.document) or str(fusion.row.kind)
    return (
        duration_text(fusion.a_ns),
        "→ " + duration_text(fusion.b_ns),
        f"{sign} {duration_text(abs(fusion.saved_ns))}",
        f"{nodes_text(fusion.row.a, source.document)} → {became}",
    )
