"""Profiles a model: the runtime's own profile of runs in a child, laid on the nodes of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.compare import TRUST
from ortstudio.services.compare_sides import asking, other_inputs, unrunnable
from ortstudio.services.compare_types import for_both
from ortstudio.services.custom_ops import check_library
from ortstudio.services.diff import compare_documents
from ortstudio.services.document import Document
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lost_defaults import lost_values
from ortstudio.services.profile_found import Profile
from ortstudio.services.profile_run import Profiling
from ortstudio.services.profile_trace import write_trace
from ortstudio.services.sessions import Level, Session
from ortstudio.services.upgrade.runs import REPLAY
from ortstudio.services.verify import Ask, Runs, SkippedError, accepted
from ortstudio.services.whole_file import check_free


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """What the user chose. At level disable the graph runs as it is stored.

    With `replay` saved optimizations are applied. The model runs at most `runs` times, and for
    about `budget_s` seconds.
    """

    level: Level = Level.ALL
    inputs: InputSettings = field(default_factory=InputSettings)
    custom_ops: str | None = None
    replay: bool = False
    threads: int | None = None
    runs: int = 50
    warmup: int = 2
    budget_s: float = 2.0
    trace: Path | None = None
    overwrite: bool = False

    def session(self, document: Document) -> Session:
        """How a model is loaded."""
        return Session(
            str(document.path.absolute()),
            document.model.kind,
            self.level,
            REPLAY if self.replay else {},
            custom_ops=self.custom_ops,
            threads=self.threads,
        )


def profile(
    file: Document,
    settings: ProfileSettings,
    source: Document | None = None,
    *,
    on_phase: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Profile:
    """Profile a file, and its source as it is stored on the same inputs. Blocks.

    `on_phase` is told in words what is done, `cancelled` is asked many times a second. Raises
    RefusedError where no inputs fit or the trace cannot be written, JobError where a model does not
    run.
    """
    if settings.trace is not None:
        check_free(settings.trace, overwrite=settings.overwrite)
    if settings.custom_ops is not None:
        check_library(settings.custom_ops)
    if source is not None:
        _check_inputs(file, source)
    with asking(on_phase, cancelled, make_child, "The profile") as (ask, folder):
        return _profiled(file, settings, source, ask, folder)


def _check_inputs(file: Document, source: Document) -> None:
    # The other way round: what the file needs may have a default value in its source.
    words = other_inputs(source, file, ("the source", "the file"))
    if words:
        raise RefusedError(
            f"File and source take other inputs: {words}", where=Where(str(source.path))
        )


def _profiled(
    file: Document, settings: ProfileSettings, source: Document | None, ask: Ask, folder: Path
) -> Profile:
    runs, inputs = Runs(ask, folder), Inputs(file.model, settings.inputs)
    session = settings.session(file)
    try:
        attempt, _ = accepted(runs, session, inputs)
    except SkippedError as reason:
        raise unrunnable(reason, "the model", file.path) from None
    profiling = Profiling(ask, runs, folder, settings.runs, settings.warmup, settings.budget_s)
    measured = profiling.measured(file, session)
    if settings.trace is not None:
        folders = [file.path.absolute().parent, folder]
        write_trace(profiling.raw, settings.trace, folders, overwrite=settings.overwrite)
    found = Profile(
        measured,
        inputs.record(attempt),
        attempt.sizes,
        settings.inputs.seed,
        notes=_notes(file, settings),
    )
    if source is None:
        return found
    types = Inputs(source.model, InputSettings()).types
    _, theirs = for_both(inputs.make(attempt), types)
    needed = {name: value for name, value in theirs.items() if name in types}
    runs.feed(needed | lost_values(file.model, source.model))
    stored = replace(settings, level=Level.DISABLE, replay=False).session(source)
    other = profiling.measured(source, stored)
    return replace(found, source=other, rows=compare_documents(source, file).diff.nodes)


def _notes(file: Document, settings: ProfileSettings) -> tuple[str, ...]:
    if not settings.replay:
        return ()
    return (TRUST if file.optimizations else "The file has no saved optimizations to apply",)
