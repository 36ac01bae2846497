"""A laid-out graph ready for painting: built off the GUI thread, never changed, freely shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from ortstudio.analysis.layout import Layout
from ortstudio.format.arrays import Ints
from ortstudio.ui.canvas import dimensions as dim
from ortstudio.ui.canvas.camera import Box
from ortstudio.ui.canvas.columns import PORT, Columns, family_code
from ortstudio.ui.canvas.labels import label_spots
from ortstudio.ui.canvas.links import Links
from ortstudio.ui.canvas.measure import Measures
from ortstudio.ui.canvas.routes import Routes, make_routes
from ortstudio.ui.canvas.stubs import Stubs
from ortstudio.ui.canvas.visible import BoxIndex

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scene:
    """Rectangles, edges and texts of a graph. A node is known by its row in the columns.

    `rects` is float64[n, 4]: left, top, width, height. `edge_labels` runs along `routes`; empty
    where nothing is said of any edge. `label_spots` runs along their segments: the route whose
    label a segment may carry, -1 for none.
    """

    columns: Columns
    rects: Floats
    layers: Ints
    families: NDArray[np.uint8]
    routes: Routes
    stubs: Stubs
    links: Links
    edge_labels: tuple[str, ...]
    label_spots: Ints
    bounds: Box
    nodes: BoxIndex

    @staticmethod
    def build(
        layout: Layout,
        columns: Columns,
        measures: Measures,
        edge_labels: Sequence[str] = (),
        portal_names: Sequence[str] = (),
    ) -> Scene:
        """From a layout whose rows are those of the columns. A tenth of a second for 50 000 nodes.

        `edge_labels` runs along the layout's routes, `portal_names` along its portals.
        """
        size = np.column_stack([layout.width, layout.height])
        # Whole numbers, so that borders are sharp at actual size.
        rects = np.column_stack([np.round(np.column_stack([layout.x, layout.y]) - size / 2), size])
        names = portal_names or [columns.labels[i] for i in layout.portals[:, 0].tolist()]
        codes = [family_code(family) for family in columns.families]
        boxes = np.hstack([rects[:, :2], rects[:, :2] + rects[:, 2:]])
        nodes = BoxIndex.of(boxes, np.arange(len(rects)))
        source, target = layout.route_source, layout.route_target
        routes = make_routes(layout.points, layout.route_ptr, source, target, rects)
        return Scene(
            columns=columns,
            rects=rects,
            layers=layout.layer,
            families=np.array(codes, np.uint8),
            routes=routes,
            stubs=Stubs(layout.portals, names, rects, nodes, routes, measures.small),
            links=Links.of(len(rects), source, target, layout.portals),
            edge_labels=tuple(edge_labels),
            label_spots=label_spots(routes, edge_labels or [""] * len(source)),
            bounds=Box(*layout.bounds).grown(dim.MARGIN),
            nodes=nodes,
        )

    def __len__(self) -> int:
        return len(self.rects)

    def is_port(self, row: int) -> bool:
        """Whether a node is an input or output of the graph."""
        return bool(self.families[row] == PORT)

    @cached_property
    def first(self) -> int | None:
        """The node to begin with: the leftmost of the highest; None in an empty scene."""
        if not len(self):
            return None
        return int(np.lexsort((self.rects[:, 0], self.rects[:, 1]))[0])

    def rect(self, row: int) -> QRectF:
        """The rectangle of one node, as Qt wants it."""
        return QRectF(*self.rects[row].tolist())

    def box(self, row: int) -> Box:
        """The rectangle of one node."""
        left, top, width, height = self.rects[row].tolist()
        return Box(left, top, left + width, top + height)

    def route_text(self, route: int) -> str:
        """An edge in words: both its ends and what it carries."""
        labels = self.columns.labels
        ends = f"{labels[self.routes.source[route]]} → {labels[self.routes.target[route]]}"
        carried = self.edge_labels[route] if self.edge_labels else ""
        return f"{ends}\n{carried}" if carried else ends

    def node_at(self, x: float, y: float) -> int | None:
        """The node at a place, within microseconds."""
        found = self.nodes.within(Box(x, y, x, y))
        return int(found[-1]) if len(found) else None

    def route_at(self, x: float, y: float, reach: float) -> int | None:
        """The edge that passes a place closest, at most `reach` away."""
        found = self.routes.index.within(Box(x, y, x, y).grown(reach))
        if not len(found):
            return None
        start, end = np.split(self.routes.pieces[found], 2, axis=1)
        way = end - start
        share = np.sum((np.array([x, y]) - start) * way, axis=1) / np.sum(way * way, axis=1)
        nearest = start + way * np.clip(share, 0.0, 1.0)[:, np.newaxis]
        distance = np.hypot(*(nearest - (x, y)).T)
        best = int(np.argmin(distance))
        return int(self.routes.owner[found[best]]) if distance[best] <= reach else None
