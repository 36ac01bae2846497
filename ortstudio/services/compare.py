"""Runs two models on the same inputs and says whether their outputs agree."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ortstudio.analysis.words import listed
from ortstudio.errors import DONE_NO, DONE_YES, JobError, RefusedError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome, agent_child, children
from ortstudio.model.model import FileKind
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.compare_types import for_both, in_one_type
from ortstudio.services.conversion import served
from ortstudio.services.custom_ops import check_library
from ortstudio.services.document import Document, open_document
from ortstudio.services.exchange import Value
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.layers_found import Layers
from ortstudio.services.quantization import output_steps
from ortstudio.services.runtime_words import child_error
from ortstudio.services.sessions import Level, Session
from ortstudio.services.verify import (
    Ask,
    Runs,
    SkippedError,
    Verified,
    accepted,
    check_repeatable,
)

SCHEMA = "ortstudio/compare@1"
PHASES = {
    "load": "loading",
    "run": "running",
    "profile": "running with the profile on",
    "convert": "saving the graph that runs",
}


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What the user chose. Both models are loaded at `level` and with the library `custom_ops`."""

    level: Level = Level.ALL
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)
    custom_ops: str | None = None

    def session(self, document: Document) -> Session:
        """How one of the models is loaded."""
        library = self.custom_ops
        return Session(
            str(document.path.absolute()),
            document.model.kind,
            self.level,
            custom_ops=str(Path(library).resolve()) if library else None,
        )


@dataclass(frozen=True, slots=True)
class Fed:
    """The inputs for both models, the same numbers, and the sizes that symbols have in them."""

    a: Mapping[str, Value]
    b: Mapping[str, Value]
    sizes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models and what the comparison of their outputs found, and of their layers if asked.

    `notes` say what is out of the ordinary in how they were compared.
    """

    a: Document
    b: Document
    found: Verified
    fed: Fed = field(repr=False)
    notes: tuple[str, ...] = ()
    layers: Layers | None = None

    @property
    def exit_code(self) -> int:
        """That of the command line's contract."""
        return DONE_YES if self.found.agrees else DONE_NO

    def to_json(self) -> dict[str, object]:
        """The object of the command line's contract."""
        files = {"a": _file(self.a), "b": _file(self.b)}
        found = {"schema": SCHEMA} | files | self.found.to_json() | {"notes": list(self.notes)}
        if self.layers is not None:
            found |= self.layers.to_json(self.a.model.main, self.b.model.main)
        return found


def _file(document: Document) -> dict[str, object]:
    return {
        "path": str(document.path),
        "size_bytes": document.size_bytes,
        "kind": document.model.kind.value,
    }


def compare_outputs(
    a: Document,
    b: Document,
    settings: CompareSettings,
    *,
    on_phase: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Compared:
    """Run both on inputs made for A. Blocks.

    `on_phase` is told in words what is done, `cancelled` is asked many times a second. Raises
    RefusedError where no inputs fit both or A draws random numbers, JobError where one does not
    run.
    """
    with asking(on_phase, cancelled, make_child) as (ask, folder):
        return compared(a, b, settings, ask, folder)


@contextmanager
def asking(
    on_phase: Callable[[str], None] | None,
    cancelled: Callable[[], bool] | None,
    make_child: Callable[[], Child],
    work: str = "The comparison",
) -> Iterator[tuple[Ask, Path]]:
    """A child to ask, and a folder for what goes to and fro. Asking raises CancelledError."""

    def heard(message: Progress | Log) -> None:
        if on_phase and isinstance(message, Progress) and message.phase in PHASES:
            on_phase(PHASES[message.phase])

    with (
        tempfile.TemporaryDirectory(prefix="ortstudio-", ignore_cleanup_errors=True) as folder,
        children(make_child) as child,
    ):

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            outcome = child().ask(verb, arguments, on_message=heard, cancelled=cancelled)
            return served(outcome, work)

        yield ask, Path(folder)


def check_runnable(a: Document, b: Document, settings: CompareSettings) -> None:
    """Raises StudioError for what cannot be run side by side."""
    if settings.custom_ops is not None:
        check_library(settings.custom_ops)
    words = other_inputs(a, b, ("A", "B"))
    if words:
        raise RefusedError(
            f"The two models take other inputs: {words}",
            where=Where(str(b.path)),
            hint="`ortstudio edit` renames inputs.",
        )


def other_inputs(a: Document, b: Document, called: tuple[str, str]) -> str:
    """In which inputs two models differ, so that what feeds the one cannot feed the other.

    Empty where it can.
    """
    needed_a, needed_b = (Inputs(document.model, InputSettings()).types for document in (a, b))
    taken_b = set(b.model.main.value_names(b.model.main.inputs.tolist()))
    missing = [name for name in needed_b if name not in needed_a]
    unknown = [name for name in needed_a if name not in taken_b]
    words = [f"{called[1]} needs {listed(missing)}, which {called[0]} lacks"] if missing else []
    words += [f"{called[1]} lacks {listed(unknown)}"] if unknown else []
    return ", and ".join(words)


def opened(path: Path) -> Document:
    """A sound model with a graph to run. Raises StudioError where the file is none."""
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error.at(str(path))
    if document.model.kind not in (FileKind.ORT, FileKind.ONNX):
        raise RefusedError("This file holds no graph that could be run", where=Where(str(path)))
    return document


def compared(
    a: Document, b: Document, settings: CompareSettings, ask: Ask, folder: Path
) -> Compared:
    """Run both on the same inputs. Raises as `compare_outputs` does."""
    check_runnable(a, b, settings)
    runs, inputs = Runs(ask, folder), Inputs(a.model, settings.inputs)
    session_a, session_b = settings.session(a), settings.session(b)
    try:
        attempt, expected = accepted(runs, session_a, inputs)
    except SkippedError as reason:
        raise JobError(f"A cannot be run. {reason}", where=Where(str(a.path))) from None
    made = inputs.make(attempt)
    ours, theirs = for_both(made, Inputs(b.model, InputSettings()).types)
    if any(ours[name] is not made[name] for name in made):
        expected = outputs_of(runs, session_a, ours)
    expected, found, notes = in_one_type(expected, outputs_of(runs, session_b, theirs))
    outputs = agreement(expected, found, settings.tolerance, steps_of(a, b))
    if not all(output.agrees for output in outputs):
        runs.feed(ours)
        _check_repeatable(runs, session_a, settings.tolerance)
    verified = Verified(
        outputs=tuple(outputs),
        inputs=inputs.record(attempt),
        sizes=attempt.sizes,
        seed=settings.inputs.seed,
        tolerance=settings.tolerance,
        level=settings.level,
    )
    return Compared(a, b, verified, Fed(ours, theirs, attempt.sizes), tuple(notes))


def outputs_of(runs: Runs, session: Session, values: Mapping[str, Value]) -> dict[str, Value]:
    """What a model gives for these inputs. Raises JobError where it does not run."""
    runs.feed(values)
    outcome = runs.run(session)
    if not outcome.ok:
        raise child_error(outcome, "Running the model", Where(session.model))
    return runs.outputs(outcome)


def steps_of(a: Document, b: Document) -> dict[str, float]:
    """Output → quantization step, the greater one where both have one."""
    found = output_steps(a.model)
    for name, step in output_steps(b.model).items():
        found[name] = max(step, found.get(name, 0.0))
    return found


def _check_repeatable(runs: Runs, session: Session, tolerance: Tolerance) -> None:
    """Raises RefusedError where A does not even agree with itself."""
    try:
        check_repeatable(runs, session, tolerance)
    except SkippedError:
        raise RefusedError(
            "A draws random numbers: its outputs differ at every run, and cannot be compared",
            where=Where(session.model),
        ) from None
