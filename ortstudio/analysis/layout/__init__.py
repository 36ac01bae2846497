"""A layered drawing of any graph, from top to bottom.

In the order of the work: `edges` makes the graph acyclic, `layers` puts nodes in rows, `trunks`
gives long edges room in the rows they pass, `strips` cuts the graph where a row holds one element
and finds pieces that are equal. Of each kind one strip is arranged: `ordering` and `crossings`
choose who stands beside whom, `blocks` what is to be vertical, `coordinates` the distances. Then
`bands` gives rows their heights, `components` sets what is unconnected side by side, and `routes`
makes the lines.
"""

from ortstudio.analysis.layout.layout import lay_out
from ortstudio.analysis.layout.types import Cancelled, Floats, Layout, Spacing

__all__ = ["Cancelled", "Floats", "Layout", "Spacing", "lay_out"]
