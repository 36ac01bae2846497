"""What a person looks at: nothing hidden, few crossings, straight main lines."""

from __future__ import annotations

import numpy as np
import pytest

from ortstudio.analysis.layout import Layout, lay_out
from tests.builders.graph_shapes import (
    Shape,
    dense,
    detector,
    inception,
    random_wiring,
    residual,
    transformer,
    u_net,
)
from tests.unit.analysis.layout.measures import (
    bends,
    crossings,
    edges_over_nodes,
    node_overlaps,
)


def drawn(shape: Shape) -> Layout:
    return lay_out(shape.source, shape.target, shape.width, shape.height)


# Crossings measured are 0, 0, 0, 0, 0, 51, 31, 308, 42, 523; the least possible for the dense
# block, with its lines shared out evenly to both sides, is 252.
@pytest.mark.parametrize(
    ("shape", "most_crossings"),
    [
        pytest.param(residual(200), 0, id="residual"),
        pytest.param(inception(200), 0, id="inception"),
        pytest.param(detector(200), 0, id="detector"),
        pytest.param(detector(600), 0, id="detector with many heads"),
        pytest.param(u_net(6), 0, id="u-net"),
        pytest.param(transformer(200), 60, id="transformer"),
        pytest.param(transformer(600), 40, id="transformer with portals"),
        pytest.param(dense(60), 330, id="dense"),
        pytest.param(random_wiring(60), 50, id="random wiring"),
        pytest.param(random_wiring(600), 620, id="much random wiring"),
    ],
)
def test_nothing_is_covered_and_few_lines_cross(shape: Shape, most_crossings: int) -> None:
    layout = drawn(shape)
    assert node_overlaps(layout) == []
    assert edges_over_nodes(layout) == []
    assert crossings(layout) <= most_crossings


def test_a_chain_is_one_straight_line() -> None:
    shape = Shape()
    shape.chain("Conv Relu Conv BatchNormalization Relu Output", shape.add("Input"))
    layout = drawn(shape)
    assert set(layout.x.tolist()) == {layout.x[0]}
    assert bends(layout) == [0] * 6


def test_a_residual_net_has_its_main_chain_straight_and_the_skips_beside_it() -> None:
    shape = Shape()
    x = main = shape.add("Input")
    mains, skips = [main], []
    for _ in range(4):
        y = shape.chain("Conv BatchNormalization Relu Conv BatchNormalization", x)
        mains += range(y - 4, y + 1)
        skips.append((x, y + 1))
        x = shape.chain("Relu", shape.add("Add", y, x))
        mains += [x - 1, x]
    layout = drawn(shape)
    assert set(layout.x[mains].tolist()) == {layout.x[0]}
    pairs = list(zip(layout.route_source.tolist(), layout.route_target.tolist(), strict=True))
    bent = {pair: count for pair, count in zip(pairs, bends(layout), strict=True) if count}
    assert bent == dict.fromkeys(skips, 2)


def test_the_main_chain_stays_straight_where_constants_feed_it() -> None:
    shape = Shape()
    x = shape.add("Input")
    mains = [x]
    for _ in range(3):
        x = shape.add("Conv", x, shape.add("Constant"))
        y = shape.add("BatchNormalization", x, *[shape.add("Constant") for _ in range(4)])
        mains += [x, y]
        x = y
    layout = drawn(shape)
    assert np.ptp(layout.x[mains]) == 0


def test_branches_of_equal_weight_stand_around_their_source() -> None:
    shape = Shape()
    split = shape.add("Split")
    ends = [shape.chain("Conv Relu", split) for _ in range(3)]
    concat = shape.add("Concat", *ends)
    layout = drawn(shape)
    left, middle, right = layout.x[ends]
    assert layout.x[split] == middle == layout.x[concat]
    assert middle - left == right - middle > 0


def test_long_edges_of_one_source_share_one_line() -> None:
    shape = Shape()
    x = first = shape.add("Input")
    for _ in range(5):
        x = shape.add("Add", shape.chain("Conv", x), first)
    layout = drawn(shape)
    sideways = layout.points[layout.points[:, 0] > layout.x[first] + layout.width[first] / 2, 0]
    assert len(np.unique(sideways)) == 1


@pytest.mark.parametrize("op", ["Constant", "Cast"])
def test_what_is_only_needed_below_stands_just_above_its_consumer(op: str) -> None:
    shape = Shape()
    constant = shape.add("Constant")
    if op == "Cast":
        constant = shape.chain("Unsqueeze Cast", constant)
    x = shape.chain("Conv Relu Conv Relu Conv", shape.add("Input"))
    add = shape.add("Add", x, constant)
    layout = drawn(shape)
    assert layout.layer[constant] == layout.layer[add] - 1


def test_lines_far_sideways_get_a_higher_gap() -> None:
    shape = Shape()
    split = shape.add("Split")
    outputs = [shape.add("Output", split) for _ in range(9)]
    narrow, wide = drawn(Shape(["Relu", "Relu"], [(0, 1)])), drawn(shape)
    assert wide.y[outputs[0]] - wide.y[split] > narrow.y[1] - narrow.y[0]
