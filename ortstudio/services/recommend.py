"""How to ship a model: the plain answer, and what to do for each use."""

from __future__ import annotations

from dataclasses import dataclass

from ortstudio.services.reasons import (
    Case,
    Reason,
    for_onnx,
    for_ort,
    obstacles,
    of_ort_file,
    replay_stops_load,
    to_know,
)
from ortstudio.services.uses import Recommendation, Ship, Use, of_source
from ortstudio.services.uses_of_file import of_file


@dataclass(frozen=True, slots=True)
class Answer:
    """The plain answer: ship it in ORT format, stay with ONNX, or why that is not known."""

    ship: Ship
    text: str
    reasons: tuple[Reason, ...]


def answer(case: Case) -> Answer:
    """The plain answer, with the reasons that hold for this model."""
    against = tuple(obstacles(case))
    if case.is_ort:
        return _of_file(case, against)
    if against:
        missing = _missing(case)
        text = "Stay with ONNX: no file in ORT format that is of use comes of this model."
        if missing:
            text = f"Nothing can be said yet: {missing}."
        return Answer("not known" if missing else "onnx", text, (*against, *to_know(case)))
    text = (
        "Ship it in ORT format to phones, browsers and minimal builds: nothing in this model is in"
        " the way. On desktops and servers stay with ONNX."
    )
    return Answer("ort", text, (*for_ort(case), *for_onnx(case), *to_know(case)))


def _missing(case: Case) -> str:
    """What a source lacks that cannot be judged as it is; empty where it can."""
    if case.failure is not None and case.failure.kind in ("missing", "format"):
        return "the model is not complete"
    if case.lacks_library:
        return "the library of its operators is needed (--custom-ops)"
    return ""


def _of_file(case: Case, against: tuple[Reason, ...]) -> Answer:
    own = tuple(of_ort_file(case))
    if against:
        text = "Do not ship this file: the newest release does not load it."
        return Answer("onnx", text, (*against, *own))
    text = "Ship it as it is"
    if case.document.portability.verdict == "this-cpu-family":
        text = "Ship it only to x64 processors of the kind that made it"
    if replay_stops_load(case.document):
        text += ", with 1.30 or newer"
    return Answer("ort", f"{text}.", own)


def recommendations(case: Case) -> tuple[Recommendation, ...]:
    """One for each use."""
    if case.is_ort:
        return tuple(of_file(case, use) for use in Use)
    against = tuple(obstacles(case))
    if against:
        return tuple(_stay(case, use, against) for use in Use)
    return tuple(of_source(case, use) for use in Use)


def _stay(case: Case, use: Use, against: tuple[Reason, ...]) -> Recommendation:
    missing = _missing(case)
    text = "Stay with ONNX."
    if missing:
        text = f"Not known yet: {missing}."
    elif use is Use.MINIMAL_BUILD:
        text = "Not possible: a minimal build reads nothing but ORT format."
    ship: Ship = "not known" if missing else "onnx"
    return Recommendation(use, ship, text, case.base, against, fits=False, converts=False)
