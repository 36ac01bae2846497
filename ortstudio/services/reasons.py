"""Reasons for and against the ORT format, each with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from ortstudio.analysis.accelerators import free_sizes
from ortstudio.analysis.replay import TOO_OLD
from ortstudio.analysis.resolver import FIRST_VERSION
from ortstudio.analysis.words import count, listed, size_text
from ortstudio.errors import StudioError
from ortstudio.model.model import FileKind
from ortstudio.services.accelerators import Accelerators
from ortstudio.services.convert_settings import ConvertSettings
from ortstudio.services.document import Document
from ortstudio.services.effects import DEFAULT, GROWN, Effect
from ortstudio.services.sessions import Target
from ortstudio.services.trials import Choice


class Evidence(Enum):
    """What a reason rests on."""

    FILE = "from the file"
    MEASURED = "measured here"
    ESTIMATE = "estimate"
    RULE = "general rule"


class Stance(Enum):
    """Whether a reason speaks for shipping the model in ORT format, or against it."""

    FOR = "for"
    AGAINST = "against"
    NOTE = "to know"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, as a sentence with its period."""

    text: str
    evidence: Evidence
    stance: Stance = Stance.NOTE


@dataclass(frozen=True, eq=False)
class Case:
    """All that is known of a model when it is asked how to ship it.

    `base` is what the user has settled: sizes, and a library of operators. `effects` is empty where
    nothing was tried. `refused_whole` is why the newest release does not load the model with its
    nodes left whole, empty where it does. `failure` is why nothing could be tried: the source does
    not convert, or is not complete. `unseen` is why nothing is known of accelerators.
    """

    document: Document
    base: ConvertSettings = field(default_factory=ConvertSettings)
    accelerators: Accelerators | None = None
    effects: Mapping[Choice, Effect] = field(default_factory=dict)
    refused_whole: str = ""
    failure: StudioError | None = None
    unseen: StudioError | None = None

    @property
    def is_ort(self) -> bool:
        """Whether the file is in ORT format already."""
        return self.document.model.kind is FileKind.ORT

    @property
    def lacks_library(self) -> bool:
        """Whether it has operators that only a library brings, and none was given."""
        return self.base.custom_ops is None and any(
            reason.code == "custom-operator" for reason in self.document.portability.reasons
        )

    @property
    def typed(self) -> Document:
        """The file, or what level basic made of it: there every value has its type."""
        return self.document if self.accelerators is None else self.accelerators.looked_at

    @property
    def refused(self) -> str:
        """Why it does not load the model as it is converted by default; empty where it does."""
        default = self.effect(DEFAULT)
        return self.refused_whole if default is None else default.refused

    def effect(self, choice: Choice) -> Effect | None:
        """What came of a choice; None where it was not tried or failed."""
        found = self.effects.get(choice)
        return None if found is None or found.error is not None else found


def obstacles(case: Case) -> Iterator[Reason]:
    """Why no good file in ORT format comes of it."""
    if case.failure is not None:
        yield Reason(f"{case.failure.message}.", _evidence(case.failure), Stance.AGAINST)
    default = case.effects.get(DEFAULT)
    if default is not None and default.error is not None:
        yield Reason(f"{default.error.message}.", Evidence.MEASURED, Stance.AGAINST)
    if case.refused:
        evidence = Evidence.FILE if case.is_ort else Evidence.MEASURED
        lead = "" if case.is_ort else "In the result: "
        yield Reason(f"{lead}{case.refused}.", evidence, Stance.AGAINST)


def _evidence(error: StudioError) -> Evidence:
    """What the runtime said was measured; what the header says stands in the file."""
    return Evidence.MEASURED if error.kind in ("runtime", "job") else Evidence.FILE


def for_ort(case: Case) -> Iterator[Reason]:
    """What speaks for the format."""
    yield Reason(
        "A minimal build of ONNX Runtime, the smallest there is, reads nothing but ORT format.",
        Evidence.RULE,
        Stance.FOR,
    )
    external = case.document.external_files
    if external:
        names = listed([repr(file.path) for file in external])
        text = f"Its weights stand in {names}, and would be in the one file."
        yield Reason(text, Evidence.FILE, Stance.FOR)
    default = case.effect(DEFAULT)
    if default is not None and default.nodes < case.document.totals.nodes:
        text = (
            f"Its {count(case.document.totals.nodes, 'node')} become {default.nodes:,} once, when"
            " it is converted, and not each time it is loaded. What that saves was not measured."
        )
        yield Reason(text, Evidence.MEASURED, Stance.FOR)


def for_onnx(case: Case) -> Iterator[Reason]:
    """What speaks for staying with ONNX."""
    yield Reason(
        "Nothing but ONNX Runtime reads ORT format: whatever else must read the model needs ONNX.",
        Evidence.RULE,
        Stance.AGAINST,
    )
    blocked = case.effect(Choice(target=Target.AMD64))
    if blocked is not None and blocked.verdict == "this-cpu-family":
        text = (
            "From ONNX the runtime makes convolutions in the blocked layout of the very processor"
            " that loads it. A file in ORT format has them only with target amd64, and is then tied"
            " to such processors."
        )
        yield Reason(text, Evidence.MEASURED, Stance.AGAINST)
    yield from _growth(case)


def _growth(case: Case) -> Iterator[Reason]:
    before, default = case.document.size_bytes, case.effect(DEFAULT)
    if default is None or before <= 0:
        return
    ratio = default.size_bytes / before
    text = f"{size_text(before)} become {size_text(default.size_bytes)}"
    if ratio >= GROWN:
        text += f", {ratio:.1f} times as much: {default.fills}" if default.fills else ""
        yield Reason(f"{text.rstrip('.')}.", Evidence.MEASURED, Stance.AGAINST)
    else:
        yield Reason(f"{text}.", Evidence.MEASURED)


def to_know(case: Case) -> Iterator[Reason]:
    """What holds in either format."""
    custom = [
        reason
        for reason in case.document.portability.reasons
        if reason.code in ("custom-operator", "unknown-operator", "training-operator")
    ]
    for reason in custom:
        yield Reason(f"{reason.text}.", Evidence.FILE)
    free = free_sizes(case.typed.model)
    if free:
        text = f"{free.text}: most accelerators need fixed sizes"
        if free.options:
            text += f" ({free.options})"
        yield Reason(f"{text}.", Evidence.FILE)


def of_ort_file(case: Case) -> Iterator[Reason]:
    """What a file that is in ORT format already says of itself."""
    document = case.document
    tied = document.portability.verdict == "this-cpu-family"
    for place, reason in enumerate(document.portability.reasons):
        stance = Stance.AGAINST if tied and not place else Stance.NOTE
        yield Reason(f"{reason.text}.", Evidence.FILE, stance)
    yield from loaded_by(document)
    if document.optimizations:
        stance = Stance.AGAINST if replay_stops_load(document) else Stance.NOTE
        yield Reason(_saved(document), Evidence.FILE, stance)


def replay_stops_load(document: Document) -> bool:
    """Whether the saved optimizations of a file stop the load where they are replayed."""
    problems = (problem for one in document.optimizations for problem in one.problems)
    return any(problem.stops_load for problem in problems)


def _saved(document: Document) -> str:
    """How many optimizations are saved in a file, and which releases replay them."""
    number = len(document.optimizations)
    text = f"{count(number, 'optimization')} {'is' if number == 1 else 'are'} saved in it"
    if document.model.ort and (document.model.ort.format_version or 0) < FIRST_VERSION:
        return f"{text}. {TOO_OLD}."
    if replay_stops_load(document):
        return f"{text}, and to replay them stops the load: releases up to 1.29 do so unasked."
    return f"{text}. Releases up to 1.29 replay what is saved, newer ones only when told to."


def loaded_by(document: Document) -> Iterator[Reason]:
    """Which releases load a file, by the version of its format."""
    number = document.model.ort.format_version if document.model.ort else None
    version, words = document.known.versions.get(number), document.known.versions.words
    if version is not None:
        text = f"It is of ORT format version {number}, which full builds of {words(version.full)}"
        minimal = words(version.minimal)
        text += (
            f" read, and minimal builds of {minimal}." if minimal else " read, no minimal build."
        )
        yield Reason(text, Evidence.RULE)
