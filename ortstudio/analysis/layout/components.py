"""Connected components: laid out as if one stood below the other, then moved side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ortstudio.analysis.layout.bands import Bands
from ortstudio.analysis.layout.edges import Edges
from ortstudio.analysis.layout.trunks import Trunks
from ortstudio.analysis.layout.types import Floats, Spacing
from ortstudio.format.arrays import Ints


@dataclass(frozen=True, slots=True)
class Stack:
    """For each node its component and its layer in the stack; for each component its layers."""

    component: Ints
    layer: Ints
    top: Ints
    bottom: Ints


def stacked(n: int, edges: Edges, layer: Ints) -> Stack:
    """All components one below the other, counted by their lowest nodes."""
    component = _components(n, edges.source, edges.target)
    depth = np.zeros(component.max() + 1, np.int64)
    np.maximum.at(depth, component, layer + 1)
    top = np.cumsum(depth) - depth
    return Stack(component, layer + top[component], top, top + depth - 1)


def beside(
    stack: Stack, trunks: Trunks, width: Floats, x: Floats, bands: Bands, spacing: Spacing
) -> tuple[Floats, Bands]:
    """The x of all elements and the bands of all layers, components side by side from (0, 0)."""
    of_element = stack.component[trunks.owner]
    left = np.full(len(stack.top), np.inf)
    right = np.full(len(stack.top), -np.inf)
    np.minimum.at(left, of_element, x - width / 2)
    np.maximum.at(right, of_element, x + width / 2)
    top, bottom = bands.top[stack.top], bands.bottom[stack.bottom]
    to_left, to_top = _columns(right - left, bottom - top, spacing.component)
    down = np.repeat(to_top - top, stack.bottom - stack.top + 1)
    return x + (to_left - left)[of_element], Bands(bands.top + down, bands.bottom + down)


def _components(n: int, source: Ints, target: Ints) -> Ints:
    """For each node the number of its component: labels spread along edges until all agree."""
    label = np.arange(n)
    while True:
        a, b = label[source], label[target]
        lower = label.copy()
        np.minimum.at(lower, a, b)
        np.minimum.at(lower, b, a)
        while not np.array_equal(lower, lower[lower]):
            lower = lower[lower]
        if np.array_equal(lower, label):
            return np.unique(label, return_inverse=True)[1]
        label = lower


def _columns(width: Floats, height: Floats, gap: float) -> tuple[Floats, Floats]:
    """The left top corners of boxes: the tallest first, smaller ones in columns to its right."""
    area = ((width + gap) * (height + gap)).sum()
    limit = max(float(height.max()), float(np.sqrt(area)))
    left, top = np.zeros(len(width)), np.zeros(len(width))
    column = right = down = 0.0
    for box in np.lexsort((-width, -height)).tolist():
        if down > 0 and down + height[box] > limit:
            column, down = right + gap, 0.0
        left[box], top[box] = column, down
        right = max(right, column + width[box])
        down += height[box] + gap
    return left, top
