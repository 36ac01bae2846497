"""Drawing a graph: CPU time against fast-sugiyama's, and how it grows with the graph."""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator

from ortstudio.analysis.layout import lay_out
from tests.bench.measure import Claim
from tests.builders.graph_shapes import SHAPES, Shape

ALTERNATIVE = "fast-sugiyama"
COMPARED = [
    ("residual", 200, 2.0),
    ("residual", 2_000, 0.5),
    ("residual", 10_000, 0.5),
    ("transformer", 200, 3.0),
    ("transformer", 2_000, 0.1),
]
"""Kind, nodes, and the most that our time may be of the alternative's.

It knows no node sizes and routes no edges. A transformer of 10 000 nodes takes it many minutes.
"""
REPEATING = ("residual", "inception", "dense", "transformer")
ROUNDS = 5


def claims() -> Iterator[Claim]:
    """Against the alternative, then 50 000 nodes against 10 000."""
    if importlib.util.find_spec("fast_sugiyama"):
        for kind, nodes, limit in COMPARED:
            yield _against_alternative(kind, nodes, limit)
    else:
        print(f"  without a comparison: {ALTERNATIVE} is not installed (pip install {ALTERNATIVE})")
    for kind in REPEATING:
        yield _growth(kind, 7)
    yield _growth("random wiring", 9)
    yield _growth("detector", 9)


def _against_alternative(kind: str, nodes: int, limit: float) -> Claim:
    from_edges = importlib.import_module("fast_sugiyama").from_edges
    shape = SHAPES[kind](nodes)
    own, other = _in_turns(_drawing(shape), lambda: from_edges(shape.edges, dummy_vertices=True))
    return Claim(
        f"{kind} of {nodes:,} nodes against {ALTERNATIVE}",
        own / other,
        limit,
        at_most=True,
        detail=f"{own * 1e3:.1f} ms against {other * 1e3:.1f} ms",
    )


def _growth(kind: str, limit: float) -> Claim:
    small, large = _in_turns(*[_drawing(SHAPES[kind](nodes)) for nodes in (10_000, 50_000)])
    return Claim(
        f"{kind} of 50,000 nodes against 10,000",
        large / small,
        limit,
        at_most=True,
        detail=f"{large:.2f} s of CPU against {small:.2f} s",
    )


def _drawing(shape: Shape) -> Callable[[], object]:
    given = shape.source, shape.target, shape.width, shape.height
    return lambda: lay_out(*given)


def _in_turns(*calls: Callable[[], object]) -> list[float]:
    """The median CPU seconds of each call; threads that it starts are counted in."""
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, seconds in zip(calls, found, strict=True):
            start = time.process_time()
            call()
            seconds.append(time.process_time() - start)
    return [statistics.median(seconds) for seconds in found]
