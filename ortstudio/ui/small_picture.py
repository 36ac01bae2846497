"""A few nodes as a small picture: what a fused node was made of."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from ortstudio.analysis.layout import lay_out
from ortstudio.analysis.picture import part
from ortstudio.model.refs import Ref
from ortstudio.services.document import Document
from ortstudio.ui.canvas.columns import Columns
from ortstudio.ui.canvas.measure import measure_fonts, node_sizes
from ortstudio.ui.canvas.scene import Scene
from ortstudio.ui.canvas.view import View

MOST_NODES = 60
"""More than these are no small picture."""

_HIGHEST = 320


class SmallPicture(View):
    """Nodes of one graph, laid out and fitted. It shows and does nothing else."""

    def __init__(
        self, document: Document, nodes: Sequence[Ref], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        shown = nodes[:MOST_NODES]
        graph = document.graphs[shown[0].graph]
        found = part(graph, [ref.row for ref in shown], document.known.operators)
        columns = Columns(found.labels, found.families, found.details, found.tags)
        measures = measure_fonts()
        width, height = node_sizes(columns, measures)
        layout = lay_out(found.source, found.target, width, height)
        self.set_scene(Scene.build(layout, columns, measures))
        names = ", ".join(found.labels)
        self.setAccessibleName(f"Made of {names}")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As high as the drawing at actual size, within reason."""
        assert self.scene is not None
        bounds = self.scene.bounds
        return QSize(
            int(bounds.right - bounds.left), int(min(bounds.bottom - bounds.top, _HIGHEST))
        )
