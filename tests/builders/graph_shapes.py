"""Graphs in the shapes of neural networks, for tests and benchmarks of drawing.

Nodes are added in an order that their edges follow, as ONNX wants it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

TALL = {"Conv", "Gemm", "MatMul"}


@dataclass
class Shape:
    """A graph under construction: operator types, and edges as (from, to)."""

    ops: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ops)

    def add(self, op: str, *inputs: int) -> int:
        """The number of a new node."""
        self.edges += [(node, len(self.ops)) for node in inputs]
        self.ops.append(op)
        return len(self.ops) - 1

    def chain(self, ops: str, start: int) -> int:
        """The last of new nodes, given by their operators, that follow each other."""
        for op in ops.split():
            start = self.add(op, start)
        return start

    @property
    def source(self) -> NDArray[np.int64]:
        return np.array([edge[0] for edge in self.edges], np.int64)

    @property
    def target(self) -> NDArray[np.int64]:
        return np.array([edge[1] for edge in self.edges], np.int64)

    @property
    def width(self) -> NDArray[np.float64]:
        return np.array([28.0 + 7 * len(op) for op in self.ops])

    @property
    def height(self) -> NDArray[np.float64]:
        return np.array([44.0 if op in TALL else 26.0 for op in self.ops])


def residual(nodes: int) -> Shape:
    """Blocks with a skip connection; some with a projection on it, some with squeeze and excite."""
    shape = Shape()
    x = shape.add("Input")
    block = 0
    while len(shape) < nodes:
        y = shape.chain("Conv BatchNormalization Relu Conv BatchNormalization", x)
        skip = shape.chain("Conv BatchNormalization", x) if block % 8 == 0 else x
        if block % 3 == 0:
            weight = shape.chain("GlobalAveragePool Conv Relu Conv Sigmoid", y)
            y = shape.add("Mul", y, weight)
        x = shape.chain("Relu", shape.add("Add", y, skip))
        block += 1
    shape.chain("GlobalAveragePool Flatten Gemm Output", x)
    return shape


def inception(nodes: int) -> Shape:
    """Blocks of parallel branches of different lengths that end in one Concat."""
    shape = Shape()
    rng = random.Random(1)
    x = shape.add("Input")
    block = 0
    while len(shape) < nodes:
        ends = [shape.chain("Conv Relu " * rng.randint(1, 1 + depth), x) for depth in range(3)]
        if block % 2:
            split = ends.pop()
            ends += [shape.chain("Conv Relu", split), shape.chain("Conv Relu", split)]
        ends.append(shape.chain("AveragePool Conv Relu", x))
        x = shape.add("Concat", *ends)
        block += 1
    shape.chain("GlobalAveragePool Output", x)
    return shape


def dense(nodes: int, width: int = 16) -> Shape:
    """Blocks in which every layer reads what all layers before it have made."""
    shape = Shape()
    x = shape.add("Input")
    while len(shape) < nodes:
        features = [x]
        for _ in range(width):
            joined = shape.add("Concat", *features) if len(features) > 1 else x
            features.append(shape.chain("BatchNormalization Relu Conv", joined))
        x = shape.chain("Conv AveragePool", shape.add("Concat", *features))
    shape.add("Output", x)
    return shape


def detector(nodes: int) -> Shape:
    """A backbone, taps of it kept for a neck, and many parallel heads that end in one Concat."""
    shape = Shape()
    x = shape.add("Input")
    taps: list[int] = []
    block = 0
    while len(shape) < 0.6 * nodes:
        parts = [_gated(shape, x)]
        for _ in range(3):
            parts.append(shape.add("Add", parts[-1], _gated(shape, _gated(shape, parts[-1]))))
        x = shape.add("Concat", *parts)
        block += 1
        if block % 3 == 0:
            taps.append(x)
    levels = [x]
    for tap in reversed(taps[-5:]):
        resized = shape.add("Resize", levels[-1])
        levels.append(shape.chain("Conv", shape.add("Concat", resized, tap)))
    outputs: list[int] = []
    while len(shape) < nodes:
        for y in 2 * (levels[1:] or levels):
            for _ in range(4):
                y = _gated(shape, y)
            outputs.append(shape.add("Reshape", y))
    shape.chain("Output", shape.add("Concat", *outputs))
    return shape


def _gated(shape: Shape, x: int) -> int:
    y = shape.add("Conv", x)
    return shape.add("Mul", y, shape.add("Sigmoid", y))


def transformer(nodes: int) -> Shape:
    """A decoder with arithmetic on shapes, past keys and values.

    One mask and one pair of rotary tables are read by all its layers.
    """
    shape = Shape()
    tokens, attention = shape.add("Input"), shape.add("Input")
    x = shape.add("Gather", tokens)
    sizes = shape.add("Shape", tokens)
    length, batch = shape.add("Gather", sizes), shape.add("Gather", sizes)
    expanded = shape.add("Expand", attention, shape.add("Unsqueeze", length))
    mask = shape.chain("Cast Sub Mul", expanded)
    angles = shape.chain("Range Mul", length)
    tables = shape.add("Cos", angles), shape.add("Sin", angles)
    while len(shape) < nodes:
        x = shape.add("Add", x, _attention(shape, _normalized(shape, x), mask, batch, tables))
        h = _normalized(shape, x)
        gate = shape.add("MatMul", h)
        gate = shape.add("Mul", gate, shape.add("Sigmoid", gate))
        x = shape.add(
            "Add", x, shape.chain("MatMul", shape.add("Mul", gate, shape.add("MatMul", h)))
        )
    shape.chain("MatMul Output", _normalized(shape, x))
    return shape


def _normalized(shape: Shape, x: int) -> int:
    scale = shape.chain("Pow ReduceMean Add Sqrt Div", x)
    return shape.chain("Mul", shape.add("Mul", x, scale))


def _attention(shape: Shape, h: int, mask: int, batch: int, tables: tuple[int, int]) -> int:
    query, key, value = (_heads(shape, shape.add("MatMul", h)) for _ in range(3))
    query, key = _rotated(shape, query, tables), _rotated(shape, key, tables)
    key = shape.add("Concat", shape.add("Input"), key)
    value = shape.add("Concat", shape.add("Input"), value)
    shape.add("Output", key)
    shape.add("Output", value)
    scores = shape.add("MatMul", query, shape.add("Transpose", key))
    scores = shape.chain("Softmax", shape.add("Add", shape.add("Mul", scores), mask))
    joined = shape.chain("Transpose", shape.add("MatMul", scores, value))
    size = shape.add("Concat", shape.chain("Shape Gather", h), batch)
    return shape.chain("MatMul", shape.add("Reshape", joined, size))


def _heads(shape: Shape, x: int) -> int:
    sizes = shape.add("Shape", x)
    dims = [shape.chain("Gather Unsqueeze", sizes) for _ in range(2)]
    return shape.chain("Transpose", shape.add("Reshape", x, shape.add("Concat", *dims)))


def _rotated(shape: Shape, x: int, tables: tuple[int, int]) -> int:
    turned = shape.add("Concat", shape.chain("Slice Neg", x), shape.add("Slice", x))
    cos, sin = tables
    return shape.add("Add", shape.add("Mul", x, cos), shape.add("Mul", turned, sin))


def u_net(levels: int) -> Shape:
    """Down and up again, with a long connection across on every level."""
    shape = Shape()
    x = shape.add("Input")
    kept = []
    for _ in range(levels):
        x = shape.chain("Conv Relu", x)
        kept.append(x)
        x = shape.add("MaxPool", x)
    x = shape.chain("Conv Relu", x)
    for across in reversed(kept):
        x = shape.chain("Conv Relu", shape.add("Concat", shape.add("Resize", x), across))
    shape.chain("Conv Output", x)
    return shape


def random_wiring(nodes: int, window: int = 24) -> Shape:
    """Each node reads one to three of the nodes shortly before it."""
    shape = Shape()
    rng = random.Random(3)
    shape.add("Input")
    while len(shape) < nodes:
        back = [
            1 + int(rng.expovariate(1 / 6)) % window for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))
        ]
        inputs = {max(0, len(shape) - step) for step in back}
        shape.add(rng.choice(["Conv", "Relu", "Add", "Mul", "Concat", "MatMul"]), *sorted(inputs))
    return shape


SHAPES: dict[str, Callable[[int], Shape]] = {
    "residual": residual,
    "inception": inception,
    "dense": dense,
    "detector": detector,
    "transformer": transformer,
    "random wiring": random_wiring,
}
"""Each kind of shape, made from the least number of nodes that it is to have."""
