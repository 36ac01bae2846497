"""Sizes of what the canvas draws, in scene units: logical pixels at actual size."""

from __future__ import annotations

CORNER = 6.0
"""Radius of a node's corners."""

PAD = 10.0
PORT_PAD = 16.0
CHIP = 16.0
CHIP_GAP = 8.0
TEXT_GAP = 8.0
"""Between two texts that share a line."""

ONE_LINE = 32.0
TWO_LINES = 44.0
LABEL_Y = 15.5
DETAIL_Y = 31.0
"""Middle of the first and of the second line, from the top of a node with two lines."""

MIN_WIDTH = 64.0
MAX_WIDTH = 320.0
MAX_DETAIL_WIDTH = 240.0
WIDTH_STEP = 4.0
"""How narrow and how wide a node may be, and how wide for the sake of its second line.

Widths are rounded up to the step, so that equal blocks get equal sizes and pixels stay sharp.
"""

PILL = 15.0
PILL_PAD = 6.0
MIN_TAG = 48.0
MAX_TAG = 96.0
"""Tags and badges: height, padding, and how wide a tag is at least and at most."""

STUB_LINE = 3.0
STUB_HEIGHT = 13.0
MIN_STUB = 40.0
MAX_STUB = 144.0
"""A portal stub: length of its line, height of its pill, how narrow and how wide that may be."""

ARROW = 7.0
"""Length and width of an arrow head."""

LABEL_OFFSET = 5.0
EDGE_LABEL_HEIGHT = 13.0
EDGE_LABEL_DROP = 15.0
"""An edge's label: distance from its line, height, its middle below the node."""

MARGIN = 32.0
"""Empty room around the whole drawing."""

LONG_SEGMENT = 2500.0
"""Longer pieces of edges stand in a list of their own: the others are found by their top."""

GRID = 24.0
"""Distance of the dots on the ground."""

FULL_SCALE = 0.72
COMPACT_SCALE = 0.42
MARK_SCALE = 0.2
"""From this scale on: everything; the label alone, larger; the family's letter."""

RASTER_NODES = 5000
ROUND_NODES = 350
TEXT_NODES = 1500
SMOOTH_EDGES = 400
SHARP_LINES = 1500
"""More visible nodes than these: one raster; square corners; no text. More visible pieces of edges
than these: straight lines; no antialiasing."""
