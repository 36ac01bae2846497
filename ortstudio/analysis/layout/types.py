"""What the layout is given and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ortstudio.format.arrays import Ints

Floats = NDArray[np.float64]


class Cancelled(Exception):  # noqa: N818, an outcome and no error
    """The caller's `cancelled()` said so; there is no result."""


@dataclass(frozen=True, slots=True)
class Spacing:
    """Empty room, in the units of the node sizes.

    A gap between two layers is `layer` high; where lines run far sideways in it, they get up to
    `slant` more, so that they stay apart.
    """

    node: float = 24.0
    line: float = 12.0
    layer: float = 32.0
    slant: float = 48.0
    component: float = 56.0


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A drawing of a graph from top to bottom; y grows downward.

    Edges are those that were given without self loops and repetitions. An edge that would close a
    cycle is drawn downward as well: its route starts at its target. Layers count within a connected
    component, and components stand beside each other.
    """

    x: Floats
    """float64[n], the centre of each node, as is `y`."""
    y: Floats
    width: Floats
    height: Floats
    layer: Ints
    points: Floats
    """float64[k, 2], all routes one after the other, each from its top to its bottom."""
    route_ptr: Ints
    """int64[r + 1]: route `j` is `points[route_ptr[j]:route_ptr[j + 1]]`."""
    route_source: Ints
    """int64[r], the node at the top of each route."""
    route_target: Ints
    portals: Ints
    """int64[p, 2], upper and lower node of each edge to be drawn as two named stubs, not a line."""
    strips: Ints
    """int64[n], the strip of each node: a run of layers that hangs on to the rest by one node."""
    strip_class: Ints
    """For each strip a number; strips of equal number are equal in structure and node sizes."""
    bounds: tuple[float, float, float, float]
    """x0, y0, x1, y1 around all nodes and routes; zeros where there are none."""


DEFAULT_SPACING = Spacing()
