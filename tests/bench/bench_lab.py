"""The lab's ratios of loads and runs against a plain script's, and what it spends besides.

The script times the same files in turns with the lab, so that what else runs hits both alike; on
one thread, which minds least. It is the median of the rounds' ratios that is compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ortstudio.analysis.words import count
from ortstudio.services import resources
from ortstudio.services.lab.bench import BenchSettings, bench
from ortstudio.services.lab.measuring import LabProgress, LabSettings
from ortstudio.services.lab.words import ratio_text
from ortstudio.services.samples import SAMPLE
from tests.bench.measure import Claim
from tests.bench.models import node_heavy, weight_heavy

SCRIPT = Path(__file__).with_name("plain_timer.py")
MEGABYTES, NODES = 10, 1000
LARGE_MEGABYTES, LARGE_ROUNDS = 100, 9
ROUNDS, BUDGET_S = 100, 1800.0
RUNS, RUNS_S = 100, 0.25
KINDS = (".onnx", ".ort")
MEASURES = {"load_ns": "load", "run_ns": "run"}
"""The lab's measures, in the order in which the script prints them."""


def claims() -> Iterator[Claim]:
    """How far the two ratios are apart, for loads and for runs; what is not the runtime's work."""
    with tempfile.TemporaryDirectory() as out:
        sample = resources.find(SAMPLE)
        pairs = {
            "the sample": (sample, _converted(sample, out)),
            "products of matrices": [weight_heavy(MEGABYTES, kind) for kind in KINDS],
            "convolutions": [node_heavy(NODES, kind) for kind in KINDS],
        }
        for name, pair in pairs.items():
            yield from _compared(name, pair)
    yield _outside()


def _converted(source: Path, out: str) -> Path:
    command = [sys.executable, "-m", "ortstudio", "convert", "--no-verify", str(source), "-o", out]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Path(out, f"{source.stem}.ort")


def _compared(name: str, pair: Sequence[Path]) -> Iterator[Claim]:
    """The `.ort` against its source, by both."""
    plain: dict[tuple[int, int], list[float]] = {}

    def time_plainly(progress: LabProgress) -> None:
        at = progress.round_number, progress.subject
        if at not in plain:
            plain[at] = _plain(pair[progress.subject])

    lab = LabSettings(budget_s=BUDGET_S, most_rounds=ROUNDS, runs_s=RUNS_S)
    result = bench(pair, BenchSettings(threads=(1,), lab=lab), on_progress=time_plainly)
    rounds = range(1, result.rounds + 1)
    for number, (measure, what) in enumerate(MEASURES.items()):
        against = result.line(1, measure).against_first
        assert against is not None
        ratio = statistics.median(plain[k, 1][number] / plain[k, 0][number] for k in rounds)
        apart = 100 * abs(against.ratio / ratio - 1)
        detail = f"lab {ratio_text(against)}, script {ratio:.3g}; {count(result.rounds, 'round')}"
        yield Claim(f"{name}, {what}: ratios apart", apart, 5, True, "%", detail)


def _outside() -> Claim:
    """The share of what is not the runtime's own work, imports left out."""
    pair = [weight_heavy(LARGE_MEGABYTES, kind) for kind in KINDS]
    lab = LabSettings(budget_s=BUDGET_S, most_rounds=LARGE_ROUNDS)
    result = bench(pair, BenchSettings(lab=lab))
    text = f"outside the runtime's own work, {LARGE_MEGABYTES} MB"
    return Claim(text, 100 * result.overhead()[1], 15, True, "%", count(result.rounds, "round"))


def _plain(path: Path) -> list[float]:
    """Seconds of a load and of a run, in a fresh process."""
    command = [sys.executable, str(SCRIPT), str(path), str(RUNS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]
