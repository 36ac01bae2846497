"""The graph canvas: one widget that paints the visible part of a laid-out graph from arrays."""
