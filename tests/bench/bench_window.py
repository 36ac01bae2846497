"""How long the window takes from process start to paint, against a bare window with a tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ortstudio.services import samples
from tests.bench.measure import Claim, in_turns, median_seconds

CHILD = Path(__file__).with_name("window_child.py")


def claims() -> Iterator[Claim]:
    """The empty window, and the sample pair with both pictures."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # Who uses it has compiled modules.
    pair = samples.sample()
    if not pair.is_made:
        samples.make(pair)
    start = [sys.executable, str(CHILD)]
    runs = in_turns(
        {
            "bare": [*start, "bare"],
            "empty": [*start, "ours"],
            "pair": [*start, "ours", str(pair.source), str(pair.result)],
        },
        rounds=15,
    )
    bare = median_seconds(runs["bare"])
    for name, text, limit in (("empty", "empty window", 1.5), ("pair", "sample pair", 4.0)):
        found = median_seconds(runs[name])
        detail = f"{found * 1e3:.0f} ms against {bare * 1e3:.0f} ms"
        yield Claim(f"{text} against a bare one", found / bare, limit, at_most=True, detail=detail)
