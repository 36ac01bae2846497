"""Measures what is claimed about speed and memory: all of it, or the benchmarks that are named."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run benchmarks, such as `inspect` for `bench_inspect.py`; 1 where a claim does not hold."""
    every = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    unknown = sorted(set(names) - set(every))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(every)}")
        return 2
    missed = 0
    for name in names or every:
        module = importlib.import_module(f"tests.bench.bench_{name}")
        print(f"{name}: {(module.__doc__ or name).splitlines()[0]}", flush=True)
        for claim in module.claims():
            print(f"  {claim}", flush=True)
            missed += not claim.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.path[0] = str(FOLDER.parents[1])
    sys.exit(main(sys.argv[1:]))
