"""A timed comparison from the files on: what is measured, on which inputs, for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.errors import UsageError
from ortstudio.jobs.runner import Child
from ortstudio.services.compare_sides import opened
from ortstudio.services.custom_ops import check_library
from ortstudio.services.document import Document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.inputs import InputSettings
from ortstudio.services.lab.environment import check_cpus, environment
from ortstudio.services.lab.feeding import Feeding
from ortstudio.services.lab.measuring import LabProgress, LabSettings, Measuring
from ortstudio.services.lab.modes import PATH, Mode, modes
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.subject import Subject
from ortstudio.services.runtimes import Kind, Runtime, own
from ortstudio.services.sessions import Level

CPU = "CPUExecutionProvider"


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What the user chose. With `all_modes` every way of loading that a file allows is measured.

    `batches` are sizes for the symbol that inputs begin with, `custom_ops` is a library of
    operators that ONNX Runtime lacks, and `memory_bytes` is what a child may take.
    """

    all_modes: bool = False
    chosen_modes: tuple[Mode, ...] = (PATH,)
    levels: tuple[Level, ...] = (Level.ALL,)
    threads: tuple[int | None, ...] = (None,)
    batches: tuple[int | None, ...] = (None,)
    providers: tuple[str, ...] = (CPU,)
    runtimes: tuple[Runtime, ...] = field(default_factory=lambda: (own(),))
    inputs: InputSettings = field(default_factory=InputSettings)
    custom_ops: str | None = None
    memory_bytes: int | None = None
    lab: LabSettings = field(default_factory=LabSettings)


def bench(
    paths: Sequence[Path],
    settings: BenchSettings,
    *,
    on_progress: Callable[[LabProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Result:
    """Measure files against the first of them. Blocks.

    `cancelled` is asked many times a second; what was measured until then is in the result. Raises
    StudioError where a file cannot be opened, or the first one cannot be loaded.
    """
    if settings.custom_ops is not None:
        check_library(settings.custom_ops)
    _check_cpus(settings)
    documents = [opened(path) for path in paths]
    subjects = [s for document in documents for s in subjects_of(document, settings)]
    runtimes = {runtime.name: runtime for runtime in settings.runtimes}

    def make_child(subject: Subject) -> Child:
        return runtimes[subject.runtime].child(memory_bytes=settings.memory_bytes)

    with temporary_folder() as folder:
        feeding = Feeding(
            documents,
            subjects,
            settings.batches,
            settings.inputs,
            folder,
            make_child,
            settings.lab.patience_s,
            cancelled,
        )
        feeding.feed()
        work = Measuring(
            subjects,
            settings.lab,
            feeding.feeds,
            folder,
            make_child,
            on_progress,
            cancelled,
        )
        work.result.environment = environment() | _settings_json(settings)
        work.result.inputs = feeding.used
        work.result.notes += feeding.notes
        return work.run()


def _check_cpus(settings: BenchSettings) -> None:
    """Of another machine's processors we know nothing; the child there answers for them."""
    cpus, kinds = settings.lab.cpus, {runtime.kind for runtime in settings.runtimes}
    if cpus and kinds & {Kind.NODE, Kind.WEB}:
        raise UsageError("What runs under Node cannot be kept to some processors")
    if kinds - {Kind.SSH}:
        check_cpus(cpus)


def subjects_of(document: Document, settings: BenchSettings) -> list[Subject]:
    """Every combination that was chosen for one file, the plainest first."""
    model = document.model
    external = [document.path.parent / file.path for file in document.external_files if file.found]
    files = (document.path, *external)
    size = sum(path.stat().st_size for path in files)
    chosen = modes(model.kind) if settings.all_modes else settings.chosen_modes
    library = settings.custom_ops
    return [
        Subject(
            document.path,
            model.kind,
            files,
            mode,
            runtime.name,
            provider,
            threads,
            level,
            batch,
            size,
            str(Path(library).resolve()) if library else None,
        )
        for runtime in settings.runtimes
        for provider in settings.providers
        for batch in settings.batches
        for threads in settings.threads
        for level in settings.levels
        for mode in chosen
        if mode in modes(model.kind)
    ]


def _settings_json(settings: BenchSettings) -> dict[str, object]:
    lab = settings.lab
    return {
        "runtimes": {runtime.name: runtime.onnxruntime for runtime in settings.runtimes},
        "custom_ops": Path(settings.custom_ops).name if settings.custom_ops else None,
        "budget_s": lab.budget_s,
        "memory_bytes_allowed": settings.memory_bytes,
        "cache": lab.cache,
        "cpus_kept_to": list(lab.cpus) or None,
        "warmup": lab.warmup,
        "runs_s": lab.runs_s,
        "seed": lab.seed,
        "rtol": lab.tolerance.rtol,
        "atol": lab.tolerance.atol,
    }
