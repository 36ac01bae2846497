"""An item model as indented text, so that a test can say what a whole tree should be."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex


def dump(model: QAbstractItemModel, parent: QModelIndex | None = None, indent: str = "") -> str:
    """Every row with its cells, children indented; columns are set off by ` | `."""
    parent = parent or QModelIndex()
    lines = []
    for row in range(model.rowCount(parent)):
        cells = [model.index(row, c, parent).data() for c in range(model.columnCount(parent))]
        lines.append(indent + " | ".join(cell for cell in cells if cell))
        below = dump(model, model.index(row, 0, parent), indent + "  ")
        lines += [below] if below else []
    return "\n".join(lines)
