"""A folder against upstream's converter, same options, nothing verified; and the memory given."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.measure import Claim, Run, median_seconds
from tests.bench.models import folder_of_models

ROUNDS = 2
MEMORY_MB = 2000
STYLES = {"both styles": ("both", ["Fixed", "Runtime"]), "style fixed": ("fixed", ["Fixed"])}


def claims() -> Iterator[Claim]:
    """Time for both styles together, which is upstream's default, and for one; peak memory."""
    source = str(folder_of_models())
    peaks = []
    for name, (ours, theirs) in STYLES.items():
        found: dict[str, list[Run]] = {"ours": [], "upstream": []}
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as out:
                found["upstream"].append(run([*_UPSTREAM, source, *_to(out), *theirs]))
            with tempfile.TemporaryDirectory() as out:
                found["ours"].append(run([*_OURS, source, "-o", out, "--style", ours]))
        mine, yours = (median_seconds(found[name]) for name in ("ours", "upstream"))
        detail = f"{mine:.1f} s against {yours:.1f} s"
        yield Claim(f"a folder, {name}", mine / yours, 0.6, at_most=True, detail=detail)
        peaks += [one.peak_bytes for one in found["ours"] if one.peak_bytes is not None]
    if peaks:
        text = "peak memory of all our processes, of the memory given"
        yield Claim(text, max(peaks) / 1e6, MEMORY_MB, at_most=True, unit="MB")


_UPSTREAM = [sys.executable, "-m", "onnxruntime.tools.convert_onnx_models_to_ort"]
_OURS = [sys.executable, "-m", "ortstudio", "convert", "--no-verify"]
_OURS += ["--memory", f"{MEMORY_MB * 1000**2}"]


def _to(out: str) -> list[str]:
    return ["--output_dir", out, "--optimization_style"]


def run(command: Sequence[str]) -> Run:
    """Run a program; its memory is that of all processes that it starts, looked at all the time."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        peak, over = [0], threading.Event()
        watcher = threading.Thread(target=_watch, args=(program.pid, peak, over))
        watcher.start()
        code = program.wait()
        seconds = time.perf_counter() - start
        over.set()
        watcher.join()
    if code:
        raise subprocess.CalledProcessError(code, command)
    return Run(seconds, peak[0] or None)


def _watch(process_id: int, peak: list[int], over: threading.Event) -> None:
    while not over.wait(0.05):
        peak[0] = max(peak[0], sum(map(_memory, [process_id, *_children(process_id)])))


def _children(process_id: int) -> Iterator[int]:
    """What a process has started; none where the system does not say."""
    for path in Path(f"/proc/{process_id}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            yield from map(int, path.read_text().split())


def _memory(process_id: int) -> int:
    try:
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:"))
