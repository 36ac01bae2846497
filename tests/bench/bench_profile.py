"""What a profile leaves between the nodes, where they are worth timing, and what layers cost."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from ortstudio.services.compare import CompareSettings, compare_outputs
from ortstudio.services.compare_sides import opened
from ortstudio.services.layers import compare_layers
from ortstudio.services.profile import ProfileSettings, profile
from tests.bench.measure import Claim, calls_in_turns
from tests.bench.models import weight_heavy

MEGABYTES = 100
ROUNDS = 3
WORTH_NS = 50_000


def claims() -> Iterator[Claim]:
    """The remainder, how far the profile slows a run down, and layers against plain outputs."""
    source, made = weight_heavy(MEGABYTES, ".onnx"), weight_heavy(MEGABYTES, ".ort")
    found = profile(opened(made), ProfileSettings(), opened(source)).file
    times = found.times
    median = statistics.median(node.ns for node in times.nodes)
    if median < WORTH_NS:
        raise AssertionError(f"the median node takes {median / 1000:.0f} µs only")
    share = 100 * times.between_ns / times.run_ns
    yield Claim("of a run between nodes", share, 10, True, "%", f"median node {median:.0f} ns")
    slower = times.run_ns / found.plain_run_ns
    yield Claim("a run with the profile on against one without", slower, 1.1, True, "×")
    seconds = {
        name: statistics.median(each)
        for name, each in calls_in_turns(_comparisons(source, made), ROUNDS).items()
    }
    ratio = seconds["layers"] / seconds["outputs"]
    detail = ", ".join(f"{name} {each:.1f} s" for name, each in seconds.items())
    yield Claim("layers that agree against outputs alone", ratio, 12, True, "×", detail)


def _comparisons(source: Path, made: Path) -> dict[str, Callable[[], object]]:
    a, b = opened(source), opened(made)
    return {
        "outputs": lambda: compare_outputs(a, b, CompareSettings()),
        "layers": lambda: compare_layers(a, b, CompareSettings()),
    }
