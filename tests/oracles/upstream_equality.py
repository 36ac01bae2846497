"""Our conversions held against those of the converter in onnxruntime's wheel, file by file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from ortstudio.services.convert import run
from ortstudio.services.convert_plan import plan
from ortstudio.services.sessions import Level, Target
from tests.oracles.model_content import differences
from tests.oracles.model_structure import same_structure
from tests.oracles.upstream_config import lines
from tests.oracles.upstream_converter import Job, Options, convert

EVERY = tuple(
    Options(level, target=target, types=types, twin=twin)
    for level, target, types, twin in product(
        Level, (None, Target.ARM, Target.AMD64), (False, True), (False, True)
    )
)
"""Every combination of the converter's options; each makes both styles."""

UNKNOWN_TYPE = "KeyError"
"""What it raises for the types of a model that has one of under eight bits or float8e8m0."""


def unequal(models: Sequence[Path], options: Sequence[Options], folder: Path) -> Iterator[str]:
    """Where the two do not come to the same; no conversion is verified."""
    for model in models:
        jobs = [Job(model, chosen, folder / "upstream" / chosen.text) for chosen in options]
        for job, said in zip(jobs, convert(jobs), strict=True):
            ours = folder / "ours" / job.options.text
            (row,) = run(plan([model], job.options.settings(ours, verify=False))).results
            where = f"{model.stem}, {job.options.text}"
            if bool(said) != (row.error is not None) and not said.startswith(UNKNOWN_TYPE):
                yield f"{where}: upstream says {said!r}, we say {row.error}"
            yield from (f"{where}: {text}" for text in _unequal_files(ours, job, whole=not said))
        for made in ("upstream", "ours"):
            shutil.rmtree(folder / made, ignore_errors=True)


def _unequal_files(ours: Path, job: Job, *, whole: bool) -> Iterator[str]:
    """All files of both; of a conversion that upstream broke off, those that it has written."""
    weights = job.model.with_suffix(".bin")
    if weights.exists():
        # Its ONNX models look for them beside themselves.
        job.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(weights, job.folder)
    found = {path.name for path in job.folder.glob("*") if path.name != weights.name}
    made = {path.name for path in ours.glob("*")}
    if whole:
        yield from (f"only one has {name}" for name in sorted(found ^ made))
    for name in sorted(found & made):
        yield from (f"{name}: {text}" for text in file_differences(ours / name, job.folder / name))


def file_differences(ours: Path, theirs: Path) -> list[str]:
    """Between two models or two configs; order and comments do not count in these."""
    if ours.suffix == ".config":
        texts = (path.read_text(encoding="utf-8") for path in (ours, theirs))
        a, b = (lines(text) for text in texts)
        return sorted(set(a) ^ set(b))
    found = differences(ours, theirs)
    return found if found and not same_structure(ours, theirs) else []
