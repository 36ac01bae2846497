"""A rewrite as a small picture: the nodes it took, how they hang together, and what they became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ortstudio.analysis.nodes import NodeRef, node_text
from ortstudio.analysis.pairing.rows import NodeRow
from ortstudio.analysis.words import count
from ortstudio.model.graph import Graph
from ortstudio.services.html_text import text

MOST_BOXES = 14
"""More nodes are not drawn: the text says how many they are."""

_CHARACTER, _PAD, _HEIGHT = 7.3, 9, 24
_GAP, _LAYER_GAP, _ARROW, _MARGIN = 10, 18, 44, 2
_AROUND = 20
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class _Box:
    """A node: where its middle is within its side, and how wide it is."""

    label: str
    title: str
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class _Drawing:
    """One side: boxes, the edges between them by place, and the room they take."""

    boxes: Sequence[_Box]
    edges: Sequence[tuple[int, int]]
    around: float
    """How far right edges go that pass other boxes; `width` holds that too."""
    width: float
    height: float


def picture(row: NodeRow, a: Mapping[str, Graph], b: Mapping[str, Graph]) -> str:
    """The row as SVG, its colours left to the page; empty where there is too much to draw."""
    if max(len(row.a), len(row.b)) > MOST_BOXES:
        return ""
    sides = [_drawing(refs, graphs) for refs, graphs in ((row.a, a), (row.b, b)) if refs]
    width = sum(side.width for side in sides) + _ARROW * (len(sides) - 1) + 2 * _MARGIN
    height = max(side.height for side in sides) + 2 * _MARGIN
    parts, left = [], float(_MARGIN)
    for i, side in enumerate(sides):
        if i:
            parts.append(_arrow(left, height / 2))
            left += _ARROW
        result = bool(row.b) and i == len(sides) - 1
        parts.append(_drawn(side, left, (height - side.height) / 2, result))
        left += side.width
    texts = [_spoken(refs, graphs) for refs, graphs in ((row.a, a), (row.b, b)) if refs]
    return (
        f'<svg role="img" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.1f} {height:.1f}">'
        f"<title>{text(' became '.join(texts))}</title>{''.join(parts)}</svg>"
    )


def _drawing(refs: Sequence[NodeRef], graphs: Mapping[str, Graph]) -> _Drawing:
    places = [(graphs[ref.graph], graphs[ref.graph].nodes.rows_by_index[ref.index]) for ref in refs]
    edges = _edges(places)
    layers: dict[int, list[int]] = {}
    # Nodes that do not feed each other stand below each other: a row of them is soon too wide.
    depths = _depths(len(places), edges) if edges else list(range(len(places)))
    for i, depth in enumerate(depths):
        layers.setdefault(depth, []).append(i)
    labels = [_shown(graph.nodes.op_types[row]) for graph, row in places]
    widths = [len(label) * _CHARACTER + 2 * _PAD for label in labels]
    room = {d: sum(widths[i] for i in row) + _GAP * (len(row) - 1) for d, row in layers.items()}
    whole = max(room.values())
    boxes: dict[int, _Box] = {}
    for depth, members in layers.items():
        x = (whole - room[depth]) / 2
        y = depth * (_HEIGHT + _LAYER_GAP)
        for i in members:
            title = node_text(*places[i])
            boxes[i] = _Box(labels[i], title, x + widths[i] / 2, y + _HEIGHT / 2, widths[i])
            x += widths[i] + _GAP
    height = len(layers) * (_HEIGHT + _LAYER_GAP) - _LAYER_GAP
    passing = any(depths[b] - depths[a] > 1 for a, b in edges)
    width = whole + _AROUND if passing else whole
    return _Drawing([boxes[i] for i in range(len(places))], edges, whole + _AROUND, width, height)


def _edges(places: Sequence[tuple[Graph, int]]) -> list[tuple[int, int]]:
    """Who reads what another of them makes."""
    at = {(graph.path, row): i for i, (graph, row) in enumerate(places)}
    found: dict[tuple[int, int], None] = {}
    for i, (graph, row) in enumerate(places):
        for value in graph.nodes.inputs.row(row).tolist():
            maker = int(graph.producers[value]) if value >= 0 else -1
            source = at.get((graph.path, maker))
            if source is not None and source != i:
                found[source, i] = None
    return list(found)


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way to each; a damaged file's circle ends with the rounds."""
    depths = [0] * count
    for _ in range(count):
        for source, target in edges:
            depths[target] = max(depths[target], min(depths[source] + 1, count - 1))
    return [sorted(set(depths)).index(depth) for depth in depths]


def _drawn(side: _Drawing, left: float, top: float, result: bool) -> str:
    parts = []
    for source, target in side.edges:
        parts.append(_edge(side.boxes[source], side.boxes[target], left, top, side.around))
    for box in side.boxes:
        x, y = left + box.x - box.width / 2, top + box.y - _HEIGHT / 2
        parts.append(
            f'<g class="{"result" if result else "source"}"><title>{text(box.title)}</title>'
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{_HEIGHT}" rx="4"/>'
            f'<text x="{left + box.x:.1f}" y="{top + box.y + 4:.1f}">{text(box.label)}</text></g>'
        )
    return "".join(parts)


def _edge(a: _Box, b: _Box, left: float, top: float, around: float) -> str:
    """From below one box to above the next; at the right of those between."""
    x1, y1 = left + a.x, top + a.y + _HEIGHT / 2
    x2, y2 = left + b.x, top + b.y - _HEIGHT / 2
    if y2 - y1 <= _LAYER_GAP:
        way = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + 9:.1f} {x2:.1f} {y2 - 9:.1f} {x2:.1f} {y2:.1f}"
    else:
        x1, y1 = x1 + a.width / 2, y1 - _HEIGHT / 2
        x2, y2 = x2 + b.width / 2, y2 + _HEIGHT / 2
        side = left + around - 4
        way = f"M{x1:.1f} {y1:.1f}C{side:.1f} {y1:.1f} {side:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    return f'<path class="edge" d="{way}"/>'


def _arrow(left: float, y: float) -> str:
    start, end = left + 8, left + _ARROW - 8
    return (
        f'<path class="arrow" d="M{start:.1f} {y:.1f}H{end:.1f}'
        f'M{end - 6:.1f} {y - 5:.1f}L{end:.1f} {y:.1f}L{end - 6:.1f} {y + 5:.1f}"/>'
    )


def _spoken(refs: Sequence[NodeRef], graphs: Mapping[str, Graph]) -> str:
    if len(refs) > 4:
        return count(len(refs), "node")
    texts = []
    for ref in refs:
        graph = graphs[ref.graph]
        texts.append(graph.nodes.op_types[graph.nodes.rows_by_index[ref.index]])
    return " and ".join(texts)


def _shown(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
