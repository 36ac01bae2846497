"""Two models that are to be run side by side, and a child to run them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ortstudio.analysis.words import listed
from ortstudio.errors import JobError, RefusedError, Where
from ortstudio.jobs.protocol import Log, Progress
from ortstudio.jobs.runner import Child, Outcome, children
from ortstudio.model.model import FileKind
from ortstudio.services.conversion import served
from ortstudio.services.document import Document, open_document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.lost_defaults import defaulted
from ortstudio.services.runtime_words import RuntimeRefusedError, explained, refusal
from ortstudio.services.verify import Ask, NotAcceptedError, SkippedError

PHASES = {
    "load": "loading",
    "run": "running",
    "profile": "running with the profile on",
    "convert": "saving the graph that runs",
}


def other_inputs(a: Document, b: Document, called: tuple[str, str]) -> str:
    """In which inputs two models differ, so that what feeds the one cannot feed the other.

    Empty where it can: what B needs may have a default value in A.
    """
    needed_a, needed_b = (Inputs(document.model, InputSettings()).types for document in (a, b))
    taken_b = set(b.model.main.value_names(b.model.main.inputs.tolist()))
    defaults = {*a.model.main.initializers.names, *defaulted(a.model)}
    missing = [name for name in needed_b if name not in needed_a and name not in defaults]
    unknown = [name for name in needed_a if name not in taken_b]
    words = [f"{called[1]} needs {listed(missing)}, which {called[0]} lacks"] if missing else []
    words += [f"{called[1]} lacks {listed(unknown)}"] if unknown else []
    return ", and ".join(words)


def unrunnable(reason: SkippedError, name: str, path: Path) -> JobError:
    """The error for a model that no outputs can be had of, where it is nobody's source."""
    where = Where(str(path))
    if reason.words and not isinstance(reason, NotAcceptedError):
        return refusal(reason.words, where)
    capital = f"{name[0].upper()}{name[1:]}"
    text = str(reason).replace("The source", capital).replace("the source", name)
    if reason.words:
        hint = explained(reason.words)[1]
        return RuntimeRefusedError(text, where=where, hint=hint, details=reason.words)
    return JobError(text, where=where)


def opened(path: Path) -> Document:
    """A sound model with a graph to run. Raises StudioError where the file is none."""
    document = open_document(path)
    if document.model.error is not None:
        raise document.model.error.at(str(path))
    if document.model.kind not in (FileKind.ORT, FileKind.ONNX):
        raise RefusedError("This file holds no graph that could be run", where=Where(str(path)))
    return document


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

    with temporary_folder() as folder, children(make_child) as child:

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            outcome = child().ask(verb, arguments, on_message=heard, cancelled=cancelled)
            return served(outcome, work)

        yield ask, folder
