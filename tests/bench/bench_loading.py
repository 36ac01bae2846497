"""Every way of loading a weights-only pair against ONNX by path, as tables for the documentation.

The environment variable `LOADING_MEGABYTES`, such as `10,100`, chooses the sizes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ortstudio.analysis.samples import Comparison
from ortstudio.analysis.words import count
from ortstudio.services.lab.bench import BenchSettings, bench
from ortstudio.services.lab.measuring import LabSettings
from ortstudio.services.lab.results import Measured, Result
from ortstudio.services.lab.words import status_text, value_text
from tests.bench.measure import Claim
from tests.bench.models import weight_heavy

SIZES = "10,100,1000"
BUDGET_S = 600.0
ROUNDS = 24
LIMITS = {10: 3, 100: 10, 1000: 100}
"""How many times faster than ONNX by path the best way is at least, by size in megabytes."""
HEAD = """
| file | way of loading | load | × | run | × | peak memory | memory after load |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def claims() -> Iterator[Claim]:
    """A table for each size, and how far the best way is ahead."""
    for megabytes in map(int, os.environ.get("LOADING_MEGABYTES", SIZES).split(",")):
        paths = [weight_heavy(megabytes, suffix) for suffix in (".onnx", ".ort")]
        settings = BenchSettings(
            all_modes=True, lab=LabSettings(budget_s=BUDGET_S, most_rounds=ROUNDS)
        )
        result = bench(paths, settings)
        print(_table(result))
        for note in result.notes:
            print(f"- {note}.")
        yield _claim(result, megabytes)


def _claim(result: Result, megabytes: int) -> Claim:
    """The ratio that the verdict rests on. No verdict counts as no difference."""
    place = result.best()["load_ns"]
    against = result.line(place, "load_ns").against_first
    found = against is not None and against.verdict == "faster"
    return Claim(
        f"loading {megabytes} MB in the best way instead of ONNX by path",
        1 / against.ratio if found and against else 1.0,
        LIMITS.get(megabytes, 1),
        at_most=False,
        detail=f"{result.subjects[place].subject.mode.title}; {count(result.rounds, 'round')}",
    )


def _table(result: Result) -> str:
    """In the order in which they were measured; those that were screened out too."""
    rows = (_row(result, place, one) for place, one in enumerate(result.subjects))
    return "\n".join([HEAD, *rows, ""])


def _ratio(one: Measured, against: Comparison | None) -> str:
    """What one round gave is marked: it is no more than a hint."""
    if against is None:
        return "1"
    return f"{'' if one.pursued else '~'}{against.ratio:.2g}"


def _row(result: Result, place: int, one: Measured) -> str:
    kind, way = one.subject.path.suffix, one.subject.mode.title
    if one.status != "ok":
        return f"| `{kind}` | {way} | {status_text(one)} | | | | | |"
    cells = []
    for measure in ("load_ns", "run_ns", "peak_rss_bytes", "rss_after_load_bytes"):
        line = result.line(place, measure)
        cells.append(value_text(line.estimate.median, result.measures()[measure]))
        if measure in ("load_ns", "run_ns"):
            cells.append(_ratio(one, line.against_first))
    return f"| `{kind}` | {way} | {' | '.join(cells)} |"
