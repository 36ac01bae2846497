"""Where layers stand from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.layout.trunks import Trunks
from ortstudio.analysis.layout.types import Floats, Spacing

_SLOPE = 0.06
"""Height that a gap gains for each unit that a line runs sideways in it."""


@dataclass(frozen=True, slots=True)
class Bands:
    """The vertical room of each layer; between two bands is the gap in which lines slant."""

    top: Floats
    bottom: Floats


def layer_bands(trunks: Trunks, x: Floats, height: Floats, spacing: Spacing) -> Bands:
    """One band below the other, each as high as its highest node."""
    depth = int(trunks.layer.max()) + 1
    tallest = np.zeros(depth)
    np.maximum.at(tallest, trunks.layer[: len(height)], height)
    sideways = np.zeros(depth)
    distance = np.abs(x[trunks.upper] - x[trunks.lower])
    np.maximum.at(sideways, trunks.layer[trunks.upper], distance)
    gap = spacing.layer + np.minimum(sideways * _SLOPE, spacing.slant)
    bottom = np.cumsum(tallest + gap) - gap
    return Bands(bottom - tallest, bottom)
