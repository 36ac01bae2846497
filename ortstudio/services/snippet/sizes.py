"""Open sizes that a model accepts, which only a run can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ortstudio.errors import RefusedError, Where
from ortstudio.jobs.runner import Child, Outcome, agent_child, children
from ortstudio.services.conversion import served
from ortstudio.services.document import Document
from ortstudio.services.hidden import temporary_folder
from ortstudio.services.inputs import Inputs, InputSettings
from ortstudio.services.sessions import Session
from ortstudio.services.verify import Runs, SkippedError, accepted


def accepted_sizes(
    document: Document,
    dims: Mapping[str, int] | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
    make_child: Callable[[], Child] = agent_child,
) -> Mapping[str, int]:
    """Sizes by symbol at which the model runs, those in `dims` as given. Blocks, runs a child.

    Raises RefusedError where none of those tried is accepted, or the model cannot be run at all,
    CancelledError where nobody wants to know any more.
    """
    inputs = Inputs(document.model, InputSettings(dims=dims or {}))
    session = Session(str(document.path.absolute()), document.model.kind)
    with temporary_folder() as folder, children(make_child) as child:

        def ask(verb: str, arguments: Mapping[str, object]) -> Outcome:
            return served(child().ask(verb, arguments, cancelled=cancelled), "The search for sizes")

        try:
            attempt, _ = accepted(Runs(ask, folder), session, inputs)
        except SkippedError as error:
            raise RefusedError(
                str(error).replace("The source", "The model"),
                where=Where(str(document.path)),
                hint="Name sizes that it accepts with --dim.",
            ) from None
    return attempt.sizes
