"""Pairing two models of 50 000 nodes, contents of constants included, against reading them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from ortstudio.analysis.pairing.graphs import pair_nodes
from ortstudio.model.model import Model
from ortstudio.services.comparison import attribute_defaults, compare_models
from ortstudio.services.contents import FileContents
from ortstudio.services.reading import read_model
from tests.bench.measure import Claim, calls_in_turns
from tests.bench.models import node_heavy

NODES = 50_000
ROUNDS = 5


def claims() -> Iterator[Claim]:
    """The nodes and values alone, then with initializers and the model's facts."""
    paths = node_heavy(NODES, ".onnx"), node_heavy(NODES, ".ort")
    models = read_model(paths[0]), read_model(paths[1])
    times = calls_in_turns(
        {
            "read": lambda: [read_model(path) for path in paths],
            "pair": lambda: paired(*models),
            "compare": lambda: compare_models(*models),
        },
        ROUNDS,
    )
    seconds = {name: statistics.median(found) for name, found in times.items()}
    detail = ", ".join(f"{name} {seconds[name]:.2f} s" for name in seconds)
    yield Claim("pairing against reading", seconds["pair"] / seconds["read"], 3, True, "×", detail)
    whole = seconds["compare"] / seconds["read"]
    yield Claim("the whole comparison against reading", whole, 5, True, "×")


def paired(a: Model, b: Model) -> None:
    """Pair nodes and values, with nothing known from before."""
    nodes, _ = pair_nodes(a, b, contents=FileContents((a, b)), defaults=attribute_defaults())
    if any(row.kind != "kept" for row in nodes):
        raise AssertionError("the two are the same model")
