"""Loads a file for real under a release at hand: what prediction is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ortstudio.analysis.compatibility.releases import Release
from ortstudio.errors import Where
from ortstudio.jobs.runner import Ending, Outcome
from ortstudio.services.conversion import served
from ortstudio.services.document import Document
from ortstudio.services.runtimes import Runtime
from ortstudio.services.sessions import Session


@dataclass(frozen=True, slots=True)
class Tried:
    """How a load went under the release of a runtime at hand; `words` are its own, if it failed."""

    release: Release
    runtime: str
    loads: bool
    words: str = ""


def try_load(
    document: Document, runtime: Runtime, *, cancelled: Callable[[], bool] | None = None
) -> Tried:
    """Load the file as the release does by default, in a child process. Blocks.

    Raises CancelledError, and JobError where nothing could be tried.
    """
    session = Session(str(document.path.absolute()), document.model.kind)
    with runtime.child() as child:
        outcome = child.ask("load", {"session": session.to_json()}, cancelled=cancelled)
    outcome = served(outcome, "The load")
    release = Release.parse(runtime.onnxruntime)
    if release is None or not _is_answer(outcome):
        raise outcome.error("The load", Where(str(document.path)))
    return Tried(release, runtime.name, outcome.ok, "" if outcome.ok else _words(outcome))


def _is_answer(outcome: Outcome) -> bool:
    """Whether it says anything about the file, and not about the machine or the child."""
    if outcome.failure is not None:
        return outcome.failure.kind == "load"
    return outcome.ok or outcome.ending is Ending.CRASHED


def _words(outcome: Outcome) -> str:
    if outcome.failure is not None:
        return outcome.failure.message.strip()
    return f"The process {outcome.words}\n{outcome.stderr}".strip()
