"""A timed comparison from the files on: what is measured, on which inputs, for how long."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.errors import RefusedError, StudioError, Where
from ortstudio.jobs.runner import Child, Outcome
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import served
from ortstudio.services.document import Document, open_document
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lab.environment import environment
from ortstudio.services.lab.measuring import Feed, LabProgress, LabSettings, Measuring
from ortstudio.services.lab.modes import PATH, Mode, modes
from ortstudio.services.lab.results import Result
from ortstudio.services.lab.subject import Subject
from ortstudio.services.runtimes import Runtime, own
from ortstudio.services.sessions import Level
from ortstudio.services.verify import NotAcceptedError, Runs, SkippedError, accepted

CPU = "CPUExecutionProvider"


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What the user chose. With `all_modes` every way of loading that a file allows is measured."""

    all_modes: bool = False
    chosen_modes: tuple[Mode, ...] = (PATH,)
    levels: tuple[Level, ...] = (Level.ALL,)
    threads: tuple[int | None, ...] = (None,)
    providers: tuple[str, ...] = (CPU,)
    runtimes: tuple[Runtime, ...] = field(default_factory=lambda: (own(),))
    inputs: InputSettings = field(default_factory=InputSettings)
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
    documents = [_opened(path) for path in paths]
    subjects = [s for document in documents for s in subjects_of(document, settings)]
    runtimes = {runtime.name: runtime for runtime in settings.runtimes}

    def make_child(subject: Subject) -> Child:
        return runtimes[subject.runtime].child()

    with tempfile.TemporaryDirectory(prefix="ortstudio-") as name:
        folder = Path(name)
        feed, used, notes = _feed(
            documents[0], subjects[0], settings, folder, make_child, cancelled
        )
        work = Measuring(subjects, settings.lab, feed, folder, make_child, on_progress, cancelled)
        work.result.environment = environment() | _settings_json(settings)
        work.result.inputs = used
        work.result.notes += notes
        return work.run()


def subjects_of(document: Document, settings: BenchSettings) -> list[Subject]:
    """Every combination that was chosen for one file, the plainest first."""
    model = document.model
    external = [document.path.parent / file.path for file in document.external_files if file.found]
    chosen = modes(model.kind) if settings.all_modes else settings.chosen_modes
    return [
        Subject(
            document.path,
            model.kind,
            (document.path, *external),
            mode,
            runtime.name,
            provider,
            threads,
            level,
        )
        for runtime in settings.runtimes
        for provider in settings.providers
        for threads in settings.threads
        for level in settings.levels
        for mode in chosen
        if mode in modes(model.kind)
    ]


def _opened(path: Path) -> Document:
    """Raises StudioError for what is no sound model that can be run."""
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error.at(str(path))
    if document.model.kind not in (FileKind.ORT, FileKind.ONNX):
        raise RefusedError("This file holds no graph that could be run", where=Where(str(path)))
    return document


def _feed(
    document: Document,
    subject: Subject,
    settings: BenchSettings,
    folder: Path,
    make_child: Callable[[Subject], Child],
    cancelled: Callable[[], bool] | None,
) -> tuple[Feed | None, Mapping[str, object], list[str]]:
    """Inputs that the first file accepts and what it makes of them; why none, where there are none.

    Raises StudioError where it does not even load.
    """
    child = make_child(subject)

    def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
        return served(child.ask(verb, arguments, cancelled=cancelled), "The comparison")

    runs = Runs(ask, folder)
    try:
        inputs = Inputs(document.model, settings.inputs)
        attempt, expected = accepted(runs, subject.session(), inputs)
    except NotAcceptedError as error:
        return None, {}, [f"Only loading is measured: {error}"]
    except RefusedError as error:
        return None, {}, [f"Only loading is measured: {error.message}"]
    except SkippedError as error:
        raise StudioError(str(error), where=Where(str(document.path))) from None
    finally:
        child.close()
    used = {
        "inputs": {name: dict(row) for name, row in inputs.record(attempt).items()},
        "sizes": dict(attempt.sizes),
        "seed": settings.inputs.seed,
    }
    return Feed(runs.inputs_file, runs.described, expected), used, []


def _settings_json(settings: BenchSettings) -> dict[str, object]:
    lab = settings.lab
    return {
        "runtimes": {runtime.name: runtime.onnxruntime for runtime in settings.runtimes},
        "budget_s": lab.budget_s,
        "cache": lab.cache,
        "warmup": lab.warmup,
        "runs_s": lab.runs_s,
        "seed": lab.seed,
        "rtol": lab.tolerance.rtol,
        "atol": lab.tolerance.atol,
    }
