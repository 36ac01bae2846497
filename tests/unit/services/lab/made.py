"""Results as if they had been measured."""

from __future__ import annotations

from pathlib import Path

from ortstudio.model.model import FileKind
from ortstudio.services.lab.modes import PATH, Mode
from ortstudio.services.lab.results import Measured, Result, Round, Status
from ortstudio.services.lab.subject import Subject

MS = 1_000_000


def taken(number: int, load_ms: float, run_ms: float, memory: int = 1000) -> Round:
    """One child's figures: three runs."""
    run = round(run_ms * MS)
    return Round(
        number=number,
        load_ns=round(load_ms * MS),
        read_ns=0,
        first_run_ns=2 * run,
        run_ns=(run, run + number, run),
        peak_rss_bytes=2 * memory,
        rss_after_load_bytes=memory,
        private_after_load_bytes=None,
        read_bytes=10,
        import_ns=5 * MS,
        warmup_ns=2 * run,
        wall_ns=round(load_ms * MS) + 7 * run + number + 7 * MS,
    )


def measured(
    name: str = "a.onnx",
    load_ms: float = 100,
    run_ms: float = 10,
    *,
    mode: Mode = PATH,
    rounds: int = 12,
    memory: int = 1_000_000,
    batch: int | None = None,
    status: Status = "ok",
    why: str = "",
    threads: int | None = None,
) -> Measured:
    """A subject with rounds that differ a little, as those of the others do."""
    kind = FileKind.ORT if name.endswith(".ort") else FileKind.ONNX
    path = Path(name)
    subject = Subject(path, kind, (path,), mode, threads=threads, batch=batch, size_bytes=5000)
    found = [
        taken(number, load_ms * (1 + number / 1000), run_ms * (1 + number / 1000), memory)
        for number in range(1, rounds + 1)
    ]
    return Measured(subject, status, why, rounds=found)


def result(*subjects: Measured, screened: int = 0) -> Result:
    """A result of these, measured somewhere."""
    return Result(
        list(subjects),
        environment={
            "cpu": "a processor",
            "cpus": 2,
            "cache": "warm",
            "runtimes": {"own": "1.32.0"},
        },
        inputs={"sizes": {}, "seed": 0},
        notes=["Only 2 processors: whatever else runs here shows in the figures"],
        stopped="narrow enough",
        screened=screened,
    )
