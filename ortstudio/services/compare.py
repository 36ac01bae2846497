"""Runs two models on the same inputs and says whether their outputs agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ortstudio.errors import JobError, RefusedError, Where
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.services.agreement import Tolerance, agreement
from ortstudio.services.compare_found import Compared, Fed, Which
from ortstudio.services.compare_remarks import at_load
from ortstudio.services.compare_sides import asking, other_inputs, unrunnable
from ortstudio.services.compare_types import for_both, in_one_type
from ortstudio.services.custom_ops import check_library
from ortstudio.services.document import Document
from ortstudio.services.exchange import Value
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lost_defaults import constants, lost_values
from ortstudio.services.profile_run import Profiling
from ortstudio.services.quantization import output_steps
from ortstudio.services.runtime_words import child_error
from ortstudio.services.sessions import Level, Session
from ortstudio.services.upgrade.runs import REPLAY
from ortstudio.services.verify import (
    Ask,
    Runs,
    SkippedError,
    Verified,
    accepted,
    check_repeatable,
)

TRUST = "Saved optimizations change the graph at load: apply them to files that you trust only"


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What the user chose. Both models are loaded at `level` and with the library `custom_ops`.

    Saved optimizations are applied on the sides that `replay` names.
    """

    level: Level = Level.ALL
    inputs: InputSettings = field(default_factory=InputSettings)
    tolerance: Tolerance = field(default_factory=Tolerance)
    custom_ops: str | None = None
    replay: frozenset[Which] = frozenset()

    def session(self, document: Document, which: Which) -> Session:
        """How one of the models is loaded."""
        return Session(
            str(document.path.absolute()),
            document.model.kind,
            self.level,
            REPLAY if which in self.replay else {},
            custom_ops=self.custom_ops,
        )


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


def compared(
    a: Document, b: Document, settings: CompareSettings, ask: Ask, folder: Path
) -> Compared:
    """Run both on the same inputs. Raises as `compare_outputs` does."""
    check_runnable(a, b, settings)
    runs, inputs = Runs(ask, folder), Inputs(a.model, settings.inputs)
    session_a, session_b = settings.session(a, "a"), settings.session(b, "b")
    try:
        attempt, expected = accepted(runs, session_a, inputs)
    except SkippedError as reason:
        raise unrunnable(reason, "A", a.path) from None
    made = inputs.make(attempt)
    ours, theirs = for_both(
        made | lost_values(b.model, a.model), Inputs(b.model, InputSettings()).types
    )
    fixed = constants(b.model)
    theirs = {name: value for name, value in theirs.items() if name not in fixed}
    theirs |= lost_values(a.model, b.model)
    if any(ours[name] is not made[name] for name in made):
        expected = outputs_of(runs, session_a, ours)
    expected, found, notes = in_one_type(expected, outputs_of(runs, session_b, theirs))
    outputs = agreement(expected, found, settings.tolerance, steps_of(a, b))
    if not all(output.agrees for output in outputs):
        runs.feed(ours)
        _check_repeatable(runs, session_a, settings.tolerance)
        if _agree_as_stored(runs, (session_a, session_b), (ours, theirs), settings, steps_of(a, b)):
            notes += at_load(settings.level, a.model, b.model)
    executed: dict[Which, Mapping[str, int]] = {}
    if settings.replay:
        executed["a"] = executed_ops(ask, folder, a, session_a, ours)
        executed["b"] = executed_ops(ask, folder, b, session_b, theirs)
        notes.append(TRUST)
    verified = Verified(
        outputs=tuple(outputs),
        inputs=inputs.record(attempt),
        sizes=attempt.sizes,
        seed=settings.inputs.seed,
        tolerance=settings.tolerance,
        level=settings.level,
    )
    fed = Fed(ours, theirs, attempt.sizes)
    return Compared(a, b, verified, fed, tuple(notes), executed=executed)


def executed_ops(
    ask: Ask, folder: Path, document: Document, session: Session, values: Mapping[str, Value]
) -> dict[str, int]:
    """How many nodes of each operator really ran. Raises JobError where the model does not run."""
    runs = Runs(ask, folder)
    runs.feed(values)
    profiling = Profiling(ask, runs, folder, most_runs=1, warmup=0, budget_s=0.0)
    nodes = profiling.measured(document, session).times.nodes
    return dict(sorted(Counter(node.op for node in nodes).items()))


def outputs_of(runs: Runs, session: Session, values: Mapping[str, Value]) -> dict[str, Value]:
    """What a model gives for these inputs. Raises JobError where it does not run."""
    runs.feed(values)
    outcome = runs.run(session)
    if not outcome.ok:
        where = Where(session.model)
        raise child_error(outcome, "Running the model", where, session.custom_ops)
    return runs.outputs(outcome)


def steps_of(a: Document, b: Document) -> dict[str, float]:
    """Output → quantization step, the greater one where both have one."""
    found = output_steps(a.model)
    for name, step in output_steps(b.model).items():
        found[name] = max(step, found.get(name, 0.0))
    return found


def _agree_as_stored(
    runs: Runs,
    sessions: tuple[Session, Session],
    fed: tuple[Mapping[str, Value], Mapping[str, Value]],
    settings: CompareSettings,
    steps: Mapping[str, float],
) -> bool:
    """Whether outputs that differ agree where nothing is optimized at load."""
    if settings.level is Level.DISABLE or settings.replay:
        return False
    try:
        a, b, _ = in_one_type(
            *(
                outputs_of(runs, replace(session, level=Level.DISABLE), values)
                for session, values in zip(sessions, fed, strict=True)
            )
        )
    except JobError:
        return False
    return all(output.agrees for output in agreement(a, b, settings.tolerance, steps))


def _check_repeatable(runs: Runs, session: Session, tolerance: Tolerance) -> None:
    """Raises RefusedError where A does not even agree with itself."""
    try:
        check_repeatable(runs, session, tolerance)
    except SkippedError:
        raise RefusedError(
            "A draws random numbers: its outputs differ at every run, and cannot be compared",
            where=Where(session.model),
        ) from None
