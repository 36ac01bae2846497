"""Everything about shipping one model: accelerators, effects, settings by use, the plain answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ortstudio.errors import RefusedError, StudioError, Where
from ortstudio.jobs.runner import Child, agent_child
from ortstudio.model.model import FileKind
from ortstudio.services.accelerators import Accelerators, look
from ortstudio.services.conversion import CancelledError, NotStartedError
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.document import Document, open_document
from ortstudio.services.effects import BASIC, CHOICES, Effect, effects, refusal
from ortstudio.services.reasons import Case
from ortstudio.services.recommend import Answer, answer, recommendations
from ortstudio.services.trials import Choice, Cost, Trials, cost_of, trials
from ortstudio.services.uses import Recommendation

UNASKED_BYTES, UNASKED_NODES = 100_000_000, 3000
"""Models up to this size are tried unasked: it takes seconds."""

Progress = Callable[[str, int, int], None]
"""Told what is done, how many steps are, and how many there are."""


@dataclass(frozen=True, eq=False)
class Advice:
    """What was found, and what is advised. `cost` says what trying the effects takes."""

    case: Case
    answer: Answer
    uses: tuple[Recommendation, ...]
    cost: Cost

    @property
    def document(self) -> Document:
        """The model."""
        return self.case.document

    @property
    def accelerators(self) -> Accelerators | None:
        """What accelerators would take; None where the model could not be looked at."""
        return self.case.accelerators

    @property
    def effects(self) -> Mapping[Choice, Effect]:
        """What came of every choice; empty where they were not tried."""
        return self.case.effects

    @property
    def untried(self) -> str:
        """Why there are no effects; empty where there are."""
        if self.effects:
            return ""
        if self.case.is_ort:
            return "Only the source, which is not at hand, shows what other settings would do."
        if self.case.failure is not None:
            return f"{self.case.failure.message}."
        return f"Not tried. It takes {self.cost.text}."


def tries_unasked(document: Document) -> bool:
    """Whether a model is small enough to try its effects without being asked to."""
    nodes = document.totals.nodes
    return document.size_bytes <= UNASKED_BYTES and nodes <= UNASKED_NODES


def advise_file(
    path: str | Path,
    base: ConvertSettings | None = None,
    *,
    with_effects: bool | None = None,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Advice:
    """Open a model and advise on it. Raises StudioError where it is none that could be shipped."""
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error
    if document.model.kind not in (FileKind.ONNX, FileKind.ORT):
        raise RefusedError(
            "This has parameters, but no graph that could be shipped", where=Where(str(path))
        )
    return advise(
        document,
        base,
        with_effects=tries_unasked(document) if with_effects is None else with_effects,
        on_progress=on_progress,
        cancelled=cancelled,
        make_child=make_child,
    )


def advise(
    document: Document,
    base: ConvertSettings | None = None,
    *,
    with_effects: bool,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Advice:
    """Advise on a model that is open. Blocks; `cancelled` is asked many times a second.

    With `with_effects` a source is converted in every way, else once, to level basic. Raises
    CancelledError, and NotStartedError where there is no child process; what is wrong with the
    model is part of the advice.
    """
    tried = _Tried(document, on_progress or _ignore)
    failure: StudioError | None = None
    try:
        with trials(document, base, cancelled=cancelled, make_child=make_child) as made:
            tried.look(made)
            if document.model.kind is FileKind.ONNX:
                tried.convert(made, with_effects)
    except (CancelledError, NotStartedError):
        raise
    except StudioError as error:
        failure = error
    case = Case(
        document,
        base or ConvertSettings(),
        accelerators=tried.accelerators,
        effects=tried.effects,
        refused_whole=tried.refused_whole,
        failure=failure,
        unseen=tried.unseen,
    )
    return Advice(case, answer(case), recommendations(case), cost_of(document, len(CHOICES)))


class _Tried:
    """What comes of the trials, as far as they get."""

    def __init__(self, document: Document, report: Progress) -> None:
        self._document = document
        self._report = report
        self.accelerators: Accelerators | None = None
        self.effects: Mapping[Choice, Effect] = {}
        self.refused_whole = ""
        self.unseen: StudioError | None = None

    def look(self, made: Trials) -> None:
        """See what accelerators would take; where that fails, conversions may still work."""
        self._report("accelerators", 0, 1)
        try:
            self.accelerators = look(made)
            self.refused_whole = refusal(self.accelerators.looked_at)
        except (CancelledError, NotStartedError):
            raise
        except StudioError as error:
            self.unseen = error

    def convert(self, made: Trials, with_effects: bool) -> None:
        """Raises StudioError where the source does not convert."""
        if not with_effects:
            made.result(BASIC)
            return
        found = effects(made, lambda choice, done, of: self._report(choice.name, done, of))
        self.effects = {effect.choice: effect for effect in found}


def _ignore(_what: str, _done: int, _of: int) -> None:
    return None
