"""Arranges one strip of each kind, and all others like it."""

from __future__ import annotations

import numpy as np

from ortstudio.analysis.layout import coordinates, ordering
from ortstudio.analysis.layout.edges import rows
from ortstudio.analysis.layout.strips import Strips
from ortstudio.analysis.layout.types import Floats, Spacing
from ortstudio.analysis.layout.watch import Watch

_ROUNDS = ordering.ROUNDS + coordinates.ROUNDS


def arranged(strips: Strips, spacing: Spacing, watch: Watch) -> Floats:
    """The x of every element; where single elements join strips it is 0."""
    x = np.zeros(len(strips.elements))
    size = strips.end - strips.start
    kinds = [i for i in strips.first_of_kind if size[i] > 2]
    watch.expect(int(size[kinds].sum()) * _ROUNDS)
    starts = rows(len(strips.first_of_kind), strips.kind, strips.start)
    done = 0
    for first in kinds:
        strip = strips.strip(first, watch)
        layers = ordering.ordered(strip, watch)
        found = coordinates.coordinates(strip, layers, spacing, watch)
        alike = np.array(starts[strips.kind[first]])
        x[strips.elements[alike[:, np.newaxis] + np.arange(len(strip))]] = found
        done += len(strip) * _ROUNDS
        watch.reach(done)
    return x
