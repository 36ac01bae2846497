"""A layered drawing of any graph, from top to bottom."""

from ortstudio.analysis.layout.layout import lay_out
from ortstudio.analysis.layout.types import Cancelled, Floats, Layout, Spacing

__all__ = ["Cancelled", "Floats", "Layout", "Spacing", "lay_out"]
