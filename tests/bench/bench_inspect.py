"""Opening does not depend on the weights: `inspect` of 1 GB against 10 MB of the same graph."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.bench.measure import Claim, in_turns, median_seconds, peak_megabytes
from tests.bench.models import weight_heavy

SMALL_MB, LARGE_MB = 10, 1000


def claims() -> Iterator[Claim]:
    """Time and memory, for both formats."""
    for suffix in (".ort", ".onnx"):
        sizes = (SMALL_MB, LARGE_MB)
        paths = {f"{size} MB": str(weight_heavy(size, suffix)) for size in sizes}
        inspect = [sys.executable, "-m", "ortstudio", "inspect", "--json"]
        runs = in_turns({name: [*inspect, path] for name, path in paths.items()})
        small, large = runs[f"{SMALL_MB} MB"], runs[f"{LARGE_MB} MB"]
        detail = (
            f"{median_seconds(large) * 1e3:.0f} ms against {median_seconds(small) * 1e3:.0f} ms"
        )
        yield Claim(
            f"inspect of {LARGE_MB} MB against {SMALL_MB} MB, {suffix}",
            median_seconds(large) / median_seconds(small),
            1.3,
            at_most=True,
            detail=detail,
        )
        peak = peak_megabytes(large)
        if peak is not None:
            yield Claim(
                f"peak memory of inspect, {LARGE_MB} MB {suffix}",
                peak,
                150,
                at_most=True,
                unit="MB",
            )
