"""The layered drawing of a graph: from edges and node sizes to coordinates and routes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ortstudio.analysis.layout.arrangement import arranged
from ortstudio.analysis.layout.bands import layer_bands
from ortstudio.analysis.layout.components import beside, stacked
from ortstudio.analysis.layout.edges import acyclic
from ortstudio.analysis.layout.layers import layers
from ortstudio.analysis.layout.routes import Places, routes
from ortstudio.analysis.layout.strips import cut
from ortstudio.analysis.layout.trunks import find_portals, grow
from ortstudio.analysis.layout.types import DEFAULT_SPACING, Floats, Layout, Spacing
from ortstudio.analysis.layout.watch import Watch
from ortstudio.format.arrays import Ints


def lay_out(
    source: Ints,
    target: Ints,
    width: Floats,
    height: Floats,
    *,
    spacing: Spacing = DEFAULT_SPACING,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Layout:
    """Draws nodes of these sizes and the edges between them, any edges, from top to bottom.

    Edges name nodes by their place in `width` and `height`. Equal input gives equal output.
    `cancelled` is asked every few thousand elements and ends the work with `Cancelled`; `progress`
    is told the steps done and to do, if there are any to speak of.
    """
    n = len(width)
    if n == 0:
        return _empty()
    watch = Watch(cancelled, progress)
    edges = acyclic(n, source, target, watch)
    layer = layers(n, edges, watch)
    portal = find_portals(n, layer, edges.source, edges.target)
    upper, lower = edges.source[~portal], edges.target[~portal]

    stack = stacked(n, edges, layer)
    trunks = grow(n, stack.layer, upper, lower)
    dummies = np.zeros(len(trunks.owner) - n)
    sizes = np.append(width, dummies), np.append(height, dummies)
    strips = cut(trunks, *sizes, stack.top, watch)
    x = arranged(strips, spacing, watch)
    watch.check()
    x, bands = beside(stack, trunks, sizes[0], x, layer_bands(trunks, x, height, spacing), spacing)
    y = (bands.top + bands.bottom)[stack.layer] / 2
    points, route_ptr = routes(trunks, upper, lower, Places(x, y, width, height, bands))
    watch.check()
    return Layout(
        x=x[:n],
        y=y,
        width=width,
        height=height,
        layer=layer,
        points=points,
        route_ptr=route_ptr,
        route_source=upper,
        route_target=lower,
        portals=np.column_stack([edges.source[portal], edges.target[portal]]),
        strips=strips.of_element[:n],
        strip_class=strips.kind,
        bounds=_bounds(x[:n], y, width, height, points),
    )


def _bounds(
    x: Floats, y: Floats, width: Floats, height: Floats, points: Floats
) -> tuple[float, float, float, float]:
    xs = np.concatenate([x - width / 2, x + width / 2, points[:, 0]])
    ys = np.concatenate([y - height / 2, y + height / 2, points[:, 1]])
    return float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())


def _empty() -> Layout:
    floats, ints = np.zeros(0), np.zeros(0, np.int64)
    return Layout(
        x=floats,
        y=floats,
        width=floats,
        height=floats,
        layer=ints,
        points=np.zeros((0, 2)),
        route_ptr=np.zeros(1, np.int64),
        route_source=ints,
        route_target=ints,
        portals=np.zeros((0, 2), np.int64),
        strips=ints,
        strip_class=ints,
        bounds=(0.0, 0.0, 0.0, 0.0),
    )
