from __future__ import annotations

import json

import pytest

from ortstudio.analysis.profile_events import Event, Ran, Run, read_events, sorted_into_runs
from ortstudio.errors import FormatError


def node(name: str, op: str, start: int, took: int, index: int = 0) -> dict[str, object]:
    """An event as the runtime writes it: numbers in `args` are text."""
    args = {"op_name": op, "node_index": str(index), "provider": "CPU", "output_size": "16"}
    name = f"{name}_kernel_time"
    return {"cat": "Node", "name": name, "ts": start, "dur": took, "ph": "X", "args": args}


def whole(start: int, took: int) -> dict[str, object]:
    return {"cat": "Session", "name": "model_run", "ts": start, "dur": took, "args": {}}


def runs_of(*events: dict[str, object]) -> list[Run]:
    return sorted_into_runs(read_events(json.dumps(events)))


def test_nodes_and_runs_are_read_and_all_else_is_left() -> None:
    fence = node("a", "Add", 1, 2) | {"name": "a_fence_before"}
    load = {"cat": "Session", "name": "session_initialization", "ts": 0, "dur": 9, "args": {}}
    found = read_events(json.dumps([load, fence, node("a", "Add", 1, 2, 7), whole(0, 4), "x"]))
    assert found == [Event("a", "Add", 7, "CPU", 1, 2, 16), Event("model_run", "", -1, "", 0, 4, 0)]


@pytest.mark.parametrize("text", ["", "[{", "{}", "3"])
def test_what_is_no_profile_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="profile"):
        read_events(text)


def test_a_run_has_the_nodes_that_ended_before_it() -> None:
    first, second = runs_of(
        node("a", "Add", 1, 3), node("b", "Mul", 5, 4), whole(0, 12), node("a", "Add", 21, 2),
        whole(20, 4),
    )  # fmt: skip
    assert ([n.event.name for n in first.nodes], first.took, first.between) == (["a", "b"], 12, 5)
    assert ([n.event.name for n in second.nodes], second.between) == (["a"], 2)


def test_a_run_that_was_cut_off_is_none() -> None:
    assert len(runs_of(node("a", "Add", 1, 3), whole(0, 5), node("a", "Add", 9, 3))) == 1


def test_what_ran_inside_a_node_lies_within_its_time() -> None:
    (run,) = runs_of(
        node("before", "Add", 1, 3),
        node("deep", "Add", 12, 2),
        node("inner_if", "If", 11, 5),
        node("last", "Mul", 17, 2),
        node("loop", "Loop", 10, 11),
        node("after", "Add", 22, 1),
        whole(0, 25),
    )
    before, loop, after = run.nodes
    assert [n.event.name for n in (before, loop, after)] == ["before", "loop", "after"]
    assert [n.event.name for n in loop.inside] == ["inner_if", "last"]
    assert [n.event.name for n in loop.inside[0].inside] == ["deep"]
    assert (loop.own, loop.inside[0].own, run.between) == (4, 3, 10)
    assert _owns(run.nodes) + run.between == run.took


def test_a_short_node_at_the_same_moment_is_not_inside_a_plain_one() -> None:
    (run,) = runs_of(node("a", "Add", 5, 0), node("b", "Mul", 5, 3), whole(4, 6))
    assert [len(n.inside) for n in run.nodes] == [0, 0]


def _owns(nodes: tuple[Ran, ...]) -> int:
    return sum(n.own + _owns(n.inside) for n in nodes)
