"""Portals, strips, progress and cancelling."""

from __future__ import annotations

import numpy as np
import pytest

from ortstudio.analysis.layout import Cancelled, Layout, lay_out
from tests.builders.graph_shapes import SHAPES, Shape, random_wiring, residual, u_net
from tests.unit.analysis.layout.measures import bends


def drawn(shape: Shape) -> Layout:
    return lay_out(shape.source, shape.target, shape.width, shape.height)


def chain_with_readers(length: int, readers: list[int]) -> Shape:
    """A chain after node 0, of which those at these depths read node 0 as well."""
    shape = Shape()
    x = table = shape.add("Input")
    for depth in range(1, length):
        x = shape.add("Add", x, *([table] if depth in readers else []))
    return shape


def test_a_value_that_many_read_from_afar_becomes_portals() -> None:
    far = [100, 120, 140, 160]
    layout = drawn(chain_with_readers(200, [40, *far]))
    assert layout.portals.tolist() == [[0, depth] for depth in far]
    assert len(layout.route_source) == 200


def test_a_value_that_few_read_from_afar_is_drawn_as_a_line() -> None:
    layout = drawn(chain_with_readers(200, [40, 100, 120, 140]))
    assert len(layout.portals) == 0
    assert max(bends(layout)) == 2


def test_the_longest_lines_become_portals_where_all_would_be_too_many() -> None:
    shape = u_net(400)
    layout = drawn(shape)
    span = layout.layer[layout.portals[:, 1]] - layout.layer[layout.portals[:, 0]]
    kept = layout.layer[layout.route_target] - layout.layer[layout.route_source]
    assert len(span) > 0
    assert span.min() > kept.max()
    assert (kept - 1).sum() <= 12 * len(shape)


@pytest.mark.parametrize("kind", ["residual", "dense", "transformer"])
def test_repeated_blocks_are_few_kinds_of_strips(kind: str) -> None:
    layout = drawn(SHAPES[kind](3000))
    assert len(layout.strip_class) > 60
    assert layout.strips.max() == len(layout.strip_class) - 1
    assert len(set(layout.strip_class.tolist())) < 13


def test_strips_of_one_kind_look_the_same() -> None:
    layout = drawn(residual(400))
    looks: dict[int, set[bytes]] = {}
    for strip, kind in enumerate(layout.strip_class.tolist()):
        nodes = np.flatnonzero(layout.strips == strip)
        place = np.column_stack([layout.x[nodes], layout.y[nodes] - layout.y[nodes[0]]])
        looks.setdefault(kind, set()).add(place.round(6).tobytes())
    assert {len(places) for places in looks.values()} == {1}


def test_a_strip_begins_at_each_layer_with_one_node() -> None:
    shape = Shape()
    split = shape.chain("Conv Split", shape.add("Input"))
    join = shape.add("Add", shape.chain("Relu", split), shape.chain("Relu", split))
    shape.chain("Output", join)
    assert drawn(shape).strips.tolist() == [0, 1, 2, 2, 2, 3, 4]


def test_strips_of_other_sizes_are_of_another_kind() -> None:
    shape = Shape()
    shape.chain("Relu Relu Abs Convert Relu Relu", shape.add("Input"))
    kinds = drawn(shape).strip_class.tolist()
    assert kinds[1] == kinds[5]
    assert len(set(kinds)) == 6


def test_progress_rises_to_its_end() -> None:
    shape = random_wiring(500)
    told: list[tuple[int, int]] = []
    lay_out(
        shape.source,
        shape.target,
        shape.width,
        shape.height,
        progress=lambda done, total: told.append((done, total)),
    )
    done = [step[0] for step in told]
    total = told[0][1]
    assert done[0] == 0
    assert done == sorted(done)
    assert told[-1] == (total, total)
    assert {step[1] for step in told} == {total}
    assert len(told) > 10


class Questions:
    """Answers whether to stop: yes to the question of this number, no to all others."""

    def __init__(self, refused: int = 0) -> None:
        self.refused = refused
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked == self.refused


def questions(shape: Shape) -> int:
    cancelled = Questions()
    lay_out(shape.source, shape.target, shape.width, shape.height, cancelled=cancelled)
    return cancelled.asked


@pytest.mark.parametrize("kind", [*SHAPES, "cyclic"])
def test_every_question_whether_to_stop_is_heeded(kind: str) -> None:
    shape = SHAPES.get(kind, random_wiring)(80)
    if kind == "cyclic":
        shape.edges += [(b, a) for a, b in shape.edges[::3]]
    for number in range(1, questions(shape) + 1):
        cancelled = Questions(refused=number)
        with pytest.raises(Cancelled):
            lay_out(shape.source, shape.target, shape.width, shape.height, cancelled=cancelled)
        assert cancelled.asked == number


def test_long_work_is_interruptible_in_steps_of_a_few_thousand_elements() -> None:
    """Some 5000 elements are gone through dozens of times."""
    assert questions(random_wiring(2000)) > 40
