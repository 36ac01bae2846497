"""From a graph to a scene: what to draw, how large, where. Runs off the UI thread."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.analysis.layout import lay_out
from ortstudio.analysis.picture import Picture, picture
from ortstudio.services.document import Document
from ortstudio.ui.canvas.columns import Columns
from ortstudio.ui.canvas.measure import Measures, node_sizes
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.tasks import Task


@dataclass(frozen=True, eq=False)
class Pictured:
    """A scene, and what its boxes stand for."""

    picture: Picture
    scene: Scene


def draw(document: Document, graph: int, measures: Measures, task: Task | None = None) -> Pictured:
    """Lay a graph out; `measures` are taken in the UI thread.

    Raises `layout.Cancelled` when the task says so.
    """
    found = picture(document.graphs[graph], document.family(graph), document.known.operators)
    columns = Columns(
        labels=found.labels,
        families=found.families,
        details=found.details,
        tags=found.tags,
        badges=found.badges,
        hints=found.hints,
    )
    width, height = node_sizes(columns, measures)
    layout = lay_out(
        found.source,
        found.target,
        width,
        height,
        cancelled=task.cancelled if task else None,
        progress=task.progress if task else None,
    )
    scene = Scene.build(
        layout,
        columns,
        measures,
        edge_labels=found.line_labels(layout.route_source, layout.route_target),
        portal_names=found.line_names(layout.portals[:, 0], layout.portals[:, 1]),
    )
    return Pictured(found, scene)
