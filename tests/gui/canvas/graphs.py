"""Graphs to paint, of the shapes that networks have."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ortstudio.analysis.layout import Layout, lay_out
from ortstudio.ui.canvas.columns import Columns
from ortstudio.ui.canvas.measure import measure_fonts, node_sizes
from ortstudio.ui.canvas.scene import Scene

FAMILY = {
    "Conv": "convolution",
    "MatMul": "convolution",
    "BatchNormalization": "normalization",
    "LayerNormalization": "normalization",
    "Relu": "activation",
    "Softmax": "activation",
    "QuantizeLinear": "quantization",
    "Reshape": "shape",
    "Transpose": "shape",
    "Concat": "shape",
    "If": "control",
    "port": "port",
}


@dataclass
class Builder:
    """Collects nodes and edges; `add` answers the new node's row."""

    labels: list[str] = field(default_factory=list)
    families: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    badges: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)

    def add(
        self,
        label: str,
        *inputs: int,
        detail: str = "",
        tag: str = "",
        badge: str = "",
        port: bool = False,
    ) -> int:
        row = len(self.labels)
        self.labels.append(label)
        self.families.append("port" if port else FAMILY.get(label, "other"))
        self.details.append(detail)
        self.tags.append(tag)
        self.badges.append(badge)
        self.edges += [(source, row) for source in inputs]
        return row

    @property
    def columns(self) -> Columns:
        return Columns(self.labels, self.families, self.details, self.tags, self.badges)

    def scene(self) -> Scene:
        """Measured and laid out by the real engine."""
        measures = measure_fonts()
        width, height = node_sizes(self.columns, measures)
        ends = np.array(self.edges, np.int64).reshape(-1, 2)
        layout = lay_out(ends[:, 0], ends[:, 1], width, height)
        labels = [f"1×{16 << s % 4}×{112 >> s % 3}×{112 >> s % 3}" for s in layout.route_source]
        names = [f"{self.labels[s]}_{s}_output" for s in layout.portals[:, 0].tolist()]
        return Scene.build(layout, self.columns, measures, labels, names)


def residual(nodes: int) -> Builder:
    """Convolutions with batch norm and residual connections, an `If`, custom operators."""
    made = Builder()
    x = made.add("input", detail="float[batch,3,224,224]", port=True)
    block = 0
    while len(made.labels) < nodes - 2:
        y = made.add("Conv", x, detail=f"3×3 · {16 << block % 4}→{32 << block % 4}")
        y = made.add("BatchNormalization", y, detail=f"bn_{block}")
        y = made.add("Relu", y)
        if block % 3 == 2:
            y = made.add("If", y, detail=f"if_{block}", badge="2 graphs")
        if block % 4 == 3:
            y = made.add("FusedGemm", y, detail="gemm/fused", tag="com.microsoft")
            y = made.add("QuantizeLinear", y, detail=f"layer{block}/quantize")
        s = made.add("Conv", x, detail="1×1 · 16→32") if block % 2 else x
        x = made.add("Add", y, s, detail=f"block{block}/add")
        block += 1
    x = made.add("Reshape", x)
    made.add("probabilities", x, detail="float[batch,1000]", port=True)
    return made


def transformer(nodes: int) -> Builder:
    """Decoder blocks that all read one mask and two tables, so that portals are needed."""
    made = Builder()
    ids = made.add("input_ids", detail="int64[batch,sequence]", port=True)
    mask = made.add("attention_mask", detail="int64[batch,sequence]", port=True)
    x = made.add("Gather", ids, detail="embed_tokens")
    mask = made.add("Cast", mask)
    mask = made.add("Mul", mask, detail="mask")
    cos, sin = made.add("Cos", ids), made.add("Sin", ids)
    block = 0
    while len(made.labels) < nodes - 2:
        scope = f"layers.{block}"
        h = made.add("LayerNormalization", x, detail=f"{scope}.norm")
        heads = []
        for name in "qkv":
            y = made.add("MatMul", h, detail=f"{scope}.{name}_proj · 2048→2048")
            y = made.add("Reshape", y)
            heads.append(made.add("Transpose", y, detail="0 2 1 3"))
        for i in (0, 1):
            a = made.add("Mul", heads[i], cos)
            heads[i] = made.add("Add", a, made.add("Mul", heads[i], sin))
        a = made.add("MatMul", heads[0], heads[1])
        a = made.add("Add", a, mask)
        a = made.add("Softmax", a, detail="axis -1")
        a = made.add("MatMul", a, heads[2])
        a = made.add("MatMul", made.add("Reshape", a), detail=f"{scope}.o_proj")
        x = made.add("Add", x, a)
        h = made.add("LayerNormalization", x)
        h = made.add("MatMul", made.add("Relu", made.add("MatMul", h)))
        x = made.add("Add", x, h)
        block += 1
    made.add("logits", x, detail="float[batch,sequence,32000]", port=True)
    return made


def grid(nodes: int) -> Scene:
    """A dense square of nodes, each joined with the one below: the worst case for painting."""
    across = max(round(nodes**0.5 / 1.3), 1)
    rows = np.arange(nodes)
    width, height = np.full(nodes, 120.0), np.full(nodes, 44.0)
    x, y = (rows % across) * 144.0, (rows // across) * 76.0
    source = rows[: max(nodes - across, 0)]
    side = np.where((source % 5 == 0) & (source % across < across - 1), 1, 0)
    target = source + across
    turn = np.where(target + side < nodes, side, 0)
    target = target + turn
    points = np.stack(
        [
            np.column_stack([x[source], y[source]]),
            np.column_stack([x[source], y[source] + 22.0]),
            np.column_stack([x[target], y[target] - 22.0]),
            np.column_stack([x[target], y[target]]),
        ],
        axis=1,
    ).reshape(-1, 2)
    layout = _layout(x, y, width, height, points, source, target)
    return Scene.build(layout, _grid_columns(nodes), measure_fonts())


def _grid_columns(nodes: int) -> Columns:
    names = [name for name in FAMILY if name != "port"]
    labels = [names[i * 7 % len(names)] for i in range(nodes)]
    return Columns(labels, [FAMILY[x] for x in labels], [f"node_{i}" for i in range(nodes)])


def _layout(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    width: NDArray[np.float64],
    height: NDArray[np.float64],
    points: NDArray[np.float64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
) -> Layout:
    none = np.zeros(0, np.int64)
    bounds = (
        float((x - width / 2).min(initial=0.0)),
        float((y - height / 2).min(initial=0.0)),
        float((x + width / 2).max(initial=0.0)),
        float((y + height / 2).max(initial=0.0)),
    )
    return Layout(
        x=x,
        y=y,
        width=width,
        height=height,
        layer=np.round(y / 76.0).astype(np.int64),
        points=points,
        route_ptr=np.arange(len(source) + 1, dtype=np.int64) * 4,
        route_source=source,
        route_target=target,
        portals=none.reshape(-1, 2),
        strips=none,
        strip_class=none,
        bounds=bounds,
    )
